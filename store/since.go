package store

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// sinceName is the entry that says when the store began.
const sinceName = "since"

// Since gives the time from which on the store knows what was done. What came before
// may have been done by a heddle whose store is lost: a Redis that came back empty, a
// file that was damaged. It is zero for a store of before this was kept, and now for
// one that is empty.
func (b *Backlog) Since(ctx context.Context) (time.Time, error) {
	values, err := b.base.get(ctx, Key{ScopeMeta, schemaName}, Key{ScopeMeta, sinceName})
	switch {
	case err != nil:
		return time.Time{}, err
	case values[0] == nil:
		return b.base.now(), b.base.begin(ctx)
	case values[1] == nil:
		return time.Time{}, nil
	}
	at, err := strconv.ParseInt(string(values[1]), 10, 64)
	if err != nil {
		b.base.reject(ctx, fmt.Errorf("%w: when the store began: %w", ErrCorrupt, err))
		return b.base.now(), nil
	}
	return time.UnixMilli(at), nil
}

// renewing is an engine that begins anew where it finds what it kept damaged.
type renewing interface{ Renewals() int64 }

// renewals is how often the engine began anew.
func (s *base) renewals() int64 {
	if engine, ok := s.engine.(renewing); ok {
		return engine.Renewals()
	}
	return 0
}
