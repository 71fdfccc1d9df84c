package e2e_test

import (
	"fmt"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// town adds guilds with Ann, Bob and heddle in them, and returns their channels.
func (s *scene) town(guilds, channels int) []graph.ChannelID {
	s.t.Helper()
	var all []graph.ChannelID
	for g := range guilds {
		guild := s.discord.World.AddGuild(fmt.Sprintf("guild %d", g))
		for _, person := range []graph.UserID{s.ann, s.bob, s.heddle.User} {
			s.discord.World.Join(guild, person)
		}
		for c := range channels {
			all = append(all, s.discord.World.AddChannel(guild, discordtest.ChannelDraft{Name: fmt.Sprintf("channel %d", c)}))
		}
	}
	return all
}

// pages returns how many pages of messages were read.
func (s *scene) pages() int { return s.discord.Record.Count(discordtest.RouteMessages) }

// TestALostSessionIsCaughtUpWithFewReads loses the session of a heddle in 200 guilds of 50
// channels, all of them active. Something was said in 53 of them that heddle did not hear,
// and it was asked in three.
func TestALostSessionIsCaughtUpWithFewReads(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	all := s.town(200, 50)
	s.always(openaitest.Answer("I was away."))
	s.start()
	for _, channel := range all {
		s.postIn(channel, s.bob, discordtest.Draft{Content: "a busy place"})
	}
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("did you hear all that?")}), "I was away.")
	for i := range 50 {
		s.drowns(all[101*i+1], 1, 0)
	}
	missed := map[graph.ChannelID]graph.MessageID{}
	for i := range 3 {
		channel := all[3001*i+7]
		missed[channel] = s.missed(channel, "anybody?", 0)
	}
	before := s.pages()
	again := s.connecting()
	s.discord.Gateway.Invalidate()
	if err := again(); err != nil {
		t.Fatal(err)
	}
	for channel, question := range missed {
		s.answer(channel, question, "I was away.")
	}
	reads := s.pages() - before
	t.Logf("%d channels took %d reads", len(all), reads)
	if most := 53 + 2*len(missed); reads > most {
		t.Errorf("%d pages were read, want %d at most", reads, most)
	}
}

// TestWherePeopleAskIsReadFirst starts heddle anew in 40 guilds of 50 channels, all of
// which are active. It was asked in one of them before, and again while it was away.
func TestWherePeopleAskIsReadFirst(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	all := s.town(40, 50)
	s.always(openaitest.Answer("Yes."))
	used := all[1234]
	r := s.start()
	first := s.postIn(used, s.ann, discordtest.Draft{Content: s.mention("are you there?")})
	s.answer(used, first, "Yes.")
	r.settled(s, first)
	r.end()
	for _, channel := range all {
		s.drowns(channel, 1, time.Minute)
	}
	missed := s.missed(used, "still there?", 0)
	before := s.pages()
	s.start()
	s.answer(used, missed, "Yes.")
	reads := s.pages() - before
	t.Logf("of %d channels, %d were read until the question was answered", len(all), reads)
	if most := 100; reads > most {
		t.Errorf("%d pages were read before, want %d at most", reads, most)
	}
	asked := s.postIn(all[len(all)-1], s.ann, discordtest.Draft{Content: s.mention("and here?")})
	s.answer(all[len(all)-1], asked, "Yes.")
}

// TestProcessesCatchUpOnceForAll starts three processes on one Redis at the same time. They
// read no more than one alone, and answer each question once.
func TestProcessesCatchUpOnceForAll(t *testing.T) {
	t.Parallel()
	reads := map[int]int{}
	for _, processes := range []int{1, 3} {
		s := newScene(t, discordtest.Options{})
		all := s.town(2, 6)
		s.always(openaitest.Answer("I was away."))
		missed := map[graph.ChannelID]graph.MessageID{}
		for _, channel := range all {
			s.drowns(channel, 1, time.Minute)
			missed[channel] = s.missed(channel, "anybody?", 0)
		}
		environ := []string{"REDIS_URL=" + s.redis().URL(), fmt.Sprintf("PROCESSES=%d", processes), "CLAIM_LEASE=5s"}
		for range processes {
			s.launch(environ...)
		}
		s.connected(processes)
		for channel, question := range missed {
			s.answer(channel, question, "I was away.")
			s.oneEach(channel)
		}
		reads[processes] = s.pages()
	}
	t.Logf("pages read by number of processes: %v", reads)
	if reads[3] > reads[1] {
		t.Errorf("three processes read %d pages, one alone %d", reads[3], reads[1])
	}
}

// TestAThreadThatWasArchivedMeanwhileIsCaughtUp has Ann ask in a thread where she had asked
// before, and in one that was begun meanwhile in a channel where she had. Both are archived
// when heddle is back.
func TestAThreadThatWasArchivedMeanwhileIsCaughtUp(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]bool{"where people had asked": true, "that was begun meanwhile": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.always(openaitest.Answer("Yes."))
			r := s.start()
			asked := s.post(s.ann, discordtest.Draft{Content: s.mention("are you there?")})
			s.answer(s.channel, asked, "Yes.")
			r.settled(s, asked)
			var thread graph.ChannelID
			if known {
				thread = s.thread("aside")
				asked = s.postIn(thread, s.ann, discordtest.Draft{Content: s.mention("and here?")})
				s.answer(thread, asked, "Yes.")
				r.settled(s, asked)
			}
			r.end()
			if !known {
				thread = s.thread("aside")
			}
			missed := s.postIn(thread, s.ann, discordtest.Draft{Content: s.mention("still there?")})
			s.discord.World.SetArchived(thread, true, false)
			s.start()
			s.answer(thread, missed, "Yes.")
		})
	}
}
