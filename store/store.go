package store

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"heddle/internal/wait"
)

// Lifetimes holds how long things are stored. A zero field stands for the default named
// beside it.
type Lifetimes struct {
	Response  time.Duration // a response with its turns, counted from the last response that shares them; 30 days
	Done      time.Duration // a done-mark: longer than any redelivery; 7 days
	Pending   time.Duration // a waiting trigger; 1 hour
	Direct    time.Duration // a direct message in which heddle talked; 90 days
	Forgotten time.Duration // the mark of a deletion: longer than an answer takes; 1 day
	Edited    time.Duration // the older version of an edited message, and what was made from it; 10 minutes
}

func (l Lifetimes) orDefaults() Lifetimes {
	const day = 24 * time.Hour
	for _, field := range []struct {
		value    *time.Duration
		fallback time.Duration
	}{
		{&l.Response, 30 * day}, {&l.Done, 7 * day}, {&l.Pending, time.Hour}, {&l.Direct, 90 * day}, {&l.Forgotten, day}, {&l.Edited, 10 * time.Minute},
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
//
// Overrides, Pauses, Shards, Spending and Vectors return further parts, each of which only
// one caller needs.
type Store struct {
	Responses *Responses
	Displays  *Displays
	Claims    *Claims
	Ratings   *Ratings
	Deletions *Deletions
	Extents   *Extents
	OptOuts   *OptOuts
	Backlog   *Backlog
	Budgets   *Budgets
	Measures  *Measures
	Archive   *Archive

	base *base
}

// New returns a Store over an engine, which it owns from then on.
func New(engine Engine, options Options) *Store {
	b := newBase(engine, options)
	scopes, claims := &scopes{b}, &Claims{b}
	responses := &Responses{b, scopes, claims}
	ratings := &Ratings{b, responses}
	return &Store{
		Responses: responses,
		Displays:  &Displays{b},
		Claims:    claims,
		Ratings:   ratings,
		Deletions: &Deletions{b, scopes, ratings},
		Extents:   &Extents{b, scopes, ratings},
		OptOuts:   &OptOuts{b},
		Backlog:   &Backlog{b},
		Budgets:   &Budgets{b},
		Measures:  &Measures{b},
		Archive:   &Archive{b, scopes, responses},
		base:      b,
	}
}

// Ping returns an error if the store cannot be reached or was written by a newer
// heddle. It marks a new store with its schema.
func (s *Store) Ping(ctx context.Context) error {
	values, err := s.base.get(ctx, Key{ScopeMeta, SchemaName})
	if err != nil {
		return fmt.Errorf("read the store's schema: %w", err)
	}
	if value := values[0]; value != nil {
		if string(value) == SchemaRestoring {
			return ErrRestoring
		}
		newest := max(Schema, s.base.schema())
		if schema, err := strconv.Atoi(string(value)); err != nil || schema > newest {
			return fmt.Errorf("%w: it has schema %.20q, and this version knows up to %d", ErrSchema, value, newest)
		}
		return nil
	}
	return s.base.begin(ctx)
}

// forever is the lifetime of what never expires.
const forever = 100 * 365 * 24 * time.Hour

// schema returns the schema with which the engine stores.
func (s *base) schema() int {
	if engine, ok := s.engine.(interface{ Schema() int }); ok {
		return engine.Schema()
	}
	return Schema
}

// begin marks a new store with its schema and with the time at which it began.
func (s *base) begin(ctx context.Context) error {
	return s.apply(ctx, "mark a new store", Change{ScopeMeta, []Op{
		{Kind: OpAbsent, Name: SchemaName},
		{Kind: OpPut, Name: SchemaName, Value: strconv.Itoa(s.schema()), TTL: forever},
		{Kind: OpPut, Name: sinceName, Value: strconv.FormatInt(s.clock().UnixMilli(), 10), TTL: forever},
	}})
}

// Run resumes interrupted deletions, erases what was derived from older versions of
// edited messages, and removes expired entries, until ctx ends. Then it returns nil.
func (s *Store) Run(ctx context.Context) error {
	const busy = 100 * time.Millisecond
	pause := min(time.Minute, max(s.base.lives.Edited/2, busy))
	unfinished := s.Deletions.Finish(ctx) != nil // note logs an outage
	for next := pause; wait.For(ctx, next) == nil; {
		if unfinished || s.base.isErasing(ctx) {
			unfinished = s.Deletions.Finish(ctx) != nil
		}
		next = pause
		_ = s.Deletions.EraseEdited(ctx) // tried again at the next tick; note logs an outage
		removed, err := s.base.engine.Sweep(ctx)
		if err != nil { // a success proves nothing, because the engine may have had nothing to sweep
			_ = s.base.took(ctx, s.base.outage.begins(), call{write: true, err: err})
		} else if removed > 0 {
			next = busy
		}
	}
	return nil
}

// Close closes the engine.
func (s *Store) Close() error {
	if err := s.base.engine.Close(); err != nil {
		return fmt.Errorf("close the store: %w", err)
	}
	return nil
}
