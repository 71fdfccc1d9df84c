package store

import (
	"cmp"
	"context"
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
	// By identifies the process that took the trigger. If two processes take the same
	// trigger, each settles only its own entry.
	By uint64
}

// pendingForm is the stored form of a Pending.
const pendingForm = "%d %d %d %d %d"

func (p Pending) encode() string {
	return fmt.Sprintf(pendingForm, uint64(p.Guild), uint64(p.Channel), uint64(p.Trigger), p.Edited, p.By)
}

// Take stores a trigger that waits or is being answered, until Settle is called for it or
// a week has passed.
func (b *Backlog) Take(ctx context.Context, p Pending) error {
	return b.add(ctx, "keep a trigger that was taken", scopeTaken, p.encode(), doneFor)
}

// Taken returns the triggers that were taken and not settled, in the order in which
// they were asked. A trigger that several processes took is listed several times.
func (b *Backlog) Taken(ctx context.Context) ([]Pending, error) {
	members, err := b.base.set(ctx, scopeTaken, setName)
	if err != nil {
		return nil, fmt.Errorf("read the triggers that were taken: %w", err)
	}
	taken := make([]Pending, 0, len(members))
	for _, member := range members {
		var p Pending
		var guild, channel, trigger uint64
		if _, err := fmt.Sscanf(member, pendingForm, &guild, &channel, &trigger, &p.Edited, &p.By); err != nil {
			b.base.reject(ctx, fmt.Errorf("%w: a waiting trigger: %w", ErrCorrupt, err))
			continue
		}
		p.Guild, p.Channel, p.Trigger = graph.GuildID(guild), graph.ChannelID(channel), graph.MessageID(trigger)
		taken = append(taken, p)
	}
	slices.SortFunc(taken, func(a, b Pending) int { return cmp.Compare(a.Trigger, b.Trigger) })
	return taken, nil
}

// Settle removes a trigger that was taken.
func (b *Backlog) Settle(ctx context.Context, p Pending) error {
	return b.base.write(ctx, "drop a trigger that was taken", scopeTaken, func(t *tx) { t.take(setName, p.encode()) })
}

func (b *Backlog) add(ctx context.Context, what string, to Scope, member string, ttl time.Duration) error {
	return b.base.write(ctx, what, to, func(t *tx) { t.add(setName, member, ttl) })
}

// usedFor is how long a used channel is remembered.
const usedFor = 24 * time.Hour

// UsedChannel is a channel or a thread in which people asked.
type UsedChannel struct {
	Guild   graph.GuildID // zero for a direct message
	Channel graph.ChannelID
}

// Use records that people asked in a channel. A direct message is remembered for 90 days:
// without the record heddle could not find it after an absence, as Discord does not list it.
func (b *Backlog) Use(ctx context.Context, used UsedChannel) error {
	ttl := usedFor
	if used.Guild == 0 {
		ttl = directFor
	}
	return b.add(ctx, "remember a channel", scopeUsed, idBytes(used.Guild)+idBytes(used.Channel), ttl)
}

// Used returns the channels of guilds in which people asked within about a day, and the direct
// messages in which they did within 90 days, the latest first.
func (b *Backlog) Used(ctx context.Context) ([]UsedChannel, error) {
	members, err := b.base.set(ctx, scopeUsed, setName)
	if err != nil {
		return nil, fmt.Errorf("list channels: %w", err)
	}
	var channels []UsedChannel
	for _, member := range members {
		if len(member) == 2*idSize {
			channels = append(channels, UsedChannel{graph.GuildID(idOf(member[:idSize])), graph.ChannelID(idOf(member[idSize:]))})
		}
	}
	return channels, nil
}

// sinceName is the name of the entry of ScopeMeta that holds when the store began.
const sinceName = "since"

// Since returns the time from which on the store knows what was done. For an empty
// store that is now. What happened earlier may have been handled already, and the
// record lost, because Redis came back empty or the file was damaged. If the entry is
// damaged, Since returns the present time.
func (b *Backlog) Since(ctx context.Context) (time.Time, error) {
	b.base.fits.Store(0)
	if err := b.base.begun(ctx); err != nil {
		return time.Time{}, err
	}
	values, err := b.base.values(ctx, ScopeMeta, sinceName)
	if err != nil {
		return time.Time{}, fmt.Errorf("ask when the store began: %w", err)
	}
	if at := countIn(values[0]); at != 0 {
		return time.UnixMilli(at), nil
	}
	return b.base.clock(), nil
}
