package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
)

// The question of these tests, and what was said about its subject.
const (
	kilnAsked = "how hot does the pottery kiln get?"
	kilnTold  = "the pottery kiln reaches 1280 degrees"
	kilnAfter = "but only with the small burner"
)

// tea fills a channel with messages about something else, and tells of the kiln among them, so
// many messages before the end; 0 for nowhere.
func (p *people) tea(channel graph.ChannelID, messages, back int) {
	p.t.Helper()
	drafts := make([]discordtest.Draft, messages)
	for i := range drafts {
		drafts[i] = discordtest.Draft{
			Author: []graph.UserID{p.ann, p.bob}[i%2], Content: fmt.Sprintf("cup %d of tea", i%10), At: time.Now().Add(time.Duration(i-messages) * time.Minute),
		}
	}
	if back > 0 {
		drafts[messages-back].Content, drafts[messages-back].Author = kilnTold, p.bob
		drafts[messages-back+1].Content = kilnAfter
	}
	errtest.Must(p.discord.Chat.Backfill(channel, drafts))(p.t)
}

// searches returns how often the server was searched.
func (p *people) searches() int { return p.discord.Record.Count(discordtest.RouteSearch) }

// elsewhere creates a channel in which the kiln is told of.
func (s *scene) elsewhere(draft discordtest.ChannelDraft) graph.ChannelID {
	in := s.discord.World.AddChannel(s.guild, draft)
	s.tea(in, 40, 20)
	return in
}

// TestWhatNoWindowHoldsIsSearchedFor asks in a channel that is full of something else about what
// was said far back, or in another channel. Messages are not used that the asker or heddle may not
// read, that the readers of the answer may not read, or that were taken back.
func TestWhatNoWindowHoldsIsSearchedFor(t *testing.T) {
	type variant struct {
		tells    func(*scene)
		back     int // in the channel itself
		comes    bool
		searches int
	}
	inScenes(t, map[string]variant{
		"far back in the channel":          {func(*scene) {}, 900, true, 1},
		"in another channel":               {func(s *scene) { s.elsewhere(discordtest.ChannelDraft{Name: "pottery"}) }, 0, true, 1},
		"here rather than elsewhere":       {func(s *scene) { s.elsewhere(discordtest.ChannelDraft{Name: "pottery"}) }, 900, true, 1},
		"hidden from the asker":            {func(s *scene) { hideFrom(s, s.ann) }, 0, false, 2},
		"hidden from heddle":               {func(s *scene) { hideFrom(s, s.heddle.User) }, 0, false, 2},
		"the staff's, and the asker's":     {func(s *scene) { s.elsewhere(s.staff()) }, 0, false, 2},
		"age-restricted":                   {func(s *scene) { s.elsewhere(discordtest.ChannelDraft{Name: "late", AgeRestricted: true}) }, 0, false, 2},
		"by somebody who opted out":        {func(s *scene) { s.optsOut(s.bob) }, 900, false, 2},
		"deleted since it was found":       {(*scene).deletesOnceFound, 900, false, 2},
		"nowhere":                          {func(*scene) {}, 0, false, 2},
		"in a private thread of the asker": {func(s *scene) { s.tea(s.privateThread(), 40, 20) }, 0, false, 2},
	}, func(s *scene, test variant) {
		s.tea(s.channel, 1000, test.back)
		s.always(openaitest.Answer("So it is."))
		s.start("CATCH_UP=0")
		test.tells(s)
		before := len(s.model.Requests())
		s.wholeAnswer(s.ask(s.ann, kilnAsked), "So it is.")
		read := lastRead(s.model)
		s.same("that what was said comes", strings.Contains(read, kilnTold), test.comes)
		s.same("that its conversation comes", strings.Contains(read, kilnAfter), test.comes)
		s.same("that it is named as another channel's", strings.Contains(read, `, in "#pottery", https://discord.com/channels/`), test.comes && test.back == 0)
		s.atMost("searches", s.searches(), test.searches)
		s.same("requests to the model", len(s.model.Requests())-before, 1)
	})
}

// hideFrom creates such a channel as elsewhere that everybody but one may read.
func hideFrom(s *scene, who graph.UserID) {
	in := s.elsewhere(discordtest.ChannelDraft{Name: "pottery"})
	s.discord.World.SetOverwrites(in, discordtest.Overwrite{Member: who, Deny: discordtest.ViewChannel})
}

// staff is a channel of Ann's, Bob's and heddle's.
func (s *scene) staff() discordtest.ChannelDraft {
	return discordtest.ChannelDraft{Name: "staff", Private: true, Readers: []graph.UserID{s.ann, s.bob, s.heddle.User}}
}

// optsOut has somebody opt out.
func (s *scene) optsOut(who graph.UserID) {
	s.runs(who, "heddle opt-out", nil, "From now on I don't read")
}

// deletesOnceFound deletes what the search finds before it is read.
func (s *scene) deletesOnceFound() {
	gate := make(chan struct{})
	found := s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteSearch), GateAfter: gate})
	go func() {
		defer close(gate)
		if found.Await(s.ctx, 1) != nil {
			return
		}
		for _, m := range s.discord.Chat.Messages(s.channel) {
			if m.Content == kilnTold || m.Content == kilnAfter {
				s.discord.Chat.Delete(s.channel, m.ID)
			}
		}
	}()
}

