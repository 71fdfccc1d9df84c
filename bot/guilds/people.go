package guilds

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/wait"
	"heddle/store"
)

// refreshEvery is how often a process checks whether people opted out or in through
// another process.
const refreshEvery = time.Second

// People knows who opted out, and opts people out and in. Its methods may be called
// from any goroutine.
type People struct {
	store     *store.Store
	history   *fetch.History
	log       *slog.Logger
	names     *Names // nil: nobody has any
	known     atomic.Pointer[known]
	epoch     atomic.Int64
	refreshes singleflight.Group
}

// known is the list as it was last read. It is immutable.
type known struct {
	version string
	out     map[graph.UserID]bool
}

// NewPeople returns People that are known once Refresh has succeeded. When somebody opts out or
// in, through this process or another, history drops what it holds of their channels.
func NewPeople(stored *store.Store, history *fetch.History, log *slog.Logger) *People {
	return &People{store: stored, history: history, log: log}
}

// Epoch returns a number that is another one once somebody has opted out or in. What was read
// from messages in an earlier epoch may hold what must not be used any more.
func (p *People) Epoch() int { return int(p.epoch.Load()) }

// OptedOut reports whether a person has opted out, as of the last Refresh.
func (p *People) OptedOut(person graph.UserID) bool {
	known := p.known.Load()
	return known != nil && known.out[person]
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

// refresh reads the list, and drops what is held of those who have opted out or in since.
func (p *People) refresh(ctx context.Context) error {
	before := p.known.Load()
	if before != nil {
		version, err := p.store.OptOuts.Version(ctx)
		if err != nil || version == before.version {
			return err
		}
	}
	all, err := p.store.OptOuts.All(ctx)
	if err != nil {
		return err
	}
	now := &known{all.Version, make(map[graph.UserID]bool, len(all.People))}
	for _, person := range all.People {
		now.out[person] = true
	}
	p.known.Store(now)
	for _, person := range changed(before, now) {
		p.epoch.Add(1)
		channels := p.history.ForgetPerson(person)
		if p.names != nil {
			p.names.Forget(person)
		}
		if now.out[person] { // another process may have stored the name meanwhile
			if err := p.store.Names.Forget(ctx, person); err != nil {
				return err //nolint:wrapcheck // it says what failed
			}
		}
		p.log.InfoContext(ctx, "a person opted out or in, what was held of their channels is dropped", "channels", channels)
	}
	return nil
}

// changed returns, in order, who is in exactly one of two lists. before may be nil.
func changed(before, now *known) []graph.UserID {
	people := slices.Collect(maps.Keys(now.out))
	if before != nil {
		people = slices.AppendSeq(people, maps.Keys(before.out))
		people = slices.DeleteFunc(people, func(person graph.UserID) bool { return now.out[person] == before.out[person] })
	}
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
	return p.change(ctx, p.store.OptOuts.Add, person)
}

// OptIn ends OptOut and Forget.
func (p *People) OptIn(ctx context.Context, person graph.UserID) error {
	return p.change(ctx, p.store.OptOuts.Remove, person)
}

// Forget opts a person out and erases what was made from their words before. The store
// resumes it if it is interrupted.
func (p *People) Forget(ctx context.Context, person graph.UserID) error {
	if err := p.OptOut(ctx, person); err != nil {
		return err
	}
	if err := p.store.Deletions.Erase(ctx, store.Erasure{Person: person}); err != nil {
		return fmt.Errorf("erase what was made from a person's words: %w", err)
	}
	return nil
}

func (p *People) change(ctx context.Context, change func(context.Context, graph.UserID) error, person graph.UserID) error {
	if err := change(ctx, person); err != nil {
		return err
	}
	_ = p.Refresh(ctx) // may share a read that began before the change
	return p.Refresh(ctx)
}
