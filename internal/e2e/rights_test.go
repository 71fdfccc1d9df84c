package e2e_test

import (
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
)

// notForYou is what stands below an answer to somebody who may not read the history.
const notForYou = "Yes.\n-# You can't read this channel's history, so I answered from your message alone."

// TestTheAskerDecidesWhatIsRead asks in places whose history the one who asks may not
// read, although heddle and others may.
func TestTheAskerDecidesWhatIsRead(t *testing.T) {
	type variant struct {
		draft discordtest.ChannelDraft
		deny  discordtest.Permission
		in    func(s *scene, channel graph.ChannelID) graph.ChannelID
	}
	inScenes(t, map[string]variant{
		"history denied":             {deny: discordtest.ReadMessageHistory},
		"view denied":                {deny: discordtest.ViewChannel},
		"a voice channel, no entry":  {draft: discordtest.ChannelDraft{Kind: discordtest.Voice}, deny: discordtest.Connect},
		"a thread of such a channel": {deny: discordtest.ReadMessageHistory, in: (*scene).threadIn},
	}, func(s *scene, test variant) {
		test.draft.Name = "hidden"
		channel := s.discord.World.AddChannel(s.guild, test.draft)
		s.discord.World.SetOverwrites(channel, discordtest.Overwrite{Member: s.bob, Deny: test.deny})
		if test.in != nil {
			channel = test.in(s, channel)
		}
		s.postIn(channel, s.ann, discordtest.Draft{Content: "the secret room is 9", At: time.Now().Add(-48 * time.Hour)})
		s.always(openaitest.Answer("Yes."))
		s.start()
		s.postIn(channel, s.ann, discordtest.Draft{Content: "the other one is 10"})
		ask := discordtest.Draft{Content: s.mention("which room?")}
		s.answer(channel, s.postIn(channel, s.bob, ask), notForYou)
		if test.in == nil { // a new thread is caught up
			s.readPages(0)
		}
		if got := s.asked(1); len(got) != 1 || strings.Contains(s.tail(1), "room") || !strings.Contains(s.tail(1), "may not read this channel's history") {
			s.t.Errorf("the model was asked %q beside %q, want one of them, no %q in it and %q in it", got, s.tail(1), "room", "may not read this channel's history")
		}
		s.answer(channel, s.postIn(channel, s.ann, ask), "Yes.")
		s.contains(strings.Join(s.asked(2), "\n"), "the secret room is 9", "the other one is 10")
		if reads := s.discord.Record.Count(discordtest.RouteGuildMember); reads != 0 {
			s.t.Errorf("%d members were read, want 0", reads)
		}
	})
}

// threadIn creates an empty thread in a channel.
func (p *people) threadIn(channel graph.ChannelID) graph.ChannelID {
	p.t.Helper()
	return errtest.Must(p.discord.World.AddThread(channel, p.ann, discordtest.ThreadDraft{Name: "aside"}))(p.t)
}

// TestWhoeverAsksAgainDecidesWhatIsRead lets somebody who may not read the history ask
// for another answer to a question of somebody who may: by a word, and by a button.
func TestWhoeverAsksAgainDecidesWhatIsRead(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("Yes."))
	hidden := s.hiddenFromBob()
	s.start()
	told := s.answer(hidden, s.postIn(hidden, s.ann, discordtest.Draft{Content: s.mention("which room?")}), "Yes.")
	again := s.postIn(hidden, s.bob, discordtest.Draft{Content: s.mention("again"), ReplyTo: told.ID})
	second := s.answer(hidden, again, notForYou)
	s.press(s.bob, second, "↻")
	for n, want := range []bool{true, false, false} {
		if got := strings.Join(s.asked(n+1), "\n"); strings.Contains(got, "secret") != want {
			t.Errorf("request %d asks %q, want the secret in it: %t", n+1, got, want)
		}
	}
}

// TestWhatHeddleHeardItselfIsToldOf denies heddle the history and lets something be said
// while it listens. People read of it once.
func TestWhatHeddleHeardItselfIsToldOf(t *testing.T) {
	s := newScene(t)
	s.said(time.Hour, "bob: a secret of the past")
	s.denies(s.channel, discordtest.ReadMessageHistory)
	s.always(openaitest.Answer("I see this."))
	s.start()
	s.post(s.bob, discordtest.Draft{Content: "the loom is in room 7"})
	const told = "I see this.\n-# I can't read this channel's history, only what is said while I'm here. Ask an admin to give me Read Message History."
	for _, want := range []string{told, "I see this."} {
		s.ask(s.ann, "where is the loom?")
		s.posted(s.channel, want, func(m discordtest.Message) bool { return m.Content == want })
	}
	s.contains(strings.Join(s.asked(1), "\n"), "room 7")
	s.lacks(strings.Join(s.asked(1), "\n"), "secret")
	s.contains(s.tail(1), "you know only what you heard yourself")
	s.readPages(0)
}

// TestAForwardOpensNoOtherChannel forwards a message of a channel that Ann may not read
// and heddle may. Ann is answered from the copy, which Discord shows everybody who reads
// the forward; the channel that it comes from is not read, neither for her nor for Bob,
// who may read it.
func TestAForwardOpensNoOtherChannel(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("Yes."))
	source := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "staff"})
	s.discord.World.SetOverwrites(source, discordtest.Overwrite{Member: s.ann, Deny: discordtest.ViewChannel})
	long := time.Now().Add(-48 * time.Hour) // so that it is not caught up
	s.postIn(source, s.bob, discordtest.Draft{Content: "the secret room is 9", At: long})
	told := s.postIn(source, s.bob, discordtest.Draft{Content: "the looms move on Friday", At: long.Add(time.Minute)})
	s.postIn(source, s.bob, discordtest.Draft{Content: "the secret door is green", At: long.Add(2 * time.Minute), ReplyTo: told})
	thread := s.thread("aside")
	s.start()
	forward := s.postIn(thread, s.bob, discordtest.Draft{Forward: told, ForwardFrom: source})
	for i, asker := range []graph.UserID{s.ann, s.bob} {
		question := s.postIn(thread, asker, discordtest.Draft{Content: s.mention("when do they move?"), ReplyTo: forward})
		s.answer(thread, question, "Yes.")
		s.contains(strings.Join(s.asked(i+1), "\n"), "the looms move on Friday")
		s.lacks(strings.Join(s.asked(i+1), "\n"), "secret")
	}
	if reads := s.discord.Record.Requests(func(r discordtest.Request) bool { return r.Channel() == source }); len(reads) != 0 {
		t.Errorf("the channel that was forwarded from took the requests %+v, want none", reads)
	}
}
