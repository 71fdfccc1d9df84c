package e2e_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// town adds guilds with Ann, Bob and heddle in them, and returns their channels.
func (p *people) town(guilds, channels int) []graph.ChannelID {
	p.t.Helper()
	var all []graph.ChannelID
	for g := range guilds {
		guild := p.discord.World.AddGuild(fmt.Sprintf("guild %d", g))
		for _, person := range []graph.UserID{p.ann, p.bob, p.heddle.User} {
			p.discord.People.Join(guild, person)
		}
		for c := range channels {
			all = append(all, p.discord.World.AddChannel(guild, discordtest.ChannelDraft{Name: fmt.Sprintf("channel %d", c)}))
		}
	}
	return all
}

// pages returns the number of pages of messages that heddle has read so far.
func (s *screen) pages() int { return s.discord.Record.Count(discordtest.RouteMessages) }

// TestALostSessionIsCaughtUpWithFewReads loses the session of a heddle in 200 guilds of
// 50 channels, all of them active. In 53 channels something was said that heddle did not
// hear, and in three of these it was asked.
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
		s.backlog(all[101*i+1], 1, 0)
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
		s.backlog(channel, 1, time.Minute)
	}
	missed := s.missed(used, "still there?", 0)
	before := s.pages()
	s.start()
	s.answer(used, missed, "Yes.")
	read := s.discord.Record.Requests(discordtest.On(discordtest.RouteMessages))[before:]
	reads := slices.IndexFunc(read, func(r discordtest.Request) bool { return r.Channel() == used })
	t.Logf("of %d channels, %d were read before that of the question", len(all), reads)
	if most := 100; reads < 0 || reads > most {
		t.Errorf("%d pages were read before, want %d at most", reads, most)
	}
	asked := s.postIn(all[len(all)-1], s.ann, discordtest.Draft{Content: s.mention("and here?")})
	s.answer(all[len(all)-1], asked, "Yes.")
}

// TestProcessesCatchUpOnceForAll starts three processes on one Redis at the same time. What
// one has read, the others do not read again unless something was said there since. The
// question is answered once.
func TestProcessesCatchUpOnceForAll(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	all := s.town(2, 6)
	s.always(openaitest.Answer("I was away."))
	for _, channel := range all {
		s.backlog(channel, 1, time.Minute)
	}
	missed := s.missed(all[7], "anybody?", 0)
	environ := []string{"REDIS_URL=" + s.redis().URL(), "PROCESSES=3", "CLAIM_LEASE=2s"}
	var running []*running
	for range 3 {
		running = append(running, s.launch(environ...))
	}
	s.connected(3)
	s.answer(all[7], missed, "I was away.")
	last := map[graph.ChannelID]graph.MessageID{}
	for _, channel := range all { // each process has read its channels before it answers
		last[channel] = s.postIn(channel, s.ann, discordtest.Draft{Content: s.mention("and now?")})
	}
	for channel, question := range last {
		s.answer(channel, question, "I was away.")
		s.oneEach(channel)
	}
	for _, r := range running {
		r.end()
	}
	newest := map[string]int{}
	for _, r := range s.discord.Record.Requests(discordtest.On(discordtest.RouteMessages)) {
		if len(r.Query) == 1 {
			newest[r.Path]++
		}
	}
	again := 0
	for _, reads := range newest {
		again += reads - 1
	}
	t.Logf("three processes read %d channels, %d of them again", len(newest), again)
	if again > 2 { // heddle's answer may come between the connections of two processes
		t.Errorf("the channels were read %v times, want %d of these reads to repeat an earlier one, or fewer", newest, 2)
	}
}

// TestAThreadThatWasArchivedMeanwhileIsCaughtUp has Ann ask in two threads while heddle
// is away: in one where she had asked before, and in a new one of a channel where she had
// asked before. Both are archived when heddle is back.
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

