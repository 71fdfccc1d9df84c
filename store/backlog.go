package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"heddle/graph"
)

// Backlog stores what has to be caught up with after an absence.
type Backlog struct{ base *base }

// Pending is a trigger that waits for its answer, or is being answered. Its text is not
// stored.
type Pending struct {
	Guild   graph.GuildID // zero in a direct message
	Channel graph.ChannelID
	Trigger graph.MessageID
	// Edited is the time of the edit that is to be handled, in Unix microseconds; 0 for
	// the trigger itself.
	Edited int64
	// By identifies the process that took the trigger; 0 for a trigger that waits. If
	// two processes take the same trigger, each settles only its own entry.
	By uint64
}

// Claim returns the key under which the trigger or its edit is claimed.
func (p Pending) Claim() ClaimKey {
	if p.Edited != 0 {
		return EditClaim(p.Trigger, time.UnixMicro(p.Edited))
	}
	return TriggerClaim(p.Trigger)
}

// A stored trigger is three ids of eight bytes each. If it is an edit or was taken, the
// time of the edit follows, and if it was taken, the process.
const pendingSize, editedSize, takenSize = 24, 32, 40

func (p Pending) encode() string {
	b := make([]byte, 0, takenSize)
	b = binary.BigEndian.AppendUint64(b, uint64(p.Guild))
	b = binary.BigEndian.AppendUint64(b, uint64(p.Channel))
	b = binary.BigEndian.AppendUint64(b, uint64(p.Trigger))
	if p.Edited != 0 || p.By != 0 {
		b = binary.BigEndian.AppendUint64(b, uint64(p.Edited)) //nolint:gosec // decoded likewise
	}
	if p.By != 0 {
		b = binary.BigEndian.AppendUint64(b, p.By)
	}
	return string(b)
}

// Enqueue stores a trigger until it is removed or Lifetimes.Pending has passed.
func (b *Backlog) Enqueue(ctx context.Context, p Pending) error {
	return b.add(ctx, "keep a waiting trigger", scopePending, p)
}

// Pending returns the waiting triggers in the order in which they were asked.
func (b *Backlog) Pending(ctx context.Context) ([]Pending, error) {
	return b.list(ctx, "read the waiting triggers", scopePending)
}

// Take stores a trigger that is being answered, until Settle is called for it or
// Lifetimes.Done has passed.
func (b *Backlog) Take(ctx context.Context, p Pending) error {
	return b.add(ctx, "keep a trigger that was taken", scopeTaken, p)
}

// Taken returns the triggers that were taken and not settled, in the order in which
// they were asked. A trigger that several processes took is listed several times.
func (b *Backlog) Taken(ctx context.Context) ([]Pending, error) {
	return b.list(ctx, "read the triggers that were taken", scopeTaken)
}

// Settle removes a trigger that was taken.
func (b *Backlog) Settle(ctx context.Context, p Pending) error {
	return b.remove(ctx, "drop a trigger that was taken", scopeTaken, p)
}

func (b *Backlog) add(ctx context.Context, what string, to Scope, p Pending) error {
	ttl := b.base.lives.Pending
	if to == scopeTaken {
		ttl = b.base.lives.Done
	}
	return b.base.apply(ctx, what, Change{to, []Op{{Kind: OpAdd, Name: setName, Value: p.encode(), TTL: ttl}}})
}

func (b *Backlog) remove(ctx context.Context, what string, from Scope, p Pending) error {
	return b.base.apply(ctx, what, Change{from, []Op{{Kind: OpRemove, Name: setName, Value: p.encode()}}})
}

// list returns the triggers that wait in a scope, oldest first.
func (b *Backlog) list(ctx context.Context, what string, in Scope) ([]Pending, error) {
	members, err := b.base.members(ctx, in, Query{Set: setName})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	waiting := make([]Pending, 0, len(members[0]))
	for _, member := range members[0] {
		p, err := decodePending(member.Name)
		if err != nil {
			b.base.reject(ctx, err)
			continue
		}
		waiting = append(waiting, p)
	}
	slices.SortFunc(waiting, func(a, b Pending) int { return cmp.Compare(a.Trigger, b.Trigger) })
	return waiting, nil
}

// decodePending is the inverse of Pending.encode.
func decodePending(stored string) (Pending, error) {
	raw := []byte(stored)
	if n := len(raw); n != pendingSize && n != editedSize && n != takenSize {
		return Pending{}, fmt.Errorf("%w: a waiting trigger of %d bytes", ErrCorrupt, n)
	}
	p := Pending{
		Guild:   graph.GuildID(binary.BigEndian.Uint64(raw)),
		Channel: graph.ChannelID(binary.BigEndian.Uint64(raw[8:])),
		Trigger: graph.MessageID(binary.BigEndian.Uint64(raw[16:])),
	}
	if len(raw) >= editedSize {
		p.Edited = int64(binary.BigEndian.Uint64(raw[pendingSize:])) //nolint:gosec // as it was encoded
	}
	if len(raw) == takenSize {
		p.By = binary.BigEndian.Uint64(raw[editedSize:])
	}
	return p, nil
}

// Remove removes a trigger that no longer waits.
func (b *Backlog) Remove(ctx context.Context, p Pending) error {
	return b.remove(ctx, "drop a waiting trigger", scopePending, p)
}
