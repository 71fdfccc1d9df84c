package store

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// sinceName is the name of the entry that holds when the store began.
const sinceName = "since"

// Since returns the time from which on the store knows what was done. For an empty
// store that is now. What happened earlier may have been handled already, and the
// record lost, because Redis came back empty or the file was damaged.
func (b *Backlog) Since(ctx context.Context) (time.Time, error) { return b.base.since(ctx) }

// since is Since. It begins an empty store, and returns the present time if the entry
// is damaged.
func (s *base) since(ctx context.Context) (time.Time, error) {
	values, err := s.get(ctx, Key{ScopeMeta, SchemaName}, Key{ScopeMeta, sinceName})
	switch {
	case err != nil:
		return time.Time{}, fmt.Errorf("read when the store began: %w", err)
	case values[0] == nil:
		return s.clock(), s.begin(ctx)
	}
	at, err := strconv.ParseInt(string(values[1]), 10, 64)
	if err != nil {
		s.reject(ctx, fmt.Errorf("%w: when the store began: %w", ErrCorrupt, err))
		return s.clock(), nil
	}
	return time.UnixMilli(at), nil
}

// quarantining is implemented by engines that quarantine damaged data and start empty.
type quarantining interface{ Quarantines() int64 }

// quarantines returns how often the engine quarantined its data and started empty.
func (s *base) quarantines() int64 {
	if engine, ok := s.engine.(quarantining); ok {
		return engine.Quarantines()
	}
	return 0
}
