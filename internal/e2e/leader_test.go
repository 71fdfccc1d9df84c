package e2e_test

import (
	"context"
	"syscall"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestALeaderKilledInMidStreamFailsNobody runs two processes of one bot over Redis. Both
// are asked the same. The one that asks the model is killed in the middle of the answer,
// and both questions are answered by a second call.
func TestALeaderKilledInMidStreamFailsNobody(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	server := s.redis()
	broken := openaitest.Answer("The first half of an answer that never ends, ", "or does it?")
	broken.Chunks[1].Wait = make(chan struct{})
	s.model.Queue(broken)
	s.always(openaitest.Answer("Four."))
	processes := []*child{s.spawn("REDIS_URL="+server.URL(), "CLAIM_LEASE=10s"), s.spawn("REDIS_URL="+server.URL(), "CLAIM_LEASE=10s")}
	s.connected(len(processes))
	leading, following := s.thread("leading"), s.thread("following")
	first := s.postIn(leading, s.ann, discordtest.Draft{Content: s.mention("2 + 2?")})
	s.begun(leading, first, "The first half")
	leader := processes[1-s.follower(processes, first)]
	if err := leader.command.Process.Signal(syscall.SIGSTOP); err != nil { // so that the other one takes the next
		t.Fatal(err)
	}
	second := s.postIn(following, s.ann, discordtest.Draft{Content: s.mention("2 + 2?")})
	leader.kill()

	s.answer(following, second, "Four.")
	s.answer(leading, first, "Four.")
	for in, trigger := range map[graph.ChannelID]graph.MessageID{leading: first, following: second} {
		if answers := s.answersOf(in)[trigger]; len(answers) != 1 {
			t.Errorf("a question has %d answers, want 1", len(answers))
		}
	}
	if got := len(s.model.Requests()); got != 2 {
		t.Errorf("the model was asked %d times, want once by each process", got)
	}
}

// follower returns the index of the process that waits for another to answer a trigger.
func (o *operator) follower(processes []*child, trigger graph.MessageID) int {
	o.t.Helper()
	ctx, cancel := context.WithCancel(o.ctx)
	defer cancel()
	follows := make(chan int, len(processes))
	for i, c := range processes {
		go func() {
			if c.logs.await(ctx, `msg="another process does a task, it is looked at again later" trigger=`+trigger.String()) == nil {
				follows <- i
			}
		}()
	}
	select {
	case i := <-follows:
		return i
	case <-o.ctx.Done():
		o.t.Fatal("no process knows that another one answers")
		return 0
	}
}
