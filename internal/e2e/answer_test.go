package e2e_test

import (
	"fmt"
	"slices"
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
	if !answer.Pings.None() {
		t.Errorf("the answer pinged %+v, want None() true", answer.Pings)
	}
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
	if edited := s.discord.Record.Count(discordtest.RouteEditMessage); len(made) != 1 || edited != end {
		t.Errorf("the answer and its buttons took %d creates and %d edits, want 1 and %d", len(made), edited, end)
	}
}

func TestAReplyPullsAnOldMessageAndItsNeighboursIn(t *testing.T) {
	s := newScene(t)
	long := time.Now().Add(-90 * 24 * time.Hour)
	var drafts []discordtest.Draft
	for i, text := range []string{"the recipe:", "two parts warp", "one part weft"} {
		drafts = append(drafts, discordtest.Draft{Author: s.bob, Content: text, At: long.Add(time.Duration(i) * time.Minute)})
	}
	for i := range 300 {
		drafts = append(drafts, discordtest.Draft{Author: s.bob, Content: "chatter", At: long.Add(time.Duration(i+1) * 6 * time.Hour)})
	}
	ids := errtest.Must(s.discord.Chat.Backfill(s.channel, drafts))(s.t)
	s.model.Queue(openaitest.Answer("Three parts in all."))
	s.start("MIN_LINEAR=2")

	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("and?"), ReplyTo: ids[1]}) // nothing in it points further back

	s.answer(s.channel, trigger, "Three parts in all.")
	got := s.asked(1)
	for _, want := range []string{"the recipe:", "two parts warp", "one part weft"} {
		if !slices.Contains(got, "user: [speaker: bob]\n"+want) {
			t.Errorf("%q is not in the context %q, want %q among them", want, got, "user: [speaker: bob]\n"+want)
		}
	}
	s.readPages(2) // of a cold channel with one old reference
}

func TestHeddlesOwnAnswersStayInTheConversation(t *testing.T) {
	s := newScene(t)
	long := "Start.\n```go\n" + strings.Repeat("fmt.Println(\"warp and weft\")\n", 120) + "```\nEnd."
	s.model.Queue(openaitest.Answer(long), openaitest.Answer("Gladly."))
	s.start()

	s.ask(s.ann, "write a program")
	last := s.says(s.channel, "End.")
	second := s.post(s.bob, discordtest.Draft{Content: "and explain it", ReplyTo: last.ID})

	s.answer(s.channel, second, "Gladly.")
	s.askedWith(2, "user: [speaker: ann]\n@heddle write a program", "assistant: "+long, "user: [speaker: bob]\nand explain it")
	s.readPages(1) // while the channel was cold
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
	answers := s.answersOf(s.channel)[trigger]
	if want := "This is the beginning of a long answer, and this is its end."; len(answers) != 1 || answers[0].Content != want || heddle.status != cli.StatusDone {
		t.Errorf("stopped with status %d in the middle of an answer that then reads %+v, want %q", heddle.status, answers, want)
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
			thread, err := s.discord.World.AddThread(s.channel, s.ann, discordtest.ThreadDraft{
				Name: "aside", Private: true, Members: []graph.UserID{s.heddle.User},
			})
			s.ok(err)
			return thread, s.postIn(thread, s.ann, discordtest.Draft{Content: s.mention("hello")})
		},
	}, func(s *scene, ask func(*scene) (graph.ChannelID, graph.MessageID)) {
		s.model.Queue(openaitest.Answer("Hello, Ann."))
		s.start()
		channel, trigger := ask(s)
		if answer := s.answer(channel, trigger, "Hello, Ann."); !answer.Pings.None() {
			s.t.Errorf("the answer pinged %+v, want None() true", answer.Pings)
		}
	})
}

// TestAHiddenChannelIsAScopeOfItsOwn proves that an answer given where few may read
// is not given again elsewhere, and is in another thread of the same channel.
func TestAHiddenChannelIsAScopeOfItsOwn(t *testing.T) {
	s := newScene(t)
	hidden := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "staff", Private: true})
	hideFromMost(s, hidden)
	s.model.Queue(openaitest.Answer("The secret one."), openaitest.Answer("The public one."))
	s.start()
	ask := func(parent graph.ChannelID) string {
		thread := errtest.Must(s.discord.World.AddThread(parent, s.ann, discordtest.ThreadDraft{Name: "plan"}))(s.t)
		return s.answer(thread, s.postIn(thread, s.ann, discordtest.Draft{Content: s.mention("which plan?")}), "one.").Content
	}
	if got := ask(hidden); got != "The secret one." {
		t.Errorf("the first answer is %q, want %q", got, "The secret one.")
	}
	if got := ask(hidden); !strings.HasPrefix(got, "The secret one.\n-# Answered before") {
		t.Errorf("another thread of the hidden channel is answered with %q, want %q at its start", got, "The secret one.\n-# Answered before")
	}
	if got := ask(s.channel); got != "The public one." {
		t.Errorf("elsewhere it is answered with %q, want %q", got, "The public one.")
	}
}

func TestAnAnswerPingsNobody(t *testing.T) {
	t.Parallel()
	s := sceneOn(t, discordtest.Options{Limits: discordtest.DefaultLimits()})
	role := s.discord.World.AddRole(s.guild, "weavers", 0, true)
	names := fmt.Sprintf("@everyone @here <@&%s> <@%s> <@!%s> ", role, s.bob, s.ann)
	long := strings.Repeat(names+"and some more words. ", 60)
	s.model.Queue(openaitest.Answer(strings.SplitAfter(long+"The end.", " ")...))
	s.start()
	s.ask(s.ann, "call them all")
	s.says(s.channel, "The end.")
	parts := 0
	for _, answers := range s.answersOf(s.channel) {
		for _, m := range answers {
			parts++
			if !m.Pings.None() || m.MentionEveryone {
				t.Errorf("a part of the answer pinged %+v, want nobody", m.Pings)
			}
		}
	}
	if parts < 2 {
		t.Errorf("the answer came in %d parts, want at least 2", parts)
	}
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
	s.discord.World.SetOverwrites(hidden, discordtest.Overwrite{Member: s.heddle.User, Deny: discordtest.ReadMessageHistory})
	direct := s.discord.World.OpenDM(s.ann, s.heddle.User)
	s.start().checked(s)
	var fresh, started graph.ChannelID
	thread := func(from graph.MessageID) graph.ChannelID {
		return errtest.Must(s.discord.World.AddThread(s.channel, s.bob, discordtest.ThreadDraft{Name: "aside", Starter: from}))(s.t)
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
