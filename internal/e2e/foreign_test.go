package e2e_test

import (
	"fmt"
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
	s.postIn(far, s.ann, discordtest.Draft{Content: "the ferry leaves at nine"})
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
		uses(where, ask, "At nine.\n-# I am not a member here, so I can read only what you give me.")
		uses(where, discordtest.Invocation{Command: "heddle help"}, "I part the threads")
		uses(where, discordtest.Invocation{Command: "heddle catchup"}, "I can't do that where I am not a member.")
		uses(where, discordtest.Invocation{Command: "heddle model"}, "I can't do that where I am not a member.")
	}
	for n, request := range s.model.Requests() {
		if read := strings.Join(textsOf(request), "\n"); strings.Contains(read, "ferry leaves at nine") || !strings.Contains(read, "when does the ferry leave?") {
			t.Errorf("request %d reads %q, want no %q in it and %q in it", n+1, read, "ferry leaves at nine", "when does the ferry leave?")
		}
	}
	if n := s.discord.Record.Count(discordtest.RouteMessages); n != 0 {
		t.Errorf("what heddle may not read was asked for %d times, want 0", n)
	}
	s.post(s.ann, discordtest.Draft{Content: "the loom is green"})
	id, err := s.discord.Interactions.Invoke(s.channel, s.bob, s.heddle.User, ask)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.privately(id, "At nine.").Content; got != "At nine." {
		t.Errorf("where heddle is a member bob reads %q, want %q", got, "At nine.")
	}
}

// TestWhatDiscordHandsOfAMessageIsShown chooses Show context where heddle is no member, and
// asks on there. What somebody who opted out said is not shown.
func TestWhatDiscordHandsOfAMessageIsShown(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	abroad := s.discord.World.AddGuild("abroad")
	s.discord.People.Join(abroad, s.ann)
	s.discord.People.Join(abroad, s.bob)
	far := s.discord.World.AddChannel(abroad, discordtest.ChannelDraft{Name: "far"})
	said := s.postIn(far, s.ann, discordtest.Draft{Content: "the ferry leaves at nine"})
	late := s.postIn(far, s.bob, discordtest.Draft{Content: "at nine?", ReplyTo: said})
	s.discord.People.AllowUserInstall(s.heddle.User)
	s.discord.People.InstallFor(s.bob, s.heddle.User)
	s.always(openaitest.Answer("At nine."))
	s.start()
	s.registered()
	uses := func(use discordtest.Invocation, want string) discordtest.Message {
		t.Helper()
		id, err := s.discord.Interactions.Invoke(far, s.bob, s.heddle.User, use)
		if err != nil {
			t.Fatal(err)
		}
		return s.privately(id, want)
	}
	shows := func() string {
		return uses(discordtest.Invocation{Command: "Show context", Target: late}, "I see only what Discord shows me of this message.").Content
	}
	shown := shows()
	for _, want := range []string{"the ferry leaves at nine\n-# the question replies to it\n", "at nine?\n-# the question\n", fmt.Sprintf("/%s/%s/%s", abroad, far, late)} {
		if !strings.Contains(shown, want) {
			t.Errorf("bob is shown %q, want %q in it", shown, want)
		}
	}
	asked := uses(discordtest.Invocation{Command: "heddle ask", Options: map[string]any{"question": "when does it leave?", "private": true}}, "At nine.")
	s.ephemeral(s.asksOn(s.bob, asked, "and back?"), "> and back?\nAt nine.\n-# I am not a member here")
	if read := strings.Join(s.asked(2), "\n"); !strings.Contains(read, "when does it leave?\nassistant: At nine.\n") {
		t.Errorf("the follow-up is answered from %q, want %q in it", read, "when does it leave?\nassistant: At nine.\n")
	}
	s.runs(s.ann, "heddle opt-out", nil, "From now on I don't read")
	if shown := shows(); strings.Contains(shown, "ferry") || !strings.Contains(shown, "at nine?") {
		t.Errorf("of somebody who opted out bob is shown %q, want no %q in it and %q in it", shown, "ferry", "at nine?")
	}
}
