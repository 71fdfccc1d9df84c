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

// about reports whether a request to the model is about a question with this text.
func about(r openaitest.Request, text string) bool {
	messages := r.Chat.Messages
	return strings.Contains(messages[len(messages)-2].Text(), text)
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
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	gate := make(chan struct{})
	s.floodsWait(gate)
	s.start()
	for i := range 300 {
		s.post(s.ann, discordtest.Draft{Content: s.mention(fmt.Sprintf("flood %d?", i))})
	}
	asked := s.post(s.bob, discordtest.Draft{Content: s.mention("one from Bob?")})
	elsewhere := s.thread("elsewhere")
	s.answer(elsewhere, s.postIn(elsewhere, s.bob, discordtest.Draft{Content: s.mention("has all of that been heard?")}), "Yes.")
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
	if before > 3 {
		t.Errorf("%d mentions of Ann's were answered before Bob's, want 3 at most", before)
	}
}

// TestAFloodOfThreadsHoldsHalfOfHeddle has Ann ask in 70 threads while the model's
// provider hangs. Half of what heddle does at a time stays free for others.
func TestAFloodOfThreadsHoldsHalfOfHeddle(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	gate := make(chan struct{})
	defer close(gate)
	s.floodsWait(gate)
	s.start()
	for i := range 70 {
		s.postIn(s.thread(fmt.Sprintf("thread %d", i)), s.ann, discordtest.Draft{Content: s.mention(fmt.Sprintf("flood %d?", i))})
	}
	asked := s.post(s.bob, discordtest.Draft{Content: s.mention("one from Bob?")})
	s.answer(s.channel, asked, "Yes.")
	if _, err := s.model.Await(s.ctx, 32+1); err != nil {
		t.Fatalf("half of the mentions are not being answered: %v", err)
	}
	asked = s.post(s.bob, discordtest.Draft{Content: s.mention("another from Bob?")})
	s.answer(s.channel, asked, "Yes.")
	if got := len(s.model.Requests()); got != 32+2 {
		t.Errorf("the model was asked %d times, want 32 times for Ann and twice for Bob", got)
	}
}

// TestABurstIsAnsweredWithinDiscordsLimits has three people each mention heddle in a
// hundred channels at once, while Discord's limits hold and the model takes its time. It
// runs beside no other test: a request that takes longer than three seconds to reach Discord
// may meet a limit.
func TestABurstIsAnsweredWithinDiscordsLimits(t *testing.T) { //nolint:paralleltest // see above
	s := newScene(t, discordtest.Options{Limits: discordtest.DefaultLimits()})
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
			asked[s.postIn(channel, author, discordtest.Draft{Content: s.mention("well?")})] = channel
		}
	}
	if _, err := s.model.Await(s.ctx, 48); err != nil {
		t.Fatalf("three quarters of what heddle does at a time are not done for one server: %v", err)
	}
	close(gate)
	for trigger, channel := range asked {
		s.answer(channel, trigger, "Yes.")
	}
	for _, channel := range asked {
		s.oneEach(channel)
	}
	count := func(wanted func(discordtest.Request) bool) int { return len(s.discord.Record.Requests(wanted)) }
	created, typed := count(discordtest.On(discordtest.RouteCreateMessage)), count(discordtest.On(discordtest.RouteTyping))
	refused := s.discord.Record.Requests(func(r discordtest.Request) bool { return r.Status == http.StatusTooManyRequests })
	t.Logf("%d requests for messages, %d typing indicators, %d refused", created, typed, len(refused))
	if typed > created {
		t.Errorf("%d typing indicators were sent beside %d answers, want no more than answers", typed, created)
	}
	for _, r := range refused {
		t.Errorf("%s %s met a limit at %s, want none to", r.Method, r.Path, r.At.Format(time.StampMicro))
	}
}

// TestEditsOfOneQuestionWaitOnce has Ann edit an answered question 40 times, and then ask
// once more, while Bob's question is answered in the channel. The newest version is
// answered, in one task, and her other question has room in the channel's queue.
func TestEditsOfOneQuestionWaitOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	gate := make(chan struct{})
	s.scripted(func(r openaitest.Request) *openaitest.Reply {
		reply := openaitest.Answer("Yes.")
		switch {
		case about(r, "flood "):
			reply.Wait = gate
		case about(r, "version 39"):
			reply = openaitest.Answer("The newest.")
		}
		return &reply
	})
	r := s.start()
	edited := s.post(s.ann, discordtest.Draft{Content: s.mention("which?")})
	s.answer(s.channel, edited, "Yes.")
	s.post(s.bob, discordtest.Draft{Content: s.mention("flood of Bob?")})
	s.asked(2)
	for i := range 40 {
		s.edit(edited, s.mention(fmt.Sprintf("version %d?", i)))
	}
	another := s.post(s.ann, discordtest.Draft{Content: s.mention("and another?")})
	elsewhere := s.thread("elsewhere")
	s.answer(elsewhere, s.postIn(elsewhere, s.bob, discordtest.Draft{Content: s.mention("has all of that been heard?")}), "Yes.")
	if refused := strings.Count(r.logs.String(), "an edited question keeps its answer") + strings.Count(r.logs.String(), "a question waits in the store"); refused != 0 {
		t.Errorf("%d edits and questions found the queue full, want none", refused)
	}
	close(gate)
	s.answer(s.channel, edited, "The newest.")
	s.answer(s.channel, another, "Yes.")
	r.end()
	if tasks := strings.Count(r.logs.String(), `msg="a task is done" trigger=`+edited.String()); tasks != 2 {
		t.Errorf("the question took %d tasks, want one for the question and one for its edits", tasks)
	}
}

// TestPressesOfOneButtonWaitOnce has Ann press a button 20 times while Bob's question is
// answered in the channel. She gets one more answer, and her next question has room in the
// channel's queue.
func TestPressesOfOneButtonWaitOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	gate := make(chan struct{})
	s.floodsWait(gate)
	r := s.start()
	asked := s.post(s.ann, discordtest.Draft{Content: s.mention("which?")})
	answer := s.standsIn(s.answer(s.channel, asked, "Yes."), "Yes.", row)
	s.post(s.bob, discordtest.Draft{Content: s.mention("flood of Bob?")})
	s.asked(2)
	for range 20 {
		in, err := s.discord.Interactions.Await(s.ctx, s.press(s.ann, answer, "↻"), func(in discordtest.Interaction) bool { return in.Answered != 0 })
		if err != nil {
			t.Fatalf("a press is not acknowledged: %v", err)
		}
		if len(in.Private) > 0 {
			t.Errorf("ann reads %q, want nothing", in.Private[0].Content)
		}
	}
	another := s.post(s.ann, discordtest.Draft{Content: s.mention("and another?")})
	elsewhere := s.thread("elsewhere")
	s.answer(elsewhere, s.postIn(elsewhere, s.bob, discordtest.Draft{Content: s.mention("has all of that been heard?")}), "Yes.")
	if strings.Contains(r.logs.String(), "a question waits in the store") {
		t.Error("presses of one button fill the queue of their channel, want room for a question")
	}
	close(gate)
	s.answer(s.channel, another, "Yes.")
	r.end()
	if tasks := strings.Count(r.logs.String(), `msg="a task is done" press=`); tasks != 1 {
		t.Errorf("the presses took %d tasks, want 1", tasks)
	}
}
