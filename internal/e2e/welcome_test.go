package e2e_test

import (
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
)

// TestHelloIsSaidOnceInAServerThatIsJoined has heddle join a Spanish guild while it runs.
// In the guild that it was in before, and after a restart, it says nothing.
func TestHelloIsSaidOnceInAServerThatIsJoined(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	r := s.start()
	joined := s.discord.World.AddGuild("spinners")
	s.discord.World.SetGuildLocale(joined, "es-ES")
	s.discord.World.AddChannel(joined, discordtest.ChannelDraft{Name: "board", Private: true})
	open := s.discord.World.AddChannel(joined, discordtest.ChannelDraft{Name: "general", Overwrites: []discordtest.Overwrite{
		{Role: graph.RoleID(joined), Deny: discordtest.AttachFiles},
	}})
	s.discord.People.Join(joined, s.heddle.User)
	hello, err := s.discord.Chat.AwaitMessage(s.ctx, open, func(m discordtest.Message) bool { return m.Author == s.heddle.User })
	if err != nil {
		t.Fatalf("hello is said: %v", err)
	}
	if !strings.Contains(hello.Content, "¡Hola!") || !strings.Contains(hello.Content, "me dé: «Adjuntar archivos».") {
		t.Errorf("heddle says %q, want %q in it and %q in it", hello.Content, "¡Hola!", "me dé: «Adjuntar archivos».")
	}
	r.stop()
	<-r.ended
	s.start()
	s.asks("anybody?", "Yes.")
	if said := s.discord.Chat.Messages(open); len(said) != 1 || s.own() != 1 {
		t.Errorf("it is said %d times, and %d times where heddle was before, want 1 and 0", len(said), s.own()-1)
	}
}
