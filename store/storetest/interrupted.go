package storetest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"heddle/store"
)

// Mortal is what processes that may end at any time keep a store in.
type Mortal struct {
	Empty func(t *testing.T)              // empties it
	Lives func(t *testing.T) store.Engine // a process that goes on
	// Ends is a process that ends after so many steps.
	Ends func(t *testing.T, steps int) store.Engine
	// More says, by what came of the operation, whether there are more steps; nil: where
	// it failed.
	More func(error) bool
	// Loses is a process that goes on and learns nothing of what came of the step after
	// so many. Nil: there are none.
	Loses func(t *testing.T, steps int) store.Engine

	Now  func() time.Time
	Pass func(*testing.T, time.Duration) // lets leases end
}

// Interrupted ends a process after each step of each operation. Then everything must
// read as it did before the operation or as it does after it, and be whole; and the
// operation, done again, must end as if it had never been broken off.
func Interrupted(t *testing.T, m Mortal) {
	t.Helper()
	for name, op := range operations() {
		t.Run(name, func(t *testing.T) { m.interrupt(t, op) })
	}
}

// InterruptedAcross is Interrupted for the operations that change several scopes.
func InterruptedAcross(t *testing.T, m Mortal) {
	t.Helper()
	for name, op := range operations() {
		if op.across {
			t.Run(name, func(t *testing.T) { m.interrupt(t, op) })
		}
	}
}

func (m *Mortal) interrupt(t *testing.T, op operation) {
	t.Helper()
	m.Empty(t)
	s := m.open(t, m.Lives(t))
	s.must(op.before(s))
	before := s.look()
	s.must(op.do(s))
	after := s.look()
	if maps.Equal(before, after) {
		t.Fatal("it changes nothing that can be seen")
	}
	for steps := 0; m.broken(t, op, steps, before, after); steps++ {
		if m.Loses != nil {
			m.unanswered(t, op, steps, after)
		}
		if t.Failed() {
			t.Fatalf("it was broken off after %d steps", steps)
		}
	}
}

// unanswered has a process not learn what came of a step: it must end as if it had.
func (m *Mortal) unanswered(t *testing.T, op operation, steps int, after map[string]string) {
	t.Helper()
	m.Empty(t)
	s := m.open(t, m.Lives(t))
	s.must(op.before(s))
	s.must(op.do(m.open(t, m.Loses(t, steps))))
	s.is(s.look(), after)
}

// is fails the test where something reads otherwise than wanted.
func (b bench) is(seen, want map[string]string) {
	b.Helper()
	for _, what := range slices.Sorted(maps.Keys(want)) {
		if got := seen[what]; got != want[what] {
			b.Errorf("%s is\n%s, want\n%s", what, got, want[what])
		}
	}
}

// broken breaks an operation off after so many steps, and says whether it had more.
func (m *Mortal) broken(t *testing.T, op operation, steps int, before, after map[string]string) bool {
	t.Helper()
	m.Empty(t)
	s := m.open(t, m.Lives(t))
	s.must(op.before(s))
	ended := op.do(m.open(t, m.Ends(t, steps)))
	s = m.open(t, m.Lives(t))
	seen := s.look()
	for _, what := range slices.Sorted(maps.Keys(seen)) {
		if got := seen[what]; got != before[what] && got != after[what] {
			t.Errorf("%s is\n%s, before it was\n%s, after it is to be\n%s", what, got, before[what], after[what])
		}
	}
	if op.forgets {
		s.must(s.Deletions.Finish(s.ctx))
		s.finished(before, after)
	}
	if op.leases {
		m.Pass(t, 2*lease)
	}
	s.must(op.do(s))
	s.is(s.look(), after)
	if m.More != nil {
		return m.More(ended)
	}
	return ended != nil
}

// finished fails the test where a deletion that had begun in a scope, and was gone on
// with, leaves there something of what it is to erase.
func (b bench) finished(before, after map[string]string) {
	b.Helper()
	left := make(map[store.Scope][]string)
	begun := make(map[store.Scope]bool)
	for _, scope := range []store.Scope{home, lone, other} {
		walked := b.walk(scope)
		for name, r := range cast() {
			what := "the response " + name
			switch _, there := walked[r.ID]; {
			case r.Scope != scope || before[what] == after[what]:
			case there:
				left[scope] = append(left[scope], name)
			default:
				begun[scope] = true
			}
		}
	}
	for scope := range begun {
		if len(left[scope]) > 0 {
			b.Errorf("a deletion that was gone on with leaves %v in %s", left[scope], scope)
		}
	}
}

func (m *Mortal) open(t *testing.T, engine store.Engine) bench {
	t.Helper()
	return bench{T: t, Store: store.New(engine, store.Options{Now: m.Now}), ctx: t.Context()}
}

// InterruptedCalls is Interrupted over an engine of which open makes an empty one, as
// a process sees it that ends between two calls that write.
func InterruptedCalls(t *testing.T, open func(t *testing.T) Subject) {
	t.Helper()
	var subject Subject
	Interrupted(t, Mortal{
		Empty: func(t *testing.T) { t.Helper(); subject = open(t) },
		Lives: func(*testing.T) store.Engine { return subject.Engine },
		Ends: func(_ *testing.T, steps int) store.Engine {
			ending := &ending{Engine: subject.Engine}
			ending.left.Store(int64(steps))
			return ending
		},
		Now:  func() time.Time { return subject.Now() },
		Pass: func(_ *testing.T, d time.Duration) { subject.Advance(d) },
	})
}

// ending is an engine whose process ends after some writes.
type ending struct {
	store.Engine

	left atomic.Int64
}

var errEnding = errors.New("the process has ended")

func (e *ending) Apply(ctx context.Context, changes ...store.Change) ([]int, error) {
	if e.left.Add(-1) < 0 {
		return nil, errEnding
	}
	return e.Engine.Apply(ctx, changes...)
}
