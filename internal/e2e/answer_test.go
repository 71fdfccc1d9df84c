package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
)

func TestAMentionIsAnsweredFromItsConversation(t *testing.T) {
	s := newScene(t)
	s.said(time.Minute, "ann: the loom is stuck", "bob: which one?", "ann: the big one")
	s.model.Queue(openaitest.Answer("Oil the treadles."))
	r := s.start()

	trigger := s.ask(s.ann, "what now?")

	answer := s.standsIn(s.answer(s.channel, trigger, "Oil the treadles."), "Oil the treadles.", row)
	s.same("that nobody was pinged", answer.Pings.None(), true)
	s.askedWith(1,
		"user: [speaker: ann]\nthe loom is stuck", "user: [speaker: bob]\nwhich one?",
		"user: [speaker: ann]\nthe big one", "user: [speaker: ann]\n@heddle what now?",
	)
	r.settled(s, trigger)
	made := s.discord.Record.Requests(func(r discordtest.Request) bool { return r.Route == discordtest.RouteCreateMessage })
	end := 1 // edit, unless the answer was whole when its first message was sent
	if strings.Contains(string(made[0].Body), `"heddle:why:`) {
		end = 0
	}
	s.same("creates and edits", []int{len(made), s.discord.Record.Count(discordtest.RouteEditMessage)}, []int{1, end})
}

func TestHeddlesOwnAnswersStayInTheConversation(t *testing.T) {
	s := newScene(t)
	long := "Start.\n```go\n" + strings.Repeat("fmt.Println(\"warp and weft\")\n", 120) + "```\nEnd."
	s.model.Queue(openaitest.Answer(long), openaitest.Answer("Gladly."))
	s.start()
	s.ask(s.ann, "write a program")
	last := s.says(s.channel, "End.")
	s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: "and explain it", ReplyTo: last.ID}), "Gladly.")
	s.askedWith(2, "user: [speaker: ann]\n@heddle write a program", "assistant: "+long, "user: [speaker: bob]\nand explain it")
	s.readPages(0, 1) // while the channel was cold
}

func TestStoppingEndsAnAnswerCleanly(t *testing.T) {
	s := newScene(t)
	gate := s.pauses("This is the beginning of a long answer, ", "and this is its end.")
	heddle := s.start()

	trigger := s.ask(s.ann, "tell me")
	s.begun(s.channel, trigger, "This is the beginning")
	heddle.stop()
	close(gate)
	<-heddle.ended
	s.wholeAnswer(trigger, "This is the beginning of a long answer, and this is its end.")
	s.same("the status", heddle.status, cli.StatusDone)
}

// TestReasoningThatWasShownIsReplacedOnce asks a model whose template writes the opening tag
// of its reasoning into the prompt.
func TestReasoningThatWasShownIsReplacedOnce(t *testing.T) {
	s := newScene(t)
	r := s.start()
	for _, seen := range []bool{true, false} {
		gate := s.pauses("The user wants to know more about it. ", "I am brief.</think>\n\nOil the treadles.")
		trigger := s.ask(s.ann, "what now?")
		if seen {
			s.begun(s.channel, trigger, "The user wants")
		} else {
			errtest.Must(s.model.Await(s.ctx, 2))(t)
		}
		close(gate)
		r.settled(s, trigger)
		s.standsIn(s.answer(s.channel, trigger, "Oil the treadles."), "Oil the treadles.", row)
	}
	for _, made := range s.discord.Record.Requests(func(r discordtest.Request) bool { return strings.Contains(string(r.Body), "The user wants") })[1:] {
		s.t.Errorf("%s was sent, want reasoning shown once", made.Body)
	}
	r.end()
	if data := s.prints(nil, "tree"); strings.Contains(data, "The user wants") {
		s.t.Errorf("%s is stored, want no reasoning in it", data)
	}
}

