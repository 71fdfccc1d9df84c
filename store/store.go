package store

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"
)

// Lifetimes say how long things are kept. A zero one stands for its default.
type Lifetimes struct {
	Response  time.Duration // a response with its turns, after the last response that shares them; 30 days
	Done      time.Duration // that a trigger was answered: longer than any redelivery; 7 days
	Pending   time.Duration // a trigger that waits; 1 hour
	Direct    time.Duration // that heddle talked in a direct message; 90 days
	Forgotten time.Duration // that something was deleted: longer than an answer takes; 1 day
}

func (l Lifetimes) orDefaults() Lifetimes {
	const day = 24 * time.Hour
	for _, field := range []struct {
		value    *time.Duration
		fallback time.Duration
	}{
		{&l.Response, 30 * day}, {&l.Done, 7 * day}, {&l.Pending, time.Hour}, {&l.Direct, 90 * day}, {&l.Forgotten, day},
	} {
		if *field.value <= 0 {
			*field.value = field.fallback
		}
	}
	return l
}

// Options are the settings of a Store.
type Options struct {
	Lifetimes Lifetimes
	Log       *slog.Logger     // nil: nothing is logged
	Now       func() time.Time // nil: time.Now
}

// Store remembers. It may be used by several goroutines at once. Calls fail with
// an error that wraps ErrUnavailable when the engine cannot be reached; damaged
// entries are counted and otherwise are as if they were not there.
type Store struct {
	engine   Engine
	lives    Lifetimes
	log      *slog.Logger
	now      func() time.Time
	known    *recent
	counters counters

	outage  outage
	damaged atomic.Bool  // somebody was told of a damaged entry
	renewed atomic.Int64 // how often the engine had begun anew when known was looked at last
}

// New makes a Store over an engine, which it owns from then on.
func New(engine Engine, options Options) *Store {
	s := &Store{engine: engine, lives: options.Lifetimes.orDefaults(), log: options.Log, now: options.Now}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	s.known = newRecent(min(s.lives.Response/8, 10*time.Minute))
	return s
}

// Ping says whether the store can be reached and was not written by a newer
// heddle, and marks a new store with its schema.
func (s *Store) Ping(ctx context.Context) error {
	values, err := s.engine.Get(ctx, Key{ScopeMeta, schemaName})
	if err := s.note(ctx, err); err != nil {
		return fmt.Errorf("read the store's schema: %w", err)
	}
	if value := values[0]; value != nil {
		if schema, err := strconv.Atoi(string(value)); err != nil || schema > Schema {
			return fmt.Errorf("%w: schema %.20q, this one knows %d", ErrSchema, value, Schema)
		}
		return nil
	}
	return s.begin(ctx)
}

// schemaName is the entry that says which schema wrote the store.
const schemaName = "schema"

// begin marks a new store with its schema and with when it began.
func (s *Store) begin(ctx context.Context) error {
	const forever = 100 * 365 * 24 * time.Hour
	return s.apply(ctx, "mark a new store", Change{ScopeMeta, []Op{
		{Kind: OpAbsent, Name: schemaName},
		{Kind: OpPut, Name: schemaName, Value: strconv.Itoa(Schema), TTL: forever},
		{Kind: OpPut, Name: sinceName, Value: strconv.FormatInt(s.now().UnixMilli(), 10), TTL: forever},
	}})
}

// Run goes on with deletions that were broken off, and removes what is over, until
// the context ends, and then returns nil.
func (s *Store) Run(ctx context.Context) error {
	const pause, busy = time.Minute, 100 * time.Millisecond
	unfinished := s.FinishForgetting(ctx) != nil // what is away is told of by note
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		if unfinished {
			unfinished = s.FinishForgetting(ctx) != nil
		}
		next := pause
		removed, err := s.engine.Sweep(ctx)
		if err != nil { // without one nothing is known: an engine may have nothing to do
			_ = s.took(ctx, call{write: true, err: err})
		} else if removed > 0 {
			next = busy
		}
		timer.Reset(next)
	}
}

// Close ends the use of the store.
func (s *Store) Close() error {
	if err := s.engine.Close(); err != nil {
		return fmt.Errorf("close the store: %w", err)
	}
	return nil
}

// apply makes changes that have no conditions.
func (s *Store) apply(ctx context.Context, what string, changes ...Change) error {
	if _, err := s.change(ctx, changes...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// reject counts an entry that is damaged and tells the operator of the first.
func (s *Store) reject(ctx context.Context, err error) {
	s.counters.damaged.Add(1)
	if s.damaged.CompareAndSwap(false, true) {
		s.log.WarnContext(ctx, "a stored entry is damaged and was passed over; further ones are only counted", "error", err)
	}
}
