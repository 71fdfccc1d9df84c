package dispatch

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"heddle/bot/deferred"
	"heddle/bot/guilds"
	"heddle/bot/outbox"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// missedDirects bounds the direct messages that are caught up on, the latest first, as each
// costs a request.
const missedDirects = 250

// absence finds the channels in which people may have asked heddle without being heard,
// usually because it was not connected.
type absence struct {
	heard    *heard
	pace     *pace
	arrivals *arrivals
	recent   *directs
	used     Used
	notes    *deferred.Writes // writes that no answer waits for
	guilds   *guilds.Cache
	reader   *reader
	queues   *queues[graph.ChannelID]
	delays   *delays
	read     func(overdue) // reads a channel and answers the questions in it
	catchUp  time.Duration
	log      *slog.Logger
}

// newAbsence returns the absence of a Dispatcher whose other parts stand.
func newAbsence(d *Dispatcher, deps Deps, settings Settings) *absence {
	c := &catchup{
		asking: d.asking, tasks: d.tasks, queues: d.queues, backlog: deps.Store.Backlog, claims: deps.Store.Claims,
		leases: deps.Leases, catchUp: settings.CatchUp, log: deps.Log,
	}
	notes := d.asking.ledger.writes
	a := &absence{
		heard: newHeard(), pace: newPace(), arrivals: newArrivals(), recent: newDirects(notes, deps.Store.Backlog),
		used: deps.Store.Backlog, notes: notes, guilds: deps.Guilds, reader: d.asking.reader,
		queues: d.queues, delays: d.tasks.delays, read: c.read, catchUp: settings.CatchUp, log: deps.Log,
	}
	c.archived = a.archived
	return a
}

// hears notes a message that was heard. It ignores messages from the future: a damaged id
// would otherwise make everything until then count as heard.
func (a *absence) hears(m *discord.Message) {
	if m.ID <= a.newest(a.reader.rest.Now()) {
		a.heard.hear(m.Channel, m.ID)
	}
}

// newest returns the greatest id that a message can have at a time by Discord's clock.
func (a *absence) newest(now time.Time) graph.MessageID {
	return graph.FirstMessageID(now.Add(discord.ClockError))
}

// asked notes a question that was heard. Questions that were asked in its channel
// before, and were not heard, are answered first.
func (a *absence) asked(m *discord.Message, place guilds.Place) {
	if o, waits := a.pace.unread.take(m.Channel); waits {
		a.read(o)
	}
	a.use(m.Guild, m.Channel, place.Parent)
	if place.Direct {
		a.recent.remember(m.Channel)
	}
}

// guild catches up on a guild's channels and threads, including threads that were
// archived in the meantime.
func (a *absence) guild(guild *discord.Guild) {
	if a.catchUp <= 0 {
		return
	}
	a.channels(guild.ID, slices.Concat(guild.Channels, guild.Threads))
	a.arrivals.add(guild)
	a.pace.wake()
}

// channels catches up on channels in which there are messages that nobody may have
// heard.
func (a *absence) channels(guild graph.GuildID, channels []discord.Channel) {
	now := a.reader.rest.Now()
	since := now.Add(-a.catchUp)
	for _, channel := range channels {
		switch {
		case !channel.Last.Time().After(since):
		case channel.Type.HasOnlyThreads():
			a.archived(store.UsedChannel{Guild: guild, Channel: channel.ID}, a.reader.archiveOf(channel.Type), since)
		default:
			a.add(overdue{guild: guild, channel: channel.ID, from: graph.FirstMessageID(since), last: min(channel.Last, a.newest(now)), since: now})
		}
	}
}

// add schedules the reading of a channel, unless nothing was missed in it.
func (a *absence) add(o overdue) {
	if o, missed := a.heard.missed(o); missed && a.pace.add(o) {
		a.read(o)
	}
}

// directs catches up on the direct messages in which people have asked heddle before.
// Discord does not list direct messages, so somebody who first asked while heddle was
// away has to ask again.
func (a *absence) directs() {
	if a.catchUp <= 0 {
		return
	}
	now := a.reader.rest.Now()
	a.notes.Add(func(ctx context.Context) error {
		channels, err := a.recent.backlog.Directs(ctx)
		if err != nil {
			return err
		}
		channels = channels[:min(len(channels), missedDirects)]
		a.pace.unread.use(channels...)
		for _, channel := range channels {
			a.add(overdue{channel: channel, from: graph.FirstMessageID(now.Add(-a.catchUp)), last: graph.FirstMessageID(now), since: now})
		}
		return nil
	})
}

// use remembers that people ask in a channel. For a thread, its channel counts as used,
// too.
func (a *absence) use(guild graph.GuildID, channel, parent graph.ChannelID) {
	if guild == 0 {
		return
	}
	for _, channel := range []graph.ChannelID{channel, parent} {
		if channel == 0 {
			continue
		}
		a.pace.unread.use(channel)
		used := store.UsedChannel{Guild: guild, Channel: channel}
		a.notes.Add(func(ctx context.Context) error { return a.used.Use(ctx, used) })
	}
}

// prepare looks up in which channels people asked lately, so that those are read first.
// Threads among them that Discord no longer lists were archived. They are read as well,
// and so are other threads that were archived in the meantime: at once where people asked
// lately, and last of all in the liveliest other channels. prepare reports false if it
// has to be called again.
func (a *absence) prepare(ctx context.Context) (ok bool) {
	used, err := a.used.Used(ctx)
	if err != nil {
		a.log.Log(ctx, work.LogLevel(err), "where people asked lately could not be read, what was missed is found in another order", "error", err)
		return false
	}
	now := a.reader.rest.Now()
	from := now.Add(-a.catchUp)
	arrived := a.arrivals.take()
	for _, at := range used {
		a.pace.unread.use(at.Channel)
		listed, here := arrived[at.Guild]
		if !here {
			continue
		}
		switch channel, stands := listed[at.Channel]; {
		case !stands:
			a.add(overdue{guild: at.Guild, channel: at.Channel, from: graph.FirstMessageID(from), last: graph.FirstMessageID(now), since: now})
		case channel.kind.HasThreads():
			a.archived(at, a.reader.archiveOf(channel.kind), from)
			delete(listed, at.Channel)
		}
	}
	for _, at := range liveliest(arrived, mostExtra) {
		list := a.reader.archiveOf(arrived[at.Guild][at.Channel].kind)
		a.pace.extra.add(func() { a.archived(at, list, from) })
	}
	return true
}

// archived catches up on the threads of a channel that were archived since a time.
func (a *absence) archived(of store.UsedChannel, list archive, since time.Time) {
	j := job{by: asker{guild: of.Guild}}
	j.run = func(ctx context.Context) {
		threads, err := list(ctx, of.Channel, since)
		for _, thread := range threads {
			a.guilds.Meet(thread, of.Guild)
		}
		a.channels(of.Guild, threads)
		switch {
		case err == nil, discord.IsForbidden(err), discord.IsNotFound(err):
		case outbox.MaySucceedLater(err) && a.reader.rest.Now().Sub(since) < max(a.catchUp, leastLife):
			a.delays.add(time.Now().Add(deferred.Retry), of.Channel, j)
		default:
			a.log.WarnContext(ctx, "archived threads could not be listed, questions in them may stay unanswered", "channel", of.Channel, "error", err)
		}
	}
	_ = a.queues.push(of.Channel, j) // it fails only if heddle stops, or if the queue is full of questions
}
