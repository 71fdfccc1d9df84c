package e2e_test

import (
	"fmt"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestReadsPerMention measures the figures in docs/benchmarks.md.
func TestReadsPerMention(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Yes."))
	drafts := make([]discordtest.Draft, 1000)
	for i := range drafts {
		at := time.Now().Add(time.Duration(i-1100) * time.Minute)
		drafts[i] = discordtest.Draft{Author: s.bob, Content: fmt.Sprintf("line %d", i), At: at}
	}
	ids, err := s.discord.Chat.Backfill(s.channel, drafts)
	if err != nil {
		t.Fatal(err)
	}
	hidden := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "blind"})
	s.discord.World.SetOverwrites(hidden, discordtest.Overwrite{Member: s.heddle.User, Deny: discordtest.ReadMessageHistory})
	direct := s.discord.World.OpenDM(s.ann, s.heddle.User)
	s.start().checked(s)
	var fresh, started graph.ChannelID
	thread := func(from graph.MessageID) graph.ChannelID {
		id, err := s.discord.World.AddThread(s.channel, s.bob, discordtest.ThreadDraft{Name: "aside", Starter: from})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	for _, step := range []struct {
		what string
		draw func() (graph.ChannelID, discordtest.Draft)
		want int
	}{
		{"a channel for the first time", func() (graph.ChannelID, discordtest.Draft) { return s.channel, discordtest.Draft{} }, 1},
		{"the same channel again", func() (graph.ChannelID, discordtest.Draft) { return s.channel, discordtest.Draft{} }, 0},
		{"a reply within the last 100 messages", func() (graph.ChannelID, discordtest.Draft) { return s.channel, discordtest.Draft{ReplyTo: ids[950]} }, 0},
		{"a reply to an old message, with its neighbours", func() (graph.ChannelID, discordtest.Draft) { return s.channel, discordtest.Draft{ReplyTo: ids[300]} }, 1},
		{"a reply to a neighbour of that", func() (graph.ChannelID, discordtest.Draft) { return s.channel, discordtest.Draft{ReplyTo: ids[310]} }, 0},
		{"a direct message for the first time", func() (graph.ChannelID, discordtest.Draft) { return direct, discordtest.Draft{} }, 1},
		{"a direct message again", func() (graph.ChannelID, discordtest.Draft) { return direct, discordtest.Draft{} }, 0},
		{"a new thread from a message that is held", func() (graph.ChannelID, discordtest.Draft) {
			started = thread(ids[990])
			return started, discordtest.Draft{}
		}, 1},
		{"that thread again", func() (graph.ChannelID, discordtest.Draft) { return started, discordtest.Draft{} }, 0},
		{"a new thread from no message", func() (graph.ChannelID, discordtest.Draft) { fresh = thread(0); return fresh, discordtest.Draft{} }, 1},
		{"that thread again, once more", func() (graph.ChannelID, discordtest.Draft) { return fresh, discordtest.Draft{} }, 0},
		{"a channel whose history is denied", func() (graph.ChannelID, discordtest.Draft) { return hidden, discordtest.Draft{} }, 0},
	} {
		channel, draft := step.draw()
		got := s.reads(channel, draft)
		t.Logf("| %s | %d |", step.what, got)
		if got > step.want {
			t.Errorf("%s took %d reads, want %d", step.what, got, step.want)
		}
	}
}
