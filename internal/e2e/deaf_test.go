package e2e_test

import (
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestAGatewayThatGoesDeafIsNoticed has the gateway answer heartbeats and send no events any more
// (finding 3.20). heddle reads a page, begins another session and answers what it missed, once.
func TestAGatewayThatGoesDeafIsNoticed(t *testing.T) {
	s := newScene(t)
	s.environ = append(s.environ, "DEAF_AFTER=200ms")
	s.always(openaitest.Answer("Four."))
	r := s.start()
	s.asks("2 + 2?", "Four.")
	s.discord.Gateway.Deafen()
	s.wholeAnswer(s.ask(s.bob, "and 3 + 1?"), "Four.")
	s.awaits(&r.logs, "the gateway answers heartbeats and sends no events")
	s.oneEach(s.channel)
	s.ok(s.discord.Gateway.Await(s.ctx, func(g discordtest.GatewayState) bool { return g.Begun == 2 && g.Ready == 1 }))
}
