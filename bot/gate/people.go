package gate

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"heddle/graph"
	"heddle/internal/wait"
	"heddle/store"
)

// refreshEvery is how often a process checks whether people opted out or in through
// another process.
const refreshEvery = time.Second

// OptOuts stores who opted out; store.OptOuts is one.
type OptOuts interface {
	// Version returns the version of the list. It changes with every change of the
	// list.
	Version(ctx context.Context) (string, error)
	All(ctx context.Context) (store.OptedOut, error)
	Add(ctx context.Context, person graph.UserID) error
	Remove(ctx context.Context, person graph.UserID) error
}

// Deletions erases what was made from a person's words; store.Deletions does.
type Deletions interface {
	// ForgetAuthor also opts the person out.
	ForgetAuthor(ctx context.Context, author graph.UserID) error
}

// People knows who opted out, and opts people out and in. Its methods may be called
// from any goroutine.
type People struct {
	optOuts   OptOuts
	deletions Deletions
	drop      func(graph.UserID)
	log       *slog.Logger
	known     atomic.Pointer[known]
	refreshes singleflight.Group
	turns     atomic.Uint64
}

// known is the list as it was last read. It is immutable.
type known struct {
	turn    uint64 // numbers the reads by when they began
	version string
	out     map[graph.UserID]struct{}
}

// NewPeople returns People that are known once Refresh has succeeded. It calls drop for
// everybody who opts out or in, through this process or another, after OptedOut returns
// the new state. Drop removes from memory what they wrote and what names them.
func NewPeople(optOuts OptOuts, deletions Deletions, drop func(graph.UserID), log *slog.Logger) *People {
	return &People{optOuts: optOuts, deletions: deletions, drop: drop, log: log}
}

// OptedOut reports whether a person has opted out, as of the last Refresh.
func (p *People) OptedOut(person graph.UserID) bool {
	known := p.known.Load()
	if known == nil {
		return false
	}
	_, out := known.out[person]
	return out
}

// Known reports whether the list has been read.
func (p *People) Known() bool { return p.known.Load() != nil }

// Refresh reads the list if it has changed. After an error, the list that was read
// before remains in force.
func (p *People) Refresh(ctx context.Context) error {
	_, err, _ := p.refreshes.Do("", func() (any, error) { return nil, p.refresh(ctx) })
	if err != nil {
		return fmt.Errorf("find out who opted out: %w", err)
	}
	return nil
}

// refresh reads the list, and drops from memory who has opted out or in since. Reads
// may overlap. A list replaces only one whose read began earlier.
func (p *People) refresh(ctx context.Context) error {
	turn := p.turns.Add(1)
	if before := p.known.Load(); before != nil {
		version, err := p.optOuts.Version(ctx)
		if err != nil || version == before.version {
			return err
		}
	}
	all, err := p.optOuts.All(ctx)
	if err != nil {
		return err
	}
	now := &known{turn, all.Version, make(map[graph.UserID]struct{}, len(all.People))}
	for _, person := range all.People {
		now.out[person] = struct{}{}
	}
	for before := p.known.Load(); before == nil || before.turn < turn; before = p.known.Load() {
		if !p.known.CompareAndSwap(before, now) {
			continue
		}
		for _, person := range changed(before, now) {
			p.drop(person)
		}
		break
	}
	return nil
}

// changed returns, in order, who is in exactly one of two lists. before may be nil.
func changed(before, now *known) []graph.UserID {
	var people []graph.UserID
	alone := func(in, other map[graph.UserID]struct{}) {
		for person := range in {
			if _, both := other[person]; !both {
				people = append(people, person)
			}
		}
	}
	if before == nil {
		before = &known{}
	}
	alone(before.out, now.out)
	alone(now.out, before.out)
	slices.Sort(people)
	return people
}

// Follow keeps the list up to date until ctx ends.
func (p *People) Follow(ctx context.Context) {
	for {
		if err := p.Refresh(ctx); err != nil {
			p.log.DebugContext(ctx, "who opted out could not be read, this is tried again", "error", err)
		}
		if wait.For(ctx, refreshEvery) != nil {
			return
		}
	}
}

// OptOut keeps everything that a person writes from being used from now on.
func (p *People) OptOut(ctx context.Context, person graph.UserID) error {
	return p.change(ctx, p.optOuts.Add, person)
}

// OptIn ends OptOut and Forget.
func (p *People) OptIn(ctx context.Context, person graph.UserID) error {
	return p.change(ctx, p.optOuts.Remove, person)
}

// Forget opts a person out and erases what was made from their words before. The store
// resumes it if it is interrupted.
func (p *People) Forget(ctx context.Context, person graph.UserID) error {
	if err := p.OptOut(ctx, person); err != nil {
		return err
	}
	if err := p.change(ctx, p.deletions.ForgetAuthor, person); err != nil {
		return fmt.Errorf("erase what was made from a person's words: %w", err)
	}
	return nil
}

func (p *People) change(ctx context.Context, change func(context.Context, graph.UserID) error, person graph.UserID) error {
	if err := change(ctx, person); err != nil {
		return err
	}
	p.refreshes.Forget("") // a read that began before may not contain the change
	return p.Refresh(ctx)
}