// TestAMentionMadeWhileHeddleWasAwayIsAnsweredOnce asks in a channel and in a direct message.
func TestAMentionMadeWhileHeddleWasAwayIsAnsweredOnce(t *testing.T) {
	s := newScene(t)
	direct := s.discord.World.OpenDM(s.ann, s.heddle.User)
	s.model.Queue(openaitest.Answer("Hello, Ann."))
	r := s.start()
	s.answer(direct, s.postIn(direct, s.ann, discordtest.Draft{Content: "hello"}), "Hello, Ann.")
	r.end()
	s.always(openaitest.Answer("I was away."))
	asked, still := s.ask(s.ann, "anybody there?"), s.postIn(direct, s.ann, discordtest.Draft{Content: "still there?"})
	for range 2 {
		r = s.start()
		s.answer(s.channel, asked, "I was away.")
		s.answer(direct, still, "I was away.")
		r.end()
	}
	s.start()
	s.answer(s.channel, s.ask(s.bob, "and now?"), "I was away.")
	s.askedTimes(4)
}

// TestEveryWayToAskHeddleIsAnswered asks in the ways that need more than the message itself.
// For all others see TestWhatAsksHeddle.
func TestEveryWayToAskHeddleIsAnswered(t *testing.T) {
	inScenes(t, map[string]func(*scene) (graph.ChannelID, graph.MessageID){
		"its managed role": func(s *scene) (graph.ChannelID, graph.MessageID) {
			role := s.discord.World.ManagedRole(s.guild, s.heddle.User)
			return s.channel, s.post(s.ann, discordtest.Draft{Content: "<@&" + role.String() + "> hello"})
		},
		"a reply to it, without a ping": func(s *scene) (graph.ChannelID, graph.MessageID) {
			said := s.post(s.heddle.User, discordtest.Draft{Content: "I am here."})
			return s.channel, s.post(s.ann, discordtest.Draft{Content: "hello", ReplyTo: said, NoPing: true})
		},
		"a mention in a private thread": func(s *scene) (graph.ChannelID, graph.MessageID) {
			thread := s.privateThread()
			return thread, s.askIn(thread, s.ann, "hello")
		},
	}, func(s *scene, ask func(*scene) (graph.ChannelID, graph.MessageID)) {
		s.model.Queue(openaitest.Answer("Hello, Ann."))
		s.start()
		channel, trigger := ask(s)
		s.same("that nobody was pinged", s.answer(channel, trigger, "Hello, Ann.").Pings.None(), true)
	})
}

// TestReadsPerMention measures the figures in docs/benchmarks.md.
func TestReadsPerMention(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("Yes."))
	drafts := make([]discordtest.Draft, 1000)
	for i := range drafts {
		at := time.Now().Add(time.Duration(i-1100) * time.Minute)
		drafts[i] = discordtest.Draft{Author: s.bob, Content: fmt.Sprintf("line %d", i), At: at}
	}
	ids := errtest.Must(s.discord.Chat.Backfill(s.channel, drafts))(s.t)
	hidden := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "blind"})
	s.denies(hidden, discordtest.ReadMessageHistory)
	direct := s.discord.World.OpenDM(s.ann, s.heddle.User)
	s.start().checked(s)
	took := func(what string, channel graph.ChannelID, replyTo graph.MessageID, most int) {
		t.Helper()
		s.atMost("reads of "+what, s.reads(channel, discordtest.Draft{ReplyTo: replyTo}), most)
	}
	took("a channel for the first time", s.channel, 0, 1)
	took("the same channel again", s.channel, 0, 0)
	took("a reply within the last 100 messages", s.channel, ids[950], 0)
	took("a reply to an old message, with its neighbours", s.channel, ids[300], 1)
	s.contains(s.conversation(4), "line 299\n", "line 300\n", "line 301\n")
	took("a reply to a neighbour of that", s.channel, ids[310], 0)
	took("a direct message for the first time", direct, 0, 1)
	took("a direct message again", direct, 0, 0)
	started := s.aside(ids[990])
	took("a new thread from a message that is held", started, 0, 1)
	took("that thread again", started, 0, 0)
	fresh := s.aside(0)
	took("a new thread from no message", fresh, 0, 1)
	took("that thread again, once more", fresh, 0, 0)
	took("a channel whose history is denied", hidden, 0, 0)
}
