package e2e_test

import (
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestWhoInstalledHeddleForThemselvesUsesItAnywhere uses heddle in a guild where it is no
// member, and between two people: it answers from what it is handed, and says where that is
// too little. Where it is a member it answers as ever.
func TestWhoInstalledHeddleForThemselvesUsesItAnywhere(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	abroad := s.discord.World.AddGuild("abroad")
	s.discord.People.Join(abroad, s.ann)
	s.discord.People.Join(abroad, s.bob)
	far := s.discord.World.AddChannel(abroad, discordtest.ChannelDraft{Name: "far"})
	said := s.postIn(far, s.ann, discordtest.Draft{Content: "the ferry leaves at nine"})
	between := s.discord.World.OpenDM(s.ann, s.bob)
	s.discord.People.AllowUserInstall(s.heddle.User)
	s.discord.People.InstallFor(s.bob, s.heddle.User)
	s.always(openaitest.Answer("At nine."))
	s.start()
	s.registered()
	uses := func(where graph.ChannelID, use discordtest.Invocation, want string) {
		t.Helper()
		id, err := s.discord.Interactions.Invoke(where, s.bob, s.heddle.User, use)
		if err != nil {
			t.Fatal(err)
		}
		s.privately(id, want)
	}
	ask := discordtest.Invocation{Command: "heddle ask", Options: map[string]any{"question": "when does the ferry leave?", "private": true}}
	for _, where := range []graph.ChannelID{far, between} {
		uses(where, ask, "At nine.\n-# I am no member here, so I can read nothing but what you give me.")
		uses(where, discordtest.Invocation{Command: "heddle help"}, "I part the threads")
		uses(where, discordtest.Invocation{Command: "heddle catchup"}, "I can't do that where I am no member.")
		uses(where, discordtest.Invocation{Command: "heddle model"}, "I can't do that where I am no member.")
	}
	uses(far, discordtest.Invocation{Command: "Show context", Target: said}, "The question alone")
	for n, request := range s.model.Requests() {
		if read := strings.Join(textsOf(request), "\n"); strings.Contains(read, "nine") || !strings.Contains(read, "when does the ferry leave?") {
			t.Errorf("request %d reads %q", n+1, read)
		}
	}
	if n := s.discord.Record.Count(discordtest.RouteMessages); n != 0 {
		t.Errorf("what heddle may not read was asked for %d times", n)
	}
	s.post(s.ann, discordtest.Draft{Content: "the loom is green"})
	id, err := s.discord.Interactions.Invoke(s.channel, s.bob, s.heddle.User, ask)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.privately(id, "At nine.").Content; got != "At nine." {
		t.Errorf("where heddle is a member bob reads %q", got)
	}
}
