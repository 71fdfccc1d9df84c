package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// overPerson is what somebody is told who may ask no more.
const overPerson = "as much as one person is allowed to"

// refused waits until heddle says, in place of an answer, when it will answer the author
// again.
func (s *screen) refused(trigger graph.MessageID) {
	s.t.Helper()
	m := s.answer(s.channel, trigger, overPerson)
	if !strings.Contains(m.Content, "<t:") || !strings.HasSuffix(m.Content, ":R>.") {
		s.t.Errorf("heddle does not say when it goes on: %q, want %q in it and %q at its end", m.Content, "<t:", ":R>.")
	}
}

// ask has somebody mention heddle in the scene's channel.
func (p *people) ask(author graph.UserID, text string) graph.MessageID {
	p.t.Helper()
	return p.post(author, discordtest.Draft{Content: p.mention(text)})
}

// TestAPersonsLimitHoldsForMentionsEditsAndAgain has Ann use up four requests in
// different ways. A fifth is refused, before and after a restart. Bob is still answered.
func TestAPersonsLimitHoldsForMentionsEditsAndAgain(t *testing.T) {
	s := newScene(t)
	s.environ = append(s.environ, "LIMIT_PERSON=4 requests/day", "TOOLS=off")
	r := s.start()
	_, second := s.joked() // a mention, and "again"
	s.model.Queue(openaitest.Answer("A joke about looms."))
	s.press(s.ann, second, "↻")
	s.answer(s.channel, second.Reference.Message, "A joke about looms.")
	s.model.Queue(openaitest.Answer("Indigo."), openaitest.Answer("Bob's."), openaitest.Answer("Bob's."))
	asked := s.ask(s.ann, "which colour?")
	s.answer(s.channel, asked, "Indigo.")
	s.refused(s.ask(s.ann, "which thread?"))
	changed, _ := s.discord.Chat.Message(s.channel, second.ID)
	s.ephemeral(s.press(s.ann, changed, "↻"), overPerson)
	s.answer(s.channel, s.ask(s.bob, "and I?"), "Bob's.")
	s.edit(asked, s.mention("which shuttle?"))
	s.awaits(&r.logs, `msg="a task is done" trigger=`+asked.String()+` channel=`+s.channel.String()+` request=_t`+asked.String()+`.`)
	r.end()
	s.start()
	s.refused(s.ask(s.ann, "which warp?"))
	s.answer(s.channel, s.ask(s.bob, "and still I?"), "Bob's.")
	s.says(s.channel, "A joke about looms.")
	s.askedTimes(6)
}

// TestAFloodOverALimitIsToldOnce has Ann and Bob ask far more than they may. Each gets
// one sentence about it in each channel.
func TestAFloodOverALimitIsToldOnce(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("Yes."))
	r := s.start("LIMIT_PERSON=1 requests/day", "TOOLS=off")
	elsewhere := s.thread("elsewhere")
	var last graph.MessageID
	for _, person := range []graph.UserID{s.ann, s.bob} {
		s.answer(s.channel, s.ask(person, "may I?"), "Yes.")
		s.refused(s.ask(person, "may I once more?"))
		for i := range 20 {
			last = s.ask(person, fmt.Sprintf("and %d?", i))
		}
		s.answer(elsewhere, s.askIn(elsewhere, person, "and here?"), overPerson)
	}
	r.settled(s, last)
	s.same("messages that tell of the limit", strings.Count(strings.Join(s.partsOf(s.channel, 0), "\n"), overPerson), 2)
	s.hasSaid(4)
	s.askedTimes(2)
}

// TestNoAnswerTakesMoreThanItMay has a model that asks eight helpers at a time, again
// and again. What one answer may take then bounds all requests that it leads to.
func TestNoAnswerTakesMoreThanItMay(t *testing.T) {
	s := newScene(t)
	seen := make(chan int, 200)
	s.scripted(func(r openaitest.Request) *openaitest.Reply {
		const bytesPerToken = 4
		usage := openaitest.Usage{Prompt: len(r.Body) / bytesPerToken, Completion: 1_500}
		seen <- usage.Prompt + usage.Completion
		reply := openaitest.Answer("All of it.")
		if len(r.Chat.Tools) > 0 && !strings.Contains(string(r.Body), "answer now with what there is") {
			var calls []openaitest.ToolCall
			for i := range 8 {
				task := strings.Repeat("work through this, ", 300) + string(rune('a'+i)) + string(rune('a'+len(seen)))
				calls = append(calls, openaitest.ToolCall{ID: "c" + string(rune('a'+i)), Name: "ask_subagent", Arguments: `{"task":"` + task + `"}`})
			}
			reply = openaitest.Call(calls...)
		}
		reply.Usage = &usage
		return &reply
	})
	s.start()
	s.wholeAnswer(s.ask(s.ann, "think it through?"), "All of it.")
	const most = 228_000 // 100,000 for tools, and eight times TOKEN_BUDGET
	sum, requests := 0, len(seen)
	for range requests {
		sum += <-seen
	}
	if sum > most || requests < 5 {
		t.Errorf("an answer took %d requests and %d tokens, want %d at most", requests, sum, most)
	}
}

// about reports whether a request to the model is about a question with this text.
func about(r openaitest.Request, text string) bool {
	messages := r.Chat.Messages
	return strings.Contains(messages[len(messages)-1].Text(), text)
}

