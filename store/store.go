package store

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/graph"
	"heddle/internal/wait"
	"heddle/store/seal"
)

// Lifetimes holds how long things are stored. A zero field stands for the default named
// beside it.
type Lifetimes struct {
	Response time.Duration // a response with its turns, counted from the last response that shares them; 30 days
	Edited   time.Duration // the older version of an edited message, and what was made from it; 10 minutes
}

const (
	day          = 24 * time.Hour
	doneFor      = 7 * day  // a done-mark: longer than any redelivery
	directFor    = 90 * day // a direct message in which heddle talked
	forgottenFor = day      // the mark of a deletion: longer than an answer takes
)

// Options are the settings of a Store.
type Options struct {
	Lifetimes Lifetimes
	Key       *seal.Key        // master key; nil: nothing is encrypted
	Shared    bool             // other processes may use the engine, too
	Log       *slog.Logger     // nil: nothing is logged
	Now       func() time.Time // nil: time.Now
	// Clock returns Discord's time, which the ids of messages contain and which is the
	// same for processes on all machines; nil: Now.
	Clock func() time.Time
}

// Store is a store over one engine, which its parts share. They may be used by several
// goroutines at once. Calls fail with an error that wraps ErrUnavailable if the engine
// cannot be reached. Damaged entries are counted, and otherwise treated as absent.
type Store struct {
	Responses *Responses
	Claims    *Claims
	Ratings   *Ratings
	Deletions *Deletions
	OptOuts   *OptOuts
	Backlog   *Backlog
	Budgets   *Budgets
	Archive   *Archive
	Overrides *Overrides
	Shards    *Shards
	Names     *Names

	base *base
}

// base is what the parts of a Store share: the vault with its log and clocks, the settings,
// and what this process remembers of its answers.
type base struct {
	*vault

	shared bool // other processes may use the engine at the same time
	lives  Lifetimes

	given         given
	edited        *lru.Cache[graph.MessageID, Erasure] // the latest edits, for answers on their way
	saved, erased atomic.Int64
	damaged       atomic.Int64
}

// New returns a Store over an engine, which it owns from then on.
func New(engine Engine, options Options) *Store {
	v := &vault{engine: engine, sealer: seal.New(options.Key), packer: newPacker(), log: options.Log, now: options.Now, clock: options.Clock}
	v.log = cmp.Or(v.log, slog.New(slog.DiscardHandler))
	if v.now == nil {
		v.now = time.Now
	}
	if v.clock == nil {
		v.clock = v.now
	}
	edited, _ := lru.New[graph.MessageID, Erasure](mostEdited) // the size is positive
	b := &base{vault: v, shared: options.Shared, lives: options.Lifetimes, edited: edited}
	b.lives.Response, b.lives.Edited = cmp.Or(b.lives.Response, 30*day), cmp.Or(b.lives.Edited, 10*time.Minute)
	return &Store{
		Responses: &Responses{b}, Claims: &Claims{b}, Ratings: &Ratings{b}, Deletions: &Deletions{b}, OptOuts: &OptOuts{b},
		Backlog: &Backlog{b}, Budgets: &Budgets{b}, Archive: &Archive{b}, Overrides: &Overrides{b},
		Shards: &Shards{b}, Names: &Names{b},
		base: b,
	}
}

// reject counts a damaged entry and logs the first.
func (s *base) reject(ctx context.Context, err error) {
	if s.damaged.Add(1) == 1 {
		s.log.WarnContext(ctx, "a stored entry is damaged and is ignored; further ones are only counted", "error", err)
	}
}

// Run resumes interrupted deletions, erases what was derived from older versions of
// edited messages, and removes expired entries, until ctx ends. Then it returns nil.
func (s *Store) Run(ctx context.Context) error {
	const busy = 100 * time.Millisecond
	pause := min(time.Minute, max(s.base.lives.Edited/2, busy))
	for next := time.Duration(0); wait.For(ctx, next) == nil; {
		next = pause
		_ = s.Deletions.Finish(ctx) // tried again at the next tick; the store logs an outage
		removed, err := s.base.engine.Sweep(ctx)
		if err != nil { // a success proves nothing, because the engine may have had nothing to sweep
			_ = s.base.call(ctx, func() (bool, error) { return true, err })
		} else if removed > 0 {
			next = busy
		}
	}
	return nil
}

// Stats counts events since the Store was made.
type Stats struct {
	Saved       int64 // responses
	Erased      int64 // responses that were erased
	Damaged     int64 // entries ignored
	Failed      int64 // calls that failed because the engine was unavailable
	Quarantined int64 // times that the engine quarantined damaged data and started empty
}

// Stats returns the counts.
func (s *Store) Stats() Stats {
	b := s.base
	stats := Stats{Saved: b.saved.Load(), Erased: b.erased.Load(), Damaged: b.damaged.Load(), Failed: b.failed.Load()}
	if engine, ok := b.engine.(interface{ Quarantines() int64 }); ok {
		stats.Quarantined = engine.Quarantines()
	}
	return stats
}

// Close closes the engine.
func (s *Store) Close() error {
	if err := s.base.engine.Close(); err != nil {
		return fmt.Errorf("close the store: %w", err)
	}
	return nil
}