// TestAThreadOfASingleAbsenceIsCaughtUp has Ann begin a thread while heddle is away, in a
// channel where nobody ever asked, and ask in it. The thread is archived when heddle is back.
func TestAThreadOfASingleAbsenceIsCaughtUp(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(s *scene, in graph.ChannelID) (discordtest.ThreadDraft, graph.ChannelID){
		"by itself": func(_ *scene, in graph.ChannelID) (discordtest.ThreadDraft, graph.ChannelID) {
			return discordtest.ThreadDraft{Name: "aside"}, in
		},
		"from a message": func(s *scene, in graph.ChannelID) (discordtest.ThreadDraft, graph.ChannelID) {
			return discordtest.ThreadDraft{Name: "aside", Starter: s.postIn(in, s.bob, discordtest.Draft{Content: "looms"})}, in
		},
		"in a forum": func(s *scene, _ graph.ChannelID) (discordtest.ThreadDraft, graph.ChannelID) {
			return discordtest.ThreadDraft{Name: "aside"}, s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "forum", Kind: discordtest.Forum})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.always(openaitest.Answer("Yes."))
			quiet := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "quiet"})
			r := s.start()
			s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("are you there?")}), "Yes.")
			r.end()
			draft, in := begin(s, quiet)
			thread, err := s.discord.World.AddThread(in, s.ann, draft)
			if err != nil {
				t.Fatal(err)
			}
			missed := s.postIn(thread, s.ann, discordtest.Draft{Content: s.mention("anybody?")})
			s.discord.World.SetArchived(thread, true, false)
			before := len(s.discord.Record.Requests(nil))
			s.start()
			s.answer(thread, missed, "Yes.")
			t.Logf("it took %d requests", len(s.discord.Record.Requests(nil))-before)
		})
	}
}

// TestAThreadThatNothingInItsChannelTellsOfIsCaughtUp has Ann ask in threads of which
// nothing in their channel tells when heddle is back: private threads, and a thread that
// was begun from an old message.
func TestAThreadThatNothingInItsChannelTellsOfIsCaughtUp(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ private, archived, used, before bool }{
		"private":              {private: true},
		"private and archived": {private: true, archived: true},
		"private and archived, where people had asked":             {private: true, archived: true, used: true},
		"private and archived, begun before":                       {private: true, archived: true, before: true},
		"from an old message":                                      {},
		"from an old message and archived":                         {archived: true},
		"from an old message and archived, where people had asked": {archived: true, used: true},
		"from an old message and archived, begun before":           {archived: true, before: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.always(openaitest.Answer("Yes."))
			in := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "quiet"})
			old, err := s.discord.Chat.Backfill(in, []discordtest.Draft{{Author: s.bob, Content: "looms", At: time.Now().Add(-time.Hour)}})
			if err != nil {
				t.Fatal(err)
			}
			draft := discordtest.ThreadDraft{Name: "aside", Starter: old[0]}
			if test.private {
				draft = discordtest.ThreadDraft{Name: "aside", Private: true, Members: []graph.UserID{s.bob, s.heddle.User}}
			}
			var thread graph.ChannelID
			begin := func() {
				if thread, err = s.discord.World.AddThread(in, s.ann, draft); err != nil {
					t.Fatal(err)
				}
			}
			if test.before {
				begin()
			}
			r := s.start()
			asks := s.channel
			if test.used {
				asks = in
			}
			asked := s.postIn(asks, s.ann, discordtest.Draft{Content: s.mention("are you there?")})
			s.answer(asks, asked, "Yes.")
			r.settled(s, asked)
			r.end()
			if !test.before {
				begin()
			}
			missed := s.postIn(thread, s.ann, discordtest.Draft{Content: s.mention("anybody?")})
			if test.archived {
				s.discord.World.SetArchived(thread, true, false)
			}
			before := len(s.discord.Record.Requests(nil))
			s.start()
			s.answer(thread, missed, "Yes.")
			t.Logf("it took %d requests", len(s.discord.Record.Requests(nil))-before)
		})
	}
}
