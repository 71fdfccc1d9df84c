package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"heddle/store"
)

// Mortal provides processes that share a store and may end at any step.
type Mortal struct {
	Empty func(t *testing.T)              // removes everything
	Lives func(t *testing.T) store.Engine // returns the engine of a process that does not end
	// Ends returns the engine of a process that ends after a number of steps.
	Ends func(t *testing.T, steps int) store.Engine
	// More reports whether an operation has more steps, given its error. If More is
	// nil, an operation that failed has more steps.
	More func(error) bool
	// Loses returns the engine of a process that does not end but never learns the
	// result of one step. It may be nil.
	Loses func(t *testing.T, steps int) store.Engine

	Now  func() time.Time
	Pass func(*testing.T, time.Duration) // lets leases expire
}

// Interrupted ends a process after each step of each operation. Afterwards everything
// that can be read must be as before the operation or as after it, and consistent.
// Repeating the operation must have the same result as if it had not been interrupted.
func Interrupted(t *testing.T, m Mortal) {
	t.Helper()
	for name, op := range operations() {
		t.Run(name, func(t *testing.T) { m.interrupt(t, op) })
	}
}

// InterruptedAcross is like Interrupted, for the operations that change several scopes.
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
	before := look(s)
	s.must(op.do(s))
	after := look(s)
	if maps.Equal(before, after) {
		t.Fatal("the operation has no visible effect")
	}
	for steps := 0; m.broken(t, op, steps, before, after); steps++ {
		if m.Loses != nil {
			m.unanswered(t, op, steps, after)
		}
		if t.Failed() {
			t.Fatalf("the operation was interrupted after %d steps", steps)
		}
	}
}

// unanswered hides the result of one step from a process. The operation must have the
// same result anyway.
func (m *Mortal) unanswered(t *testing.T, op operation, steps int, after map[string]string) {
	t.Helper()
	m.Empty(t)
	s := m.open(t, m.Lives(t))
	s.must(op.before(s))
	s.must(op.do(m.open(t, m.Loses(t, steps))))
	is(s, look(s), after)
}

// is fails the test if seen differs from want.
func is(b bench, seen, want map[string]string) {
	b.Helper()
	for _, what := range slices.Sorted(maps.Keys(want)) {
		if got := seen[what]; got != want[what] {
			b.Errorf("%s is\n%s, want\n%s", what, got, want[what])
		}
	}
}

// broken interrupts an operation after a number of steps, and reports whether the
// operation has more steps.
func (m *Mortal) broken(t *testing.T, op operation, steps int, before, after map[string]string) bool {
	t.Helper()
	m.Empty(t)
	s := m.open(t, m.Lives(t))
	s.must(op.before(s))
	ended := op.do(m.open(t, m.Ends(t, steps)))
	s = m.open(t, m.Lives(t))
	seen := look(s)
	for _, what := range slices.Sorted(maps.Keys(seen)) {
		if got := seen[what]; got != before[what] && got != after[what] {
			t.Errorf("%s is\n%s\nwant that of before the operation:\n%s\nor of after it:\n%s", what, got, before[what], after[what])
		}
	}
	if op.forgets {
		s.must(s.store.Deletions.Finish(s.ctx))
		finished(s, before, after)
	}
	if op.leases {
		m.Pass(t, 2*lease)
	}
	s.must(op.do(s))
	is(s, look(s), after)
	if m.More != nil {
		return m.More(ended)
	}
	return ended != nil
}

// finished fails the test if a resumed deletion leaves something that it should erase.
func finished(b bench, before, after map[string]string) {
	b.Helper()
	left := make(map[store.Scope][]string)
	begun := make(map[store.Scope]bool)
	for _, scope := range []store.Scope{home, lone, other} {
		walked := walk(b, scope)
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
	const who = "who opted out"
	noted := false // whether the erasure of a person was recorded
	if before[who] != after[who] {
		out, err := b.store.OptOuts.All(b.ctx)
		b.must(err)
		noted = fmt.Sprint(out.People) == after[who]
	}
	for _, scope := range []store.Scope{home, lone, other} {
		if (begun[scope] || noted) && len(left[scope]) > 0 {
			b.Errorf("a resumed deletion leaves %v in %s, want nothing", left[scope], scope)
		}
	}
}

func (m *Mortal) open(t *testing.T, engine store.Engine) bench {
	t.Helper()
	return bench{T: t, store: store.New(engine, store.Options{Now: m.Now}), ctx: t.Context()}
}

// InterruptedCalls is like Interrupted for an engine that open creates. Processes end
// between two calls that write.
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

// ending is an engine whose process ends after a number of writes.
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
