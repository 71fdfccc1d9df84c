package dispatch

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"heddle/bot/conversation"
	"heddle/bot/deferred"
	"heddle/bot/outbox"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/telemetry"
	"heddle/store"
)

// CatchUp answers the missed questions that can be found without a guild: those that
// wait in the store, and those in direct messages. CatchUpChannels answers those of
// guilds.
func (d *Dispatcher) CatchUp() {
	d.stored.catchUp()
	d.takeover.look()
	d.absence.directs()
}

// CatchUpGuild answers the questions that were missed in the channels and threads of a
// guild, including threads that were archived in the meantime.
func (d *Dispatcher) CatchUpGuild(guild *discord.Guild) { d.absence.guild(guild) }

// CatchUpChannels answers the questions that were missed in channels of a guild. It
// reads only channels with messages within Settings.CatchUp that this process did not
// hear. Claims keep answered questions from being answered again.
func (d *Dispatcher) CatchUpChannels(guild graph.GuildID, channels []discord.Channel) {
	d.absence.channels(guild, channels)
}

// Reading stores up to which message channels were read after an absence; store.Backlog
// does.
type Reading interface {
	// Since returns the time since which the store knows which questions were answered.
	Since(ctx context.Context) (time.Time, error)
	ReadUpTo(ctx context.Context, channel graph.ChannelID) (graph.MessageID, error)
	SetReadUpTo(ctx context.Context, channel graph.ChannelID, upTo graph.MessageID) error
}

// catchup reads channels, and answers the questions in them that heddle did not hear.
type catchup struct {
	asking  *asking
	tasks   *performer
	queues  *queues[graph.ChannelID]
	backlog Reading
	claims  Claims
	leases  *work.Leases
	// archived catches up on the threads of a channel that were archived since a time.
	archived func(of store.UsedChannel, list archive, since time.Time)
	catchUp  time.Duration
	log      *slog.Logger
}

// read catches up on one channel. While Discord is away it tries again, until the
// questions would be too old.
func (c *catchup) read(o overdue) {
	life := max(c.catchUp, leastLife)
	j := job{by: asker{guild: o.guild}}
	j.run = func(ctx context.Context) {
		now := c.asking.reader.rest.Now()
		age := now.Sub(o.since)
		o.from = max(o.from, graph.FirstMessageID(now.Add(-life)))
		err := c.readOnce(ctx, o)
		switch {
		case err == nil, discord.IsForbidden(err):
		case errors.Is(err, store.ErrHeld) && age < life:
			c.tasks.delays.add(time.Now().Add(c.leases.TTL()/4), o.channel, j)
		case outbox.MaySucceedLater(err) && age < life:
			c.log.InfoContext(ctx, "a channel could not be caught up for now, this is tried again", "channel", o.channel, "error", err)
			c.tasks.delays.add(time.Now().Add(deferred.Retry), o.channel, j)
		default:
			c.log.WarnContext(ctx, "a channel could not be caught up, questions in it may stay unanswered", "channel", o.channel, "error", err)
		}
	}
	switch err := c.queues.push(o.channel, j); {
	case errors.Is(err, ErrFull):
		c.tasks.delays.add(time.Now().Add(deferred.Retry), o.channel, j)
	case err != nil:
		c.log.Warn("a channel could not be caught up, questions in it may stay unanswered", "channel", o.channel, "error", err)
	}
}

// readOnce handles the questions of an overdue channel, unless another process has. It
// fails with store.ErrHeld while another process handles them. A process that runs alone
// does not need the store for this.
func (c *catchup) readOnce(ctx context.Context, o overdue) error {
	switch {
	case o.last < o.from:
		return nil
	case c.leases.Alone():
		return c.answer(ctx, o)
	}
	upTo, err := c.backlog.ReadUpTo(ctx, o.channel)
	if err == nil && upTo >= o.last {
		return nil
	}
	lease, err := c.claims.Claim(ctx, store.ReadClaim(o.channel), c.leases.TTL())
	switch {
	case errors.Is(err, store.ErrHeld):
		return err
	case err != nil: // while the store is away, each process reads the channel
		return c.answer(ctx, o)
	}
	defer c.leases.Keep(ctx, c.log, lease)()
	// Messages from here on come as events. Older ones may still be unanswered if this
	// process ends.
	read := graph.FirstMessageID(c.asking.reader.rest.Now().Add(-discord.ClockError))
	if err := c.answer(ctx, o); err != nil {
		return err
	}
	c.tasks.ledger.writes.Add(func(ctx context.Context) error { return c.backlog.SetReadUpTo(ctx, o.channel, max(read, o.last)) })
	return nil
}

