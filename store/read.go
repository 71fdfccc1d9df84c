package store

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"heddle/graph"
)

// readFor is how long it is remembered up to where a channel was read: longer than
// processes that lost their connections at the same time take to read what they missed.
const readFor = time.Hour

// ReadClaim returns the key under which a channel is read for what was asked in it while
// nobody heard.
func ReadClaim(channel graph.ChannelID) ClaimKey { return ClaimKey{Scope("_r" + channel.String())} }

// ReadUpTo returns the id before which some process has lately taken up all that was asked
// in a channel; 0 if none has.
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

// SetReadUpTo notes that all was taken up that was asked in a channel before an id.
func (b *Backlog) SetReadUpTo(ctx context.Context, channel graph.ChannelID, upTo graph.MessageID) error {
	return b.base.apply(ctx, "note up to where a channel was read", Change{scopeRead, []Op{
		{Kind: OpRaise, Name: channel.String(), Value: digits(upTo), TTL: readFor},
	}})
}
