package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

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
// hundred channels at once, while Discord's limits hold and the model takes its time.
func TestABurstIsAnsweredWithinDiscordsLimits(t *testing.T) {
	t.Parallel()
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
	refused := count(func(r discordtest.Request) bool { return r.Status == http.StatusTooManyRequests })
	t.Logf("%d requests for messages, %d typing indicators, %d refused", created, typed, refused)
	if typed > created {
		t.Errorf("%d typing indicators were sent beside %d answers, want no more than answers", typed, created)
	}
	if refused > 0 {
		t.Errorf("%d requests met a limit, want 0", refused)
	}
}