// TestPagesAreReadWhereThereIsNoSearch asks about what was said 250 messages back while Discord does
// not search. Older pages reach that.
func TestPagesAreReadWhereThereIsNoSearch(t *testing.T) {
	search := discordtest.On(discordtest.RouteSearch)
	type variant struct {
		fails    func(*scene)
		searches int // for two questions
	}
	inScenes(t, map[string]variant{
		"the index is built":        {func(s *scene) { s.discord.World.BuildIndex(s.guild, 1, 30) }, 1},
		"it never gets ready":       {func(s *scene) { s.discord.World.BuildIndex(s.guild, 1000, 3600) }, 1},
		"it may not":                {func(s *scene) { s.faults(discordtest.Refused(search, 403, 50001, "Missing Access")) }, 1},
		"it has to wait too long":   {func(s *scene) { s.faults(discordtest.TooMany(search, discordtest.ScopeUser, time.Minute)) }, 1},
		"nothing can be read of it": {func(s *scene) { s.faults(discordtest.Fault{Match: search, Status: 200, Body: `{"total_results":0}`}) }, 0},
		"it is cut":                 {func(s *scene) { s.faults(discordtest.Fault{Match: search, Cut: true}) }, 0},
		"in a direct message":       {func(s *scene) { s.channel = s.discord.World.OpenDM(s.ann, s.heddle.User) }, 0},
	}, func(s *scene, test variant) {
		test.fails(s)
		s.tea(s.channel, 1000, 250)
		s.always(openaitest.Answer("So it is."))
		s.start("CATCH_UP=0")
		s.wholeAnswer(s.ask(s.ann, kilnAsked), "So it is.")
		s.contains(lastRead(s.model), kilnTold, kilnAfter)
		s.wholeAnswer(s.ask(s.bob, "who repairs the broken zither?"), "So it is.")
		if test.searches > 0 {
			s.same("searches", s.searches(), test.searches)
		}
	})
}

// faults strikes every request that a fault applies to.
func (s *scene) faults(fault discordtest.Fault) {
	fault.Times = -1
	s.discord.Faults.Inject(fault)
}

// TestWhatIsSearchedForMayBeAnything asks by one word, for what ten thousand messages hold, in a
// language without spaces, and by signs alone.
func TestWhatIsSearchedForMayBeAnything(t *testing.T) {
	type variant struct{ said, other, question, want string }
	inScenes(t, map[string]variant{
		"one word":            {kilnTold, "", "kiln?", ""},
		"a word of many":      {"the pottery kiln burner is from Ulm", "the kiln is warm", "where is the burner of the kiln from?", "is from Ulm"},
		"without spaces":      {"窯の温度は1280度です", "", "窯の温度は何度ですか", "1280度です"},
		"signs alone":         {kilnTold, "", "???!!! …", ""},
		"a thousand words":    {kilnTold, "", strings.Repeat("kiln pottery glaze ", 60), kilnTold},
		"what searches parse": {"the `a:b -c` flag is for kilns", "", `what is "kilns" from:ann in:#x -has:link for?`, ""},
	}, func(s *scene, test variant) {
		var lines []string
		for i := range 2000 {
			line := "bob: " + test.other
			if i > 1800 || test.other == "" {
				line = fmt.Sprintf("%s: cup %d of tea", []string{"ann", "bob"}[i%2], i%10)
			}
			lines = append(lines, line)
		}
		lines[500] = "bob: " + test.said
		s.said(time.Minute, lines...)
		s.always(openaitest.Answer("So it is."))
		s.start("CATCH_UP=0")
		s.wholeAnswer(s.ask(s.ann, test.question), "So it is.")
		s.contains(lastRead(s.model), test.want)
		s.atMost("searches", s.searches(), 2)
	})
}

// TestWhoAloneReadsTheAnswerIsAnsweredFromWhatTheyMayRead asks about what was said in the staff's
// channel: by a command whose answer Ann alone reads, and then going on from it, and by one that
// everybody reads. Bob is no longer of the staff.
func TestWhoAloneReadsTheAnswerIsAnsweredFromWhatTheyMayRead(t *testing.T) {
	s := newScene(t)
	s.tea(s.channel, 200, 0)
	staff := s.elsewhere(s.staff())
	s.elsewhere(discordtest.ChannelDraft{Name: "late", AgeRestricted: true})
	s.discord.World.SetOverwrites(staff, discordtest.Overwrite{Role: graph.RoleID(s.guild), Deny: discordtest.ViewChannel},
		discordtest.Overwrite{Member: s.ann, Allow: discordtest.ViewChannel}, discordtest.Overwrite{Member: s.heddle.User, Allow: discordtest.ViewChannel})
	s.always(openaitest.Answer("So it is."))
	s.start("CATCH_UP=0")
	asks := func(who graph.UserID, private, comes bool) discordtest.Interaction {
		t.Helper()
		in := s.runs(who, "heddle ask", map[string]any{"question": kilnAsked, "private": private}, "So it is.")
		s.same("that the staff's words come", strings.Contains(lastRead(s.model), kilnTold), comes)
		return in
	}
	asks(s.bob, true, false)
	told := asks(s.ann, true, true)
	s.contains(lastRead(s.model), `, in "#staff", https://`)
	s.shown(s.asksOn(s.ann, told.Private[0], "and with the small one?"), "So it is.")
	asks(s.ann, false, false)
	s.wholeAnswer(s.ask(s.ann, "what was that about the pottery kiln?"), "So it is.")
	s.lacks(lastRead(s.model), kilnTold)
}
