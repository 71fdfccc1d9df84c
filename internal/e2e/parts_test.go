package e2e_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/wait"
)

// severalMessages is how Ann continues a question.
type severalMessages struct {
	direct bool
	more   []discordtest.Draft
	reads  []string // what the model reads of the question
	hears  int      // how many of the messages heddle hears; the others are said while it is away
	back   bool     // the others are said once it is back
}

// TestAQuestionInSeveralMessagesIsAnsweredOnce has Ann continue her question with a screenshot, with
// a forward, or with words in direct messages. heddle hears, is away, or hears the question alone.
// It answers all of them once, below the last. A restart later the answer follows an edit of the
// second message, and goes with it.
func TestAQuestionInSeveralMessagesIsAnsweredOnce(t *testing.T) { //nolint:funlen // its rows tell one thing
	all := map[string]severalMessages{}
	for name, kind := range map[string]severalMessages{
		"a screenshot": {false, []discordtest.Draft{{Attachments: file("loom.txt", "text/plain", []byte("the warp tore"))}}, []string{"what is this?", "the warp tore"}, 0, false},
		"a forward":    {false, []discordtest.Draft{{}}, []string{"what is this?", "warps are lengthwise"}, 0, false},
		"direct words": {true, []discordtest.Draft{{Content: "it is in a loom"}, {Content: "and it tore"}}, []string{"what is this?", "it is in a loom", "and it tore"}, 0, false},
	} {
		for heard, hears := range map[string]int{"heard": 9, "missed": 0, "begun": 1, "begun twice": 1} {
			kind.hears, kind.back = hears, heard == "begun twice"
			all[name+", "+heard] = kind
		}
	}
	inScenes(t, all, func(s *scene, test severalMessages) {
		channel, ask := s.channel, s.mention("what is this?")
		if test.direct {
			channel, ask = s.discord.World.OpenDM(s.ann, s.heddle.User), "what is this?"
		}
		elsewhere := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "elsewhere"})
		warps := s.postIn(elsewhere, s.bob, discordtest.Draft{Content: "warps are lengthwise"})
		s.always(openaitest.Answer("It is a warp."))
		r := s.start("SHUTDOWN_GRACE=1ms")
		if test.direct {
			hello := s.postIn(channel, s.ann, discordtest.Draft{Content: "hello"})
			s.answer(channel, hello, "It is a warp.")
			r.settled(s, hello)
		}
		before, allSaid, answer := len(s.model.Requests()), make(chan struct{}), openaitest.Answer("It is a warp.")
		answer.Wait = allSaid
		s.always(answer)
		var parts []graph.MessageID
		for i, draft := range append([]discordtest.Draft{{Content: ask}}, test.more...) {
			if i == test.hears {
				r.end()
			}
			if i == test.hears && test.back {
				r = s.start()
				s.asked(before + 2)
			}
			if draft.Content == "" && draft.Attachments == nil {
				draft.Forward, draft.ForwardFrom = warps, elsewhere
			}
			s.ok(wait.For(s.ctx, 2*time.Millisecond)) // ids tell milliseconds, and nobody sends two messages in one
			parts = append(parts, s.postIn(channel, s.ann, draft))
			if test.hears > i || test.back {
				s.isAsked(test.reads[:i+1]) // otherwise the next part may miss the request that it ends
			}
		}
		if test.hears < len(parts) && !test.back {
			r = s.start()
		}
		s.isAsked(test.reads)
		close(allSaid)
		last := parts[len(parts)-1]
		stands := s.answer(channel, last, "It is a warp.")
		r.settled(s, parts[0])
		answered := func() []discordtest.Message { return s.answersOf(channel)[last] }
		s.same("answers", len(answered()), 1)
		r.end()
		r = s.start()
		if edited := test.more[len(test.more)-1]; edited.Content != "" || edited.Attachments != nil { // nobody edits a forward
			s.always(openaitest.Answer("It is a weft."))
			s.ok(s.discord.Chat.Edit(channel, last, "oh, look at this"))
			s.same("the message of the answer to the edit", s.answer(channel, last, "It is a weft.").ID, stands.ID)
			r.settled(s, parts[0])
		}
		s.discord.Chat.Delete(channel, last)
		s.until("the answer is gone", func() bool { return len(answered()) == 0 })
	})
}

// isAsked waits until the model is asked about all of some texts.
func (s *scene) isAsked(texts []string) {
	s.t.Helper()
	for asked := ""; slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(asked, text) }); {
		if n := len(s.model.Requests()); n > 0 {
			asked = s.conversation(n)
		}
		s.ok(wait.For(s.ctx, 5*time.Millisecond))
	}
}

