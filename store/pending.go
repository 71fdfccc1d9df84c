package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"heddle/graph"
)

// Pending is a trigger that waits for its answer. Its text is not stored.
type Pending struct {
	Guild   graph.GuildID // zero in a direct message
	Channel graph.ChannelID
	Trigger graph.MessageID
}

// pendingSize is three ids of eight bytes.
const pendingSize = 24

func (p Pending) encode() string {
	b := make([]byte, 0, pendingSize)
	b = binary.BigEndian.AppendUint64(b, uint64(p.Guild))
	b = binary.BigEndian.AppendUint64(b, uint64(p.Channel))
	return string(binary.BigEndian.AppendUint64(b, uint64(p.Trigger)))
}

// Enqueue stores a trigger until it is removed or Lifetimes.Pending has passed.
func (b *Backlog) Enqueue(ctx context.Context, p Pending) error {
	return b.base.apply(ctx, "keep a waiting trigger", Change{scopePending, []Op{
		{Kind: OpAdd, Name: setName, Value: p.encode(), TTL: b.base.lives.Pending},
	}})
}

// Pending returns the waiting triggers in the order in which they were asked.
func (b *Backlog) Pending(ctx context.Context) ([]Pending, error) {
	members, err := b.base.members(ctx, scopePending, Query{Set: setName})
	if err != nil {
		return nil, fmt.Errorf("read the waiting triggers: %w", err)
	}
	waiting := make([]Pending, 0, len(members[0]))
	for _, member := range members[0] {
		if len(member.Name) != pendingSize {
			b.base.reject(ctx, fmt.Errorf("%w: a waiting trigger of %d bytes", ErrCorrupt, len(member.Name)))
			continue
		}
		raw := []byte(member.Name)
		waiting = append(waiting, Pending{
			Guild:   graph.GuildID(binary.BigEndian.Uint64(raw)),
			Channel: graph.ChannelID(binary.BigEndian.Uint64(raw[8:])),
			Trigger: graph.MessageID(binary.BigEndian.Uint64(raw[16:])),
		})
	}
	slices.SortFunc(waiting, func(a, b Pending) int { return cmp.Compare(a.Trigger, b.Trigger) })
	return waiting, nil
}

// Remove removes a trigger that no longer waits.
func (b *Backlog) Remove(ctx context.Context, p Pending) error {
	return b.base.apply(ctx, "drop a waiting trigger", Change{scopePending, []Op{
		{Kind: OpRemove, Name: setName, Value: p.encode()},
	}})
}
