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

// TestWhoeverAsksDecidesWhatIsRead has Bob ask, who may not read the history, although heddle
// and Ann may: by himself, and for another answer to her question, by a word and by a button.
// Which permissions matter in which places see TestNothingReachesTheModelThatTheAskerMayNotRead.
func TestWhoeverAsksDecidesWhatIsRead(t *testing.T) {
	inScenes(t, map[string]bool{"in a channel": false, "in a thread": true}, func(s *scene, inThread bool) {
		in := s.hiddenFromBob()
		if inThread {
			in = s.threadIn(in)
			s.postIn(in, s.ann, discordtest.Draft{Content: "the secret room is 9", At: time.Now().Add(-48 * time.Hour)})
		}
		s.always(openaitest.Answer("Yes."))
		s.start()
		s.postIn(in, s.ann, discordtest.Draft{Content: "the other secret room is 10"})
		s.answer(in, s.askIn(in, s.bob, "which room?"), notForYou)
		if !inThread { // a new thread is caught up
			s.readPages(0, 0)
		}
		s.askedWith(1, "user: [speaker: bob]\n@heddle which room?")
		s.contains(s.tail(1), "may not read this channel's history")
		told := s.answered(in, "which room?", "Yes.")
		s.contains(s.conversation(2), "the secret room is 9", "the other secret room is 10")
		again := s.postIn(in, s.bob, discordtest.Draft{Content: s.mention("again"), ReplyTo: told.ID})
		s.press(s.bob, s.answer(in, again, notForYou), "↻")
		for _, n := range []int{1, 3, 4} {
			s.lacks(s.conversation(n)+s.tail(n), "secret")
		}
		s.same("members read", s.discord.Record.Count(discordtest.RouteGuildMember), 0)
	})
}

// threadIn creates an empty thread in a channel.
func (p *people) threadIn(channel graph.ChannelID) graph.ChannelID {
	p.t.Helper()
	return errtest.Must(p.discord.World.AddThread(channel, p.ann, discordtest.ThreadDraft{Name: "aside"}))(p.t)
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
	s.contains(s.conversation(1), "room 7")
	s.lacks(s.conversation(1), "secret")
	s.contains(s.tail(1), "you know only what you heard yourself")
	s.readPages(0, 0)
}

// TestAForwardOpensNoOtherChannel forwards a message of a channel that Ann may not read
// and heddle may. Ann is answered from the copy, which Discord shows everybody who reads
// the forward; of the channel that it comes from only that message is looked up, once, and
// nothing is read, neither for her nor for Bob, who may read it.
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
	r := s.start()
	forward := s.postIn(thread, s.bob, discordtest.Draft{Forward: told, ForwardFrom: source})
	below := forward
	for i, asker := range []graph.UserID{s.ann, s.bob, s.ann} {
		asked := s.postIn(thread, asker, discordtest.Draft{Content: s.mention("when do they move?"), ReplyTo: below})
		below = r.answer(s, thread, asked, "Yes.").ID // the next one goes on from it
		s.contains(s.conversation(i+1), "the looms move on Friday")
		s.same("earlier answers", strings.Count(s.conversation(i+1), "assistant: Yes."), i)
		s.lacks(s.conversation(i+1), "secret")
	}
	reads := s.discord.Record.Requests(func(r discordtest.Request) bool { return r.Channel() == source })
	s.same("requests to the channel that was forwarded from", len(reads), 1)
	s.contains(reads[0].Path+"$", "/messages/"+told.String()+"$")
}
