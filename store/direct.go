package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"heddle/graph"
)

// directPeriods is the number of periods over which the remembered direct messages are
// spread, so that each channel expires by itself.
const directPeriods = 8

// directPeriod returns the name of the set for the period that a time belongs to.
func (b *Backlog) directPeriod(at time.Time) string {
	return strconv.FormatInt(at.UnixNano()/int64(b.base.lives.Direct/directPeriods), 10)
}

// Direct remembers that heddle talked in a direct message. Discord does not list them
// after an absence.
func (b *Backlog) Direct(ctx context.Context, channel graph.ChannelID) error {
	b.base.forgetKnown()
	now := b.base.now()
	set, member := b.directPeriod(now), idBytes(channel)
	known := string(scopeDirect) + set + " " + member
	if b.base.known.has(known, now) {
		return nil
	}
	err := b.base.apply(ctx, "remember a direct message", Change{scopeDirect, []Op{
		{Kind: OpAdd, Name: set, Value: member, TTL: b.base.lives.Direct},
	}})
	if err == nil {
		b.base.known.add(known, now)
	}
	return err
}

// Directs returns the direct messages in which heddle talked within Lifetimes.Direct,
// roughly the latest first. Some may be up to an eighth older.
func (b *Backlog) Directs(ctx context.Context) ([]graph.ChannelID, error) {
	queries := make([]Query, directPeriods+1) // the current period has only begun
	for i := range queries {
		at := b.base.now().Add(-time.Duration(i) * (b.base.lives.Direct / directPeriods))
		queries[i] = Query{Set: b.directPeriod(at), Names: true}
	}
	periods, err := b.base.members(ctx, scopeDirect, queries...)
	if err != nil {
		return nil, fmt.Errorf("list direct messages: %w", err)
	}
	var channels []graph.ChannelID
	listed := make(map[string]bool)
	for _, members := range periods {
		for _, member := range members {
			switch {
			case len(member.Name) != idSize:
				b.base.reject(ctx, fmt.Errorf("%w: a direct message's id of %d bytes", ErrCorrupt, len(member.Name)))
			case !listed[member.Name]:
				listed[member.Name] = true
				channels = append(channels, graph.ChannelID(binary.BigEndian.Uint64([]byte(member.Name))))
			}
		}
	}
	return channels, nil
}
