package dispatch_test

import (
	"fmt"
	"testing"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
)

// TestAPrivateThreadBehindManyOthersIsCaughtUp archives a question's private thread behind
// others that began later and that heddle is a member of, too. It takes three pages to
// find it.
func TestAPrivateThreadBehindManyOthersIsCaughtUp(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.replies("found")
	begin := func(name string) graph.ChannelID {
		thread, err := s.Discord.World.AddThread(s.Channel, s.Ann, discordtest.ThreadDraft{
			Name: name, Private: true, Members: []graph.UserID{s.Self},
		})
		if err != nil {
			t.Fatal(err)
		}
		return thread
	}
	thread := begin("aside")
	s.PostIn(thread, s.Ann, discordtest.Draft{Content: s.Mention("missed?")})
	s.Discord.World.SetArchived(thread, true, false)
	for n := range 250 {
		s.Discord.World.SetArchived(begin(fmt.Sprintf("other %d", n)), true, false)
	}
	before := s.Discord.Record.Count(discordtest.RouteArchivedJoined)
	s.d.CatchUpGuild(&discord.Guild{ID: s.Guild, Channels: s.listed()})
	s.awaits(thread, "found")
	if pages := s.Discord.Record.Count(discordtest.RouteArchivedJoined) - before; pages != 3 {
		t.Errorf("%d pages of private threads were read, want 3", pages)
	}
}
