package dispatch

import (
	"context"
	"slices"
	"time"

	"heddle/bot/conversation"
	"heddle/bot/deferred"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
	"heddle/store"
)

// Waiting stores questions that found the queue of their channel full.
type Waiting interface {
	// Since returns the time since which the store knows which questions were answered.
	Since(ctx context.Context) (time.Time, error)
	Enqueue(ctx context.Context, pending store.Pending) error
	Pending(ctx context.Context) ([]store.Pending, error)
	Remove(ctx context.Context, pending store.Pending) error
}

// Taken stores questions while they are being answered, from the first attempt until
// they are settled.
type Taken interface {
	Take(ctx context.Context, taken store.Pending) error
	Taken(ctx context.Context) ([]store.Pending, error)
	Settle(ctx context.Context, taken store.Pending) error
}

// Directs remembers the direct messages in which people ask heddle.
type Directs interface {
	Direct(ctx context.Context, channel graph.ChannelID) error
	// Directs returns the channels, the latest first.
	Directs(ctx context.Context) ([]graph.ChannelID, error)
}

// Reading stores up to which message channels were read after an absence.
type Reading interface {
	ReadUpTo(ctx context.Context, channel graph.ChannelID) (graph.MessageID, error)
	SetReadUpTo(ctx context.Context, channel graph.ChannelID, upTo graph.MessageID) error
}

// Backlog stores what is to be caught up on; store.Backlog is one.
type Backlog interface {
	Waiting
	Taken
	Directs
	Used
	Reading
}

// catchUpStored answers the questions that an earlier process left in the store, as
// soon as the store can be reached.
func (d *Dispatcher) catchUpStored() {
	d.writes.Add(func(ctx context.Context) error {
		waiting, err := d.backlog.Pending(ctx)
		if err != nil {
			return err
		}
		for _, channel := range channelsOf(waiting) {
			_ = d.queues.push(channel, d.answerStored(channel)) // it fails only if heddle stops
		}
		return nil
	})
}

// takeOver looks periodically, until ctx ends, for questions whose process died while
// it answered them.
func (d *Dispatcher) takeOver(ctx context.Context) {
	for wait.For(ctx, d.once.leases.TTL()) == nil {
		d.catchUpTaken()
	}
}

// catchUpTaken resumes the questions that a process took and did not settle. It leaves
// alone those that another process is answering, and looks at them again later. A question
// that is over as far as this process knows may be about to be settled; it is resumed if
// the next look still finds it.
func (d *Dispatcher) catchUpTaken() {
	d.asking.ledger.writes.Add(func(ctx context.Context) error {
		taken, err := d.backlog.Taken(ctx)
		if err != nil {
			return err
		}
		lingering := make(map[store.Pending]bool)
		for _, p := range taken {
			known := d.once.knows(p.Claim())
			if d.once.recent.isOver(p.Claim()) && p.By != d.asking.ledger.self {
				lingering[p], known = true, !d.asking.ledger.lingering[p]
			}
			if known || p.Guild != 0 && !d.door.guilds.KnowsGuild(p.Guild) {
				continue
			}
			err := d.queues.push(p.Channel, job{by: asker{guild: p.Guild}, run: func(ctx context.Context) { d.resumeTaken(ctx, p) }})
			if err != nil {
				d.log.DebugContext(ctx, "a question that was taken is resumed later", "trigger", p.Trigger, "error", err)
			}
		}
		d.asking.ledger.lingering = lingering
		return nil
	})
}

// resumeTaken resumes a question that a process took and did not settle.
func (d *Dispatcher) resumeTaken(ctx context.Context, p store.Pending) {
	known, err := d.door.meet(ctx, p.Guild, p.Channel)
	if discord.IsNotFound(err) {
		d.asking.ledger.settle(p) // the question is gone together with its channel
		return
	}
	if err != nil || !known {
		d.log.DebugContext(ctx, "a question that was taken is resumed later", "trigger", p.Trigger, "error", err)
		return
	}
	t := d.asking.taken(p, d.door.guilds.Place(p.Channel, p.Guild), d.edits)
	if t == nil {
		d.asking.ledger.settle(p)
		return
	}
	t.again, t.inHand = true, d.once.recent.reopen(p.Claim())
	d.perform(ctx, t)
}

// answerStored returns the job of answering the oldest question that the store keeps
// for a channel. The job of answering the next one follows it.
func (d *Dispatcher) answerStored(channel graph.ChannelID) job {
	return job{one: true, run: func(ctx context.Context) {
		d.writes.Flush(ctx)
		waiting, err := d.backlog.Pending(ctx)
		if err != nil {
			d.log.Log(ctx, work.LogLevel(err), "the questions that wait in the store could not be read, this is tried again", "channel", channel, "error", err)
			d.delays.add(time.Now().Add(deferred.Retry), channel, d.answerStored(channel))
			return
		}
		waiting = slices.DeleteFunc(waiting, func(p store.Pending) bool { return p.Channel != channel })
		if len(waiting) == 0 {
			return
		}
		p := waiting[0]
		if _, err := d.door.meet(ctx, p.Guild, channel); err != nil {
			d.log.DebugContext(ctx, "the channel of a question that waits could not be read", "channel", channel, "error", err)
		}
		t := d.asking.task(conversation.Question{Guild: p.Guild, Channel: channel, ID: p.Trigger, Place: d.door.guilds.Place(channel, p.Guild)}, asker{guild: p.Guild})
		t.again = true
		d.perform(ctx, t)
		if err := d.backlog.Remove(ctx, p); err != nil {
			d.log.Log(ctx, work.LogLevel(err), "an answered question could not be removed from the store, its claim keeps it from being answered again", "trigger", p.Trigger, "error", err)
			d.delays.add(time.Now().Add(deferred.Retry), channel, d.answerStored(channel))
			return
		}
		if len(waiting) > 1 {
			_ = d.queues.push(channel, d.answerStored(channel)) // it fails only if heddle stops
		}
	}}
}

// channelsOf returns the channels of waiting questions, each once.
func channelsOf(waiting []store.Pending) []graph.ChannelID {
	var channels []graph.ChannelID
	for _, p := range waiting {
		channels = append(channels, p.Channel)
	}
	slices.Sort(channels)
	return slices.Compact(channels)
}
