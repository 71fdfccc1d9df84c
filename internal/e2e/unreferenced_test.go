package e2e_test

import (
	"strings"
	"testing"
	"time"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestAnAnswerWithoutAReferenceIsFoundAgain kills heddle where Discord refuses its replies,
// as it may not read the channel's history: right after an answer was sent, and while one
// grows. It may read the history when it is back, after Discord has forgotten the nonce.
func TestAnAnswerWithoutAReferenceIsFoundAgain(t *testing.T) {
	t.Parallel()
	for name, grows := range map[string]bool{"sent and not marked": false, "half of it": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := &discordtest.Clock{}
			s := newScene(t, discordtest.Options{Clock: clock.Now})
			s.discord.World.SetOverwrites(s.channel, discordtest.Overwrite{Member: s.heddle.User, Deny: discordtest.ReadMessageHistory})
			reply, sent := openaitest.Answer("Yes, ", "indeed."), "Yes, indeed."
			if grows {
				reply.Chunks[1].Wait, sent = make(chan struct{}), "Yes,"
			} else {
				// Its first create is refused for the reference.
				s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteCreateMessage), Skip: 1, GateAfter: make(chan struct{})})
			}
			s.model.Queue(reply)
			c := s.spawn()
			s.post(s.ann, discordtest.Draft{Content: s.mention("is it so?")})
			if _, err := s.discord.Chat.AwaitMessage(s.ctx, s.channel, func(m discordtest.Message) bool {
				return m.Author == s.heddle.User && strings.HasPrefix(m.Content, sent)
			}); err != nil {
				t.Fatal(err)
			}
			c.kill()
			s.discord.World.SetOverwrites(s.channel)
			clock.Advance(6 * time.Minute)
			s.always(openaitest.Answer("Yes, indeed."))
			next := s.spawn()
			if err := next.logs.await(s.ctx, `msg="a task is done"`); err != nil {
				t.Fatal(err)
			}
			s.says(s.channel, "Yes, indeed.")
			if n := s.own(); n != 1 {
				t.Errorf("%d messages stand, want 1", n)
			}
			if m := s.discord.Chat.Messages(s.channel); m[len(m)-1].Reference != nil {
				t.Errorf("the answer replies to %+v, want no reference", m[len(m)-1].Reference)
			}
		})
	}
}
