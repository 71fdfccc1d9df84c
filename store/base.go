package store

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"
)

// base is what the parts of a Store share: the settings, and the engine, whose failures
// base records.
type base struct {
	engine   Engine
	shared   bool // other processes may use the engine at the same time
	lives    Lifetimes
	log      *slog.Logger
	now      func() time.Time
	clock    func() time.Time // see Options
	known    *recent
	counters counters

	saved       given // by the engine, which may have lost them since
	unsaved     given // as the engine was away or full
	outage      outage
	damaged     atomic.Bool  // a damaged entry has been logged
	quarantined atomic.Int64 // number of quarantines when known was last used
}

func newBase(engine Engine, options Options) *base {
	b := &base{engine: engine, shared: options.Shared, lives: options.Lifetimes.orDefaults(), log: options.Log, now: options.Now, clock: options.Clock}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	if b.now == nil {
		b.now = time.Now
	}
	if b.clock == nil {
		b.clock = b.now
	}
	b.known = newRecent(min(b.lives.Response/8, 10*time.Minute))
	return b
}

// get reads values as Engine.Get does.
func (s *base) get(ctx context.Context, keys ...Key) ([][]byte, error) {
	began := s.outage.begins()
	values, err := s.engine.Get(ctx, keys...)
	return values, s.note(ctx, began, err)
}

// members reads sets as Engine.Follow does.
func (s *base) members(ctx context.Context, scope Scope, queries ...Query) ([][]Member, error) {
	began := s.outage.begins()
	members, err := s.engine.Follow(ctx, scope, queries...)
	return members, s.note(ctx, began, err)
}

// change makes changes as Engine.Apply does.
func (s *base) change(ctx context.Context, changes ...Change) ([]int, error) {
	began := s.outage.begins()
	failed, err := s.engine.Apply(ctx, changes...)
	return failed, s.took(ctx, began, changed(changes, failed, err))
}

// apply makes changes that have no conditions.
func (s *base) apply(ctx context.Context, what string, changes ...Change) error {
	if _, err := s.change(ctx, changes...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// reject counts a damaged entry and logs the first.
func (s *base) reject(ctx context.Context, err error) {
	s.counters.damaged.Add(1)
	if s.damaged.CompareAndSwap(false, true) {
		s.log.WarnContext(ctx, "a stored entry is damaged and is ignored; further ones are only counted", "error", err)
	}
}
