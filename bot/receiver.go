package bot

import (
	"context"
	"encoding/json"
	"slices"

	"heddle/bot/gateway"
	"heddle/internal/discord"
	"heddle/store"
)

// receiver takes the gateway's events, in order, on one goroutine. It changes what
// is held in memory, enqueues and returns: it never waits.
type receiver struct {
	bot    *Bot
	queues *queues
	// presses are the buttons pressed, each in a queue of its own under its id.
	presses *queues
}

// Connected takes who heddle is. Where events may have been missed, the channels'
// logs are no longer trusted to be whole.
func (r *receiver) Connected(c gateway.Connected) {
	b := r.bot
	b.connected.Store(true)
	b.guilds.Ready(c.Ready)
	b.history.SetSelf(c.Ready.User.ID)
	b.log.Info("connected to Discord", "user", c.Ready.User.ID, "guilds", len(c.Ready.Guilds), "resumed", c.Resumed)
	if !c.Resumed {
		b.history.Gap(nil)
		r.catchUpWaiting()
		r.catchUpDirects()
	}
}

// Disconnected says that nothing comes for now. Connected says what that cost.
func (r *receiver) Disconnected() {
	r.bot.connected.Store(false)
	r.bot.log.Info("disconnected from Discord")
}

// Event takes one dispatch.
func (r *receiver) Event(name string, data json.RawMessage) {
	if err := r.take(name, data); err != nil {
		r.bot.log.Warn("an event could not be read", "event", name, "error", err)
	}
}

func (r *receiver) take(name string, data json.RawMessage) error {
	switch name {
	case "MESSAGE_CREATE":
		message, err := discord.DecodeMessage(data)
		if err != nil {
			return err //nolint:wrapcheck // logged with the event's name
		}
		r.message(&message)
		return nil
	case "MESSAGE_UPDATE":
		message, err := discord.DecodeMessage(data)
		if err == nil {
			r.updated(&message)
		}
		return err //nolint:wrapcheck // logged with the event's name
	case "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		deletion, err := discord.DecodeDelete(data)
		if err == nil {
			r.deleted(deletion)
		}
		return err //nolint:wrapcheck // logged with the event's name
	case "MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE", "MESSAGE_REACTION_REMOVE_EMOJI", "MESSAGE_REACTION_REMOVE_ALL":
		return r.reacted(name, data)
	case "INTERACTION_CREATE":
		return r.pressed(data)
	case "THREAD_LIST_SYNC":
		sync, err := discord.DecodeThreadSync(data)
		if err == nil {
			r.synced(sync)
		}
		return err //nolint:wrapcheck // logged with the event's name
	}
	return r.surroundings(name, data)
}

// message takes a new message: the log holds it before anything is asked of it.
func (r *receiver) message(m *discord.Message) {
	b := r.bot
	b.history.Create(m)
	if where := b.guilds.Place(m.Channel, m.Guild); where.IsAsked(m) {
		r.enqueue(mention{guild: m.Guild, channel: m.Channel, id: m.ID, place: where})
		if channel := m.Channel; where.Direct {
			b.writes.Add(func(ctx context.Context) error { return b.directs.Direct(ctx, channel) })
		}
	}
}

// enqueue makes a mention wait for its answer. One that finds its channel's queue
// full, or is still there when heddle stops, is kept in the store and answered later.
func (r *receiver) enqueue(m mention) {
	b := r.bot
	keep := func() {
		b.writes.Add(func(ctx context.Context) error {
			if err := b.waiting.Enqueue(ctx, m.pending()); err != nil {
				return err //nolint:wrapcheck // the writer tells of it
			}
			_ = r.queues.push(m.channel, b.answerWaiting(m.channel)) // a full queue looks by itself
			return nil
		})
	}
	err := r.queues.push(m.channel, job{run: func(ctx context.Context) { b.handle(ctx, m) }, leave: keep})
	if err != nil {
		b.log.Warn("a mention waits in the store", "channel", m.channel, "trigger", m.id, "error", err)
		keep()
	}
}

func (m mention) pending() store.Pending {
	return store.Pending{Guild: m.guild, Channel: m.channel, Trigger: m.id}
}

// deleted takes messages away, from memory at once and from the store soon.
func (r *receiver) deleted(d discord.Delete) {
	b := r.bot
	b.history.Delete(d)
	b.contents.forget(d.Messages)
	b.inflight.Gone(d.Messages)
	scope := b.guilds.Place(d.Channel, d.Guild).Scope
	b.writes.Keep(func(ctx context.Context) error {
		offering := b.offering(ctx, scope, d)
		if err := b.deletions.Forget(ctx, scope, d.Channel, d.Messages); err != nil {
			return err //nolint:wrapcheck // the writer tells of it
		}
		for _, message := range offering {
			r.clear(d.Channel, message)
		}
		return nil
	})
}

// synced takes the active threads of channels that heddle may read from now on, and
// looks for mentions that it missed in them. A thread that is no longer active may
// only be archived, so nothing stored is erased.
func (r *receiver) synced(sync discord.ThreadSync) {
	for _, channel := range r.bot.guilds.SetThreads(sync) {
		r.bot.history.Forget(channel)
	}
	r.catchUp(sync.Guild, sync.Threads)
}

// surroundings takes what is about guilds and channels.
func (r *receiver) surroundings(name string, data json.RawMessage) error {
	b := r.bot
	gone, about, err := b.guilds.Apply(name, data)
	if !about || err != nil {
		return err
	}
	for _, place := range gone {
		b.history.Forget(place.Channel)
		b.contents.forgetAll()
		b.writes.Keep(func(ctx context.Context) error { return b.deletions.ForgetChannel(ctx, place.Scope, place.Channel) })
	}
	if name != "GUILD_CREATE" && name != "GUILD_DELETE" {
		return nil
	}
	guild, err := discord.DecodeGuild(data)
	switch {
	case err != nil:
		return err //nolint:wrapcheck // logged with the event's name
	case name == "GUILD_CREATE":
		r.catchUp(guild.ID, slices.Concat(guild.Channels, guild.Threads))
	case !guild.Unavailable: // left, with channels that nobody told of, such as old threads
		b.writes.Keep(func(ctx context.Context) error { return b.deletions.ForgetGuild(ctx, guild.ID) })
	}
	return nil
}
