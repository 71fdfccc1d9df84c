package answer

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"heddle/bot/conversation"
	"heddle/graph"
	"heddle/internal/wait"
)

func TestEndingOutlivesAShutdownForAMomentButNoLostClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const flush = 1500 * time.Millisecond
		a := &Answerer{deps: Deps{Flush: flush}}
		lasts := func(cause error) time.Duration {
			ctx, stop := context.WithCancelCause(t.Context())
			defer stop(nil)
			ending, cancel := a.ending(ctx)
			defer cancel()
			if cause != nil {
				stop(cause)
			}
			began := time.Now()
			_ = wait.For(ending, time.Hour)
			return time.Since(began)
		}
		for name, test := range map[string]struct {
			cause error
			want  time.Duration
		}{
			"of work that goes on":  {nil, 30 * time.Second},
			"at shutdown":           {ErrShutdown, flush},
			"of a deleted question": {conversation.ErrQuestionGone, flush},
		} {
			if got := lasts(test.cause); got != test.want {
				t.Errorf("the ending %s lasts %s, want %s", name, got, test.want)
			}
		}
		ctx, stop := context.WithCancelCause(t.Context())
		stop(ErrLost)
		ending, cancel := a.ending(ctx)
		defer cancel()
		if ending.Err() == nil || !isLost(ctx) {
			t.Error("work whose claim was lost may still send")
		}
	})
}

func TestDeletingAQuestionEndsItsAnswerAlone(t *testing.T) {
	var all inflight
	first, end := all.begin(t.Context(), 1)
	second, endSecond := all.begin(t.Context(), 2)
	defer endSecond.end()
	all.Deleted([]graph.MessageID{1, 3})
	if !isGone(first, nil) || second.Err() != nil {
		t.Errorf("the first answer ended with %v, the second with %v; want %v and nil", context.Cause(first), context.Cause(second), conversation.ErrQuestionGone)
	}
	end.end()
	again, endAgain := all.begin(t.Context(), 1)
	defer endAgain.end()
	if again.Err() != nil {
		t.Errorf("the next answer to a question has ended already: %v, want nil", again.Err())
	}
	endAgain.end()
	if all.Deleted([]graph.MessageID{1}); isGone(again, nil) {
		t.Error("an answer that has ended is cancelled when its question is deleted, want it left alone")
	}
}

// TestWhatIsHeardOfADeletion has connections change while a question is answered.
func TestWhatIsHeardOfADeletion(t *testing.T) {
	for _, c := range []struct {
		name    string
		flows   bool
		changes int // while the question is answered
		want    bool
	}{
		{"not connected, or interrupted before", false, 0, false},
		{"connected", true, 0, true},
		{"interrupted meanwhile", true, 1, false},
		{"interrupted and back meanwhile", true, 2, false},
		{"connected meanwhile", false, 1, false},
	} {
		var all inflight
		all.Flows(c.flows)
		_, one := all.begin(t.Context(), 1)
		for i := range c.changes {
			all.Flows(i%2 == 1)
		}
		if got := one.heard(); got != c.want {
			t.Errorf("%s: a deletion was surely heard: %t; want %t", c.name, got, c.want)
		}
		one.end()
	}
}