// answer answers the questions that were missed in an overdue channel, and completes or
// ends the answers that broke off in the meantime.
func (c *catchup) answer(ctx context.Context, o overdue) error {
	known, err := c.asking.intake.meet(ctx, o.guild, o.channel)
	switch {
	case discord.IsNotFound(err), err == nil && !known:
		return nil
	case err != nil:
		return err
	}
	messages, err := c.asking.reader.read(ctx, o.channel, o.from)
	if err != nil {
		return err
	}
	if err := c.answerUnheard(ctx, o, messages); err != nil {
		return err
	}
	c.endAbandoned(ctx, o, messages)
	return nil
}

// answerUnheard answers the questions among those messages of a channel that were not
// heard.
func (c *catchup) answerUnheard(ctx context.Context, o overdue, messages []discord.Message) error {
	first, _ := slices.BinarySearchFunc(messages, o.from, func(m discord.Message, from graph.MessageID) int { return cmp.Compare(m.ID, from) })
	unheard := messages[first:]
	if slices.ContainsFunc(unheard, startsThread) {
		c.archived(store.UsedChannel{Guild: o.guild, Channel: o.channel}, c.asking.reader.archivedPublic, o.from.Time())
	}
	remembered := c.rememberedFrom(ctx)
	for _, m := range unheard {
		place := c.asking.intake.guilds.Place(o.channel, o.guild)
		if !c.asking.intake.asks(&m, place) {
			continue
		}
		stands := c.asking.reader.standingIn(messages, place.Self.User, m.ID)
		if m.ID.Time().Before(remembered) && stands.state >= unclear {
			continue
		}
		if err := c.asking.intake.identify(ctx, o.guild, &m); err != nil {
			return err
		}
		if t, away := c.asking.intake.turnsAway(c.log, &m, o.guild, place, store.TriggerClaim(m.ID)); away {
			if t != nil {
				c.tasks.perform(ctx, t)
			}
			continue
		}
		telemetry.Count(ctx, telemetry.CaughtUp)
		q := conversation.Question{Guild: o.guild, Channel: o.channel, ID: m.ID, Place: place}
		c.tasks.perform(ctx, c.asking.taskFrom(q, asker{o.guild, m.Author.ID}, &stands))
	}
	return nil
}

// endAbandoned completes the answers among messages that broke off, and deletes those whose
// questions were deleted.
func (c *catchup) endAbandoned(ctx context.Context, o overdue, messages []discord.Message) {
	place := c.asking.intake.guilds.Place(o.channel, o.guild)
	asks := func(m *discord.Message) bool { return c.asking.intake.asks(m, place) }
	for _, question := range c.asking.reader.abandoned(messages, place.Self.User, o.from) {
		if !c.asking.reader.isQuestion(ctx, o.channel, question, asks) {
			continue
		}
		q := conversation.Question{Guild: o.guild, Channel: o.channel, ID: question, Place: place}
		stands := c.asking.reader.standingIn(messages, place.Self.User, question)
		c.tasks.perform(ctx, c.asking.taskFrom(q, asker{guild: o.guild}, &stands))
	}
}

// rememberedFrom returns the time since which the store knows which questions were
// answered. It is now if the store cannot be reached.
func (c *catchup) rememberedFrom(ctx context.Context) time.Time {
	since, err := c.backlog.Since(ctx)
	if err != nil {
		return c.asking.reader.rest.Now()
	}
	return since
}
