package store

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"heddle/graph"
)

// readFor is how long the store remembers up to where a channel was read. It is longer
// than several processes that lose their connections at the same time need to read what
// they missed.
const readFor = time.Hour

// ReadClaim returns the key for reading a channel for questions that were asked while
// no process was connected.
func ReadClaim(channel graph.ChannelID) ClaimKey { return ClaimKey{Scope("_r" + channel.String())} }

// ReadUpTo returns the id before which all questions in a channel have lately been
// taken up by some process; 0 if there is none.
func (b *Backlog) ReadUpTo(ctx context.Context, channel graph.ChannelID) (graph.MessageID, error) {
	values, err := b.base.get(ctx, Key{scopeRead, channel.String()})
	if err != nil {
		return 0, fmt.Errorf("read up to where a channel was read: %w", err)
	}
	id, err := strconv.ParseUint(string(values[0]), 10, 64)
	if values[0] != nil && err != nil {
		b.base.reject(ctx, fmt.Errorf("%w: up to where a channel was read: %w", ErrCorrupt, err))
	}
	return graph.MessageID(id), nil
}

// SetReadUpTo records that all questions in a channel before an id have been taken up.
func (b *Backlog) SetReadUpTo(ctx context.Context, channel graph.ChannelID, upTo graph.MessageID) error {
	return b.base.apply(ctx, "note up to where a channel was read", Change{scopeRead, []Op{
		{Kind: OpRaise, Name: channel.String(), Value: digits(upTo), TTL: readFor},
	}})
}

// checkedName is the name of the entry that holds when the last complete check of
// sources began.
const checkedName = "checked"

// CheckClaim returns the key that a process claims to check sources against Discord.
func CheckClaim() ClaimKey { return ClaimKey{"_check"} }

// Checked returns the time at which the last complete check of all sources against
// Discord began. It is zero if there was none.
func (b *Backlog) Checked(ctx context.Context) (time.Time, error) {
	values, err := b.base.get(ctx, Key{ScopeMeta, checkedName})
	if err != nil {
		return time.Time{}, fmt.Errorf("read when sources were checked: %w", err)
	}
	if values[0] == nil {
		return time.Time{}, nil
	}
	at, err := strconv.ParseInt(string(values[0]), 10, 64)
	if err != nil {
		b.base.reject(ctx, fmt.Errorf("%w: when sources were checked: %w", ErrCorrupt, err))
		return time.Time{}, nil
	}
	return time.UnixMilli(at), nil
}

// SetChecked records that a check was completed, and when it began.
func (b *Backlog) SetChecked(ctx context.Context, began time.Time) error {
	return b.base.apply(ctx, "note that sources were checked", Change{ScopeMeta, []Op{
		{Kind: OpPut, Name: checkedName, Value: strconv.FormatInt(began.UnixMilli(), 10), TTL: forever},
	}})
}
