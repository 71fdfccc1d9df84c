package dispatch

import (
	"context"
	"slices"
	"testing"
	"time"

	"heddle/bot/work"
	"heddle/store"
)

// old returns a question that a process took, and a function that reports whether the
// store keeps it still.
func (p *process) old(t *testing.T) (question store.Pending, isTaken func() bool) {
	t.Helper()
	writing, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); p.asking.ledger.writes.Run(writing) }()
	t.Cleanup(func() { stop(); <-ended })
	question = store.Pending{Guild: 2, Channel: 1, Trigger: 5}
	if err := p.shared.Backlog.Take(t.Context(), question); err != nil {
		t.Fatal(err)
	}
	return question, func() bool {
		p.asking.ledger.writes.Flush(t.Context())
		taken, err := p.shared.Backlog.Taken(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return slices.Contains(taken, question)
	}
}

// TestAnAnswerThatBreaksOffAfterItsLifetimeIsLookedAtAgain loses the claim after parts may
// have been sent. Only once nothing was found to stand is the question dropped.
func TestAnAnswerThatBreaksOffAfterItsLifetimeIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	p, done := newProcess(t), 0
	question, isTaken := p.old(t)
	var late *task
	late = p.task(question.Claim(), &done, func() error {
		if !late.reads(nil) {
			return errNothingStands
		}
		late.answers()
		return work.ErrLost
	})
	late.pending, late.asked = question, time.Now().Add(-2*leastLife)
	p.tasks.perform(t.Context(), late)
	if !isTaken() || p.delayed() != 1 {
		t.Errorf("the question is taken: %t, %d are delayed, want it to be looked at again", isTaken(), p.delayed())
	}
	p.tasks.perform(t.Context(), late)
	if isTaken() || done != 2 {
		t.Errorf("the question is taken: %t, tried %d times, though nothing of its answer stands", isTaken(), done)
	}
}

// oldElsewhere is old for a question that another process has.
func (p *process) oldElsewhere(t *testing.T) (question store.Pending, isTaken func() bool) {
	t.Helper()
	question, isTaken = p.old(t)
	if _, err := p.shared.Claims.Claim(t.Context(), question.Claim(), time.Hour); err != nil {
		t.Fatal(err)
	}
	return question, isTaken
}

// TestAQuestionThatAnotherProcessHasIsNotSettled shows that a process that no longer waits
// for another one forgets nothing: the other may still die in the middle of the answer.
func TestAQuestionThatAnotherProcessHasIsNotSettled(t *testing.T) {
	t.Parallel()
	p, done := newProcess(t), 0
	question, isTaken := p.oldElsewhere(t)
	late := p.task(question.Claim(), &done, well)
	late.pending, late.asked = question, time.Now().Add(-2*leastLife)
	p.tasks.perform(t.Context(), late)
	if !isTaken() || done != 0 || p.tasks.once.knows(question.Claim()) {
		t.Errorf("the question is taken: %t, done %d times, known: %t; want it taken, not done and unknown", isTaken(), done, p.tasks.once.knows(question.Claim()))
	}
}

// TestAQuestionLivesAsLongWhoeverHasIt holds a question with another process for longer
// than CatchUp, which is no reason to forget it.
func TestAQuestionLivesAsLongWhoeverHasIt(t *testing.T) {
	t.Parallel()
	p, done := newProcess(t), 0
	question, isTaken := p.oldElsewhere(t)
	late := p.task(question.Claim(), &done, well)
	late.pending, late.asked = question, time.Now().Add(-p.tasks.catchUp-2*longestAnswer)
	late.progress = progress{stage: tried, claim: elsewhere}
	p.tasks.perform(t.Context(), late)
	if !isTaken() || p.delayed() != 1 {
		t.Errorf("the question is taken: %t, %d are delayed, want it to be tried again", isTaken(), p.delayed())
	}
}