// floodsWait lets the model answer "Yes.", and hold back its answers to a flood until the
// gate is closed.
func (s *scene) floodsWait(gate <-chan struct{}) {
	s.scripted(func(r openaitest.Request) *openaitest.Reply {
		reply := openaitest.Answer("Yes.")
		if about(r, "flood ") {
			reply.Wait = gate
		}
		return &reply
	})
}

// TestAFloodInAChannelDelaysNobody has Ann mention heddle 300 times, and then Bob once
// in the same channel. At most three of Ann's mentions are answered before Bob's: the
// one that is being answered already, the next one, and one of those that found the
// queue full and wait in the store.
func TestAFloodInAChannelDelaysNobody(t *testing.T) {
	s := newScene(t)
	gate := make(chan struct{})
	s.floodsWait(gate)
	s.start()
	for i := range 300 {
		s.ask(s.ann, fmt.Sprintf("flood %d?", i))
	}
	asked := s.ask(s.bob, "one from Bob?")
	elsewhere := s.thread("elsewhere")
	s.answer(elsewhere, s.askIn(elsewhere, s.bob, "has all of that been heard?"), "Yes.")
	close(gate)
	s.answer(s.channel, asked, "Yes.")
	before := 0
	for _, r := range s.model.Requests() {
		if about(r, "one from Bob?") {
			break
		}
		if about(r, "flood ") {
			before++
		}
	}
	s.atMost("mentions of Ann's that were answered before Bob's", before, 3)
}

// TestAFloodOfThreadsHoldsHalfOfHeddle has Ann ask in 70 threads while the model's
// provider hangs. Half of what heddle does at a time stays free for others.
func TestAFloodOfThreadsHoldsHalfOfHeddle(t *testing.T) {
	s := newScene(t)
	gate := make(chan struct{})
	defer close(gate)
	s.floodsWait(gate)
	s.start()
	for i := range 70 {
		s.postIn(s.thread(fmt.Sprintf("thread %d", i)), s.ann, discordtest.Draft{Content: s.mention(fmt.Sprintf("flood %d?", i))})
	}
	asked := s.ask(s.bob, "one from Bob?")
	s.answer(s.channel, asked, "Yes.")
	if _, err := s.model.Await(s.ctx, 32+1); err != nil {
		t.Fatalf("half of the mentions are not being answered: %v", err)
	}
	asked = s.ask(s.bob, "another from Bob?")
	s.answer(s.channel, asked, "Yes.")
	s.askedTimes(32 + 2) // for Ann, and for Bob
}

// TestABurstIsAnsweredWithinDiscordsLimits has three people each mention heddle in a
// hundred channels at once, while Discord's limits hold and the model takes its time. It
// runs beside no other test: a request that takes longer than three seconds to reach Discord
// may meet a limit.
func TestABurstIsAnsweredWithinDiscordsLimits(t *testing.T) { //nolint:paralleltest // see above
	s := sceneOn(t, discordtest.Options{Limits: discordtest.DefaultLimits()})
	gate := make(chan struct{})
	s.scripted(func(openaitest.Request) *openaitest.Reply {
		reply := openaitest.Answer("Yes.")
		reply.Wait = gate
		return &reply
	})
	s.start()
	const channels, people = 100, 3
	asked := make(map[graph.MessageID]graph.ChannelID)
	for i := range channels {
		channel := s.thread(fmt.Sprintf("thread %d", i))
		for range people {
			author := s.discord.People.AddUser(fmt.Sprintf("person %d", len(asked)), s.guild)
			asked[s.askIn(channel, author, "well?")] = channel
		}
	}
	s.request(48) // three quarters of what heddle does at a time
	close(gate)
	for trigger, channel := range asked {
		s.answer(channel, trigger, "Yes.")
	}
	for _, channel := range asked {
		s.oneEach(channel)
	}
	created, typed := s.discord.Record.Count(discordtest.RouteCreateMessage), s.discord.Record.Count(discordtest.RouteTyping)
	s.atMost("typing indicators beside the answers", typed, created)
	for _, r := range s.discord.Record.Requests(func(r discordtest.Request) bool { return r.Status == http.StatusTooManyRequests }) {
		t.Errorf("%s %s met a limit at %s, want none to", r.Method, r.Path, r.At.Format(time.StampMicro))
	}
}

// TestAFloodOfCommandsDelaysNobody has Ann use /heddle ask 150 times while the model's
// provider hangs. Commands that need no model are answered all the same, for her too, and
// Bob's question is asked.
func TestAFloodOfCommandsDelaysNobody(t *testing.T) {
	s := newScene(t)
	gate := make(chan struct{})
	defer close(gate)
	s.floodsWait(gate)
	s.start()
	ask := func(who graph.UserID, question string) discordtest.InteractionID {
		return s.invokes(who, "heddle ask", map[string]any{"question": question, "private": true})
	}
	for i := range 150 {
		ask(s.ann, fmt.Sprintf("flood %d?", i))
	}
	s.privately(s.invokes(s.ann, "heddle help", nil), "heddle")
	s.privately(s.invokes(s.bob, "heddle help", nil), "heddle")
	s.privately(ask(s.bob, "one from Bob?"), "Yes.")
	s.privately(s.invokes(s.bob, "heddle forget-me", nil), "")
	s.request(32 + 1)
}
