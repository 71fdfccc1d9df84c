package dispatch

import (
	"context"
	"slices"
	"testing"
	"time"

	"heddle/store"
)

// TestATakenQuestionStaysTakenIfHeddleStopsBeforeItsClaim performs what an earlier
// process took, when heddle is about to end.
func TestATakenQuestionStaysTakenIfHeddleStopsBeforeItsClaim(t *testing.T) {
	t.Parallel()
	p, done := newProcess(t), 0
	writing, stop := context.WithCancel(t.Context())
	defer stop()
	go p.asking.ledger.writes.Run(writing)
	question := store.Pending{Guild: 2, Channel: 1, Trigger: 5}
	if err := p.shared.Backlog.Take(t.Context(), question); err != nil {
		t.Fatal(err)
	}
	later := p.task(question.Claim(), &done, well)
	later.pending, later.asked = question, time.Now()
	ended, end := context.WithCancel(t.Context())
	end()
	p.tasks.perform(ended, later)
	p.asking.ledger.writes.Close()
	p.asking.ledger.writes.Flush(t.Context())
	taken, err := p.shared.Backlog.Taken(t.Context())
	if err != nil || !slices.Contains(taken, question) || done != 0 {
		t.Errorf("taken are %+v, %v, done %d times, want %v among them, no error and 0", taken, err, done, question)
	}
	if p.tasks.once.knows(question.Claim()) {
		t.Error("the question counts as known, want it unknown")
	}
}