// TestALateEditAsksNothing has Ann edit a mention into what she said long before, while heddle hears or
// is away.
func TestALateEditAsksNothing(t *testing.T) {
	inScenes(t, map[string]bool{"heard": false, "missed": true}, func(s *scene, away bool) {
		s.always(openaitest.Answer("Yes."))
		said := s.said(time.Minute, "ann: is a warp lengthwise?", "bob: who knows?", "bob: nobody", "bob: so it is")[0]
		r := s.start()
		if away {
			r.end()
		}
		s.edit(said, s.mention("is a warp lengthwise?"))
		if away {
			s.start()
		}
		s.answered(s.channel, "is a weft crosswise?", "Yes.")
		s.noAnswer(s.channel, said)
		s.askedTimes(1)
	})
}

// TestASecondMentionIsASecondQuestion has Ann mention heddle twice, with words, and post a picture
// for Bob.
func TestASecondMentionIsASecondQuestion(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("Yes."))
	s.start()
	questions := []graph.MessageID{s.ask(s.ann, "is a warp lengthwise?"), s.ask(s.ann, "is a weft crosswise?")}
	forBob := s.post(s.ann, discordtest.Draft{Content: "<@" + s.bob.String() + "> look", Attachments: file("loom.txt", "text/plain", []byte("a loom"))})
	for _, question := range questions {
		s.wholeAnswer(question, "Yes.")
	}
	s.noAnswer(s.channel, forBob)
	s.askedTimes(2)
}

// TestWhatAProxyPostsForSomebodyWhoOptedOutIsNotAnswered has Ann opt out, and ask through a proxy that
// heddle sees her own message of.
func TestWhatAProxyPostsForSomebodyWhoOptedOutIsNotAnswered(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("Yes."))
	r := s.start("ALLOW_BOTS=4000001")
	s.answer(s.channel, s.ask(s.ann, "opt out"), "")
	question := s.ask(s.ann, "is a warp lengthwise?")
	s.answer(s.channel, question, "")
	posted := s.post(4_000_001, discordtest.Draft{Content: s.mention("is a warp lengthwise?"), Webhook: "Ann's loom"})
	s.awaits(&r.logs, `msg="what a proxy posted for somebody who opted out is not answered" trigger=`+posted.String())
	s.discord.Chat.Delete(s.channel, question)
	r.wholeAnswer(s, s.ask(s.bob, "is a weft crosswise?"), "Yes.")
	s.noAnswer(s.channel, posted)
}

// TestWhatAProxyPostsIsAnsweredOnce has Ann speak through a proxy, which posts what she says by a
// webhook and deletes it. Whatever comes first, and however often heddle is killed, one answer
// stands, below the copy, and follows the edits that the proxy makes.
func TestWhatAProxyPostsIsAnsweredOnce(t *testing.T) {
	const proxy = 4_000_001
	type step uint8
	const (
		copies step = iota
		deletes
		dies // and runs again
		answers
	)
	inScenes(t, map[string][]step{
		"copied, then deleted":             {copies, deletes},
		"deleted, then copied":             {deletes, copies},
		"copied, and left":                 {copies},
		"answered, then copied":            {answers, copies, deletes},
		"killed before the copy":           {dies, copies, deletes},
		"killed between copy and deletion": {copies, dies, deletes},
		"killed behind the deletion":       {copies, deletes, dies},
		"killed, and deleted before":       {deletes, dies, copies},
		"answered, and killed":             {answers, copies, dies, deletes},
	}, func(s *scene, steps []step) {
		redis := s.redis()
		environ := []string{"REDIS_URL=" + redis.URL(), "CLAIM_LEASE=2s", "ALLOW_BOTS=4000001"}
		said := openaitest.Answer("It is a warp.")
		if !slices.Contains(steps, answers) {
			goesOn := s.waits("Too early.")
			defer close(goesOn)
		}
		s.always(said)
		owner := s.spawn(environ...)
		question := s.ask(s.ann, "what is this?")
		s.asked(1)
		var posted graph.MessageID
		for _, step := range steps {
			switch step {
			case copies:
				posted = s.post(proxy, discordtest.Draft{Content: s.mention("what is this?"), Webhook: "Ann's loom"})
			case deletes:
				s.discord.Chat.Delete(s.channel, question)
			case dies:
				owner.kill()
				owner = s.spawn(environ...)
			case answers:
				s.answer(s.channel, question, "It is a warp.")
			}
		}
		s.answer(s.channel, posted, "It is a warp.")
		s.until("one answer stands", func() bool { return s.own() == 1 && len(s.answersOf(s.channel)[posted]) == 1 })
		s.awaits(&owner.logs, `msg="a task is done" trigger=`+posted.String())
		s.always(openaitest.Answer("It is a weft."))
		s.edit(posted, s.mention("what is that?"))
		s.wholeAnswer(posted, "It is a weft.")
		s.hasSaid(1)
	})
}
