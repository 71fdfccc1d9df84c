package discordtest

import (
	"slices"
	"time"

	"heddle/graph"
)

// ChannelDraft describes a channel to create.
type ChannelDraft struct {
	Name string
	Kind ChannelKind // Text if zero
	// AgeRestricted marks the channel as for adults ("nsfw").
	AgeRestricted bool
	Topic         string
	Tags          []Tag // for the posts of a forum
	// Private hides the channel from @everyone. Readers may still see it.
	Private bool
	Readers []graph.UserID
	// Overwrites apply after those that Private and Readers stand for.
	Overwrites []Overwrite
}

// overwrites returns the overwrites that Private and Readers stand for, and those of the draft.
func (d ChannelDraft) overwrites(g *guild) []Overwrite {
	var all []Overwrite
	if d.Private {
		all = append(all, Overwrite{Role: g.roles[0].id, Deny: ViewChannel})
		for _, who := range d.Readers {
			all = append(all, Overwrite{Member: who, Allow: ViewChannel})
		}
	}
	return append(all, d.Overwrites...)
}

// AddChannel creates a channel in a guild. Bots get CHANNEL_CREATE.
func (a *World) AddChannel(id graph.GuildID, d ChannelDraft) graph.ChannelID {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	g := must(a.world.guilds, id)
	c := &channel{
		world: a.world, id: graph.ChannelID(a.world.nextID()), guild: g, kind: d.Kind, name: d.Name,
		overwrites: d.overwrites(g), adult: d.AgeRestricted, topic: d.Topic,
	}
	for _, tag := range d.Tags {
		tag.ID = TagID(a.world.nextID())
		c.tags = append(c.tags, tag)
	}
	g.channels = append(g.channels, c)
	a.world.channels[c.id] = c
	c.notify("CHANNEL_CREATE", 0)
	return c.id
}

// SetTime sets the time in a channel, from which on it passes as usual. Messages, edits and
// threads that begin there have it. A time in the future is the present.
func (a *World) SetTime(id graph.ChannelID, at time.Time) {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	must(a.world.channels, id).behind = max(0, a.world.clock().Sub(at))
}

// SetOverwrites replaces a channel's permission overwrites. Bots get CHANNEL_UPDATE; those
// that no longer may see it get it with everything hidden, which Discord does not
// document. Bots that may see it for the first time get its threads by THREAD_LIST_SYNC.
func (a *World) SetOverwrites(id graph.ChannelID, overwrites ...Overwrite) {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	c := must(a.world.channels, id)
	var blind []*bot
	for _, b := range a.world.bots {
		if c.permissions(b.id)&ViewChannel == 0 {
			blind = append(blind, b)
		}
	}
	c.overwrites = overwrites
	c.notify("CHANNEL_UPDATE", 0)
	for _, b := range blind {
		c.syncThreads(b.id)
	}
}

// hiddenFrom returns the channels of g that a bot may not see.
func (g *guild) hiddenFrom(b graph.UserID) (hidden []*channel) {
	for _, c := range g.channels {
		if c.permissions(b)&ViewChannel == 0 {
			hidden = append(hidden, c)
		}
	}
	return hidden
}

// reveal sends a bot those of some channels that it may see now, with their threads.
func reveal(hidden []*channel, b graph.UserID) {
	for _, c := range hidden {
		if c.permissions(b)&ViewChannel != 0 {
			c.notify("CHANNEL_UPDATE", b)
			c.syncThreads(b)
		}
	}
}

// syncThreads sends a bot the active threads of c, if it may see c.
func (c *channel) syncThreads(b graph.UserID) {
	c.world.emit(event{name: "THREAD_LIST_SYNC", channel: c, only: b, render: func(viewer) any {
		active := []object{}
		for _, t := range c.guild.threads {
			if t.parent == c && !t.thread.archived && t.permissions(b)&ViewChannel != 0 {
				active = append(active, wireChannelOf(t))
			}
		}
		return object{"guild_id": c.guild.id, "channel_ids": []graph.ChannelID{c.id}, "threads": active, "members": []any{}}
	}})
}

// DeleteChannel deletes a channel or thread with everything in it, threads included.
func (a *World) DeleteChannel(id graph.ChannelID) {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	must(a.world.channels, id).destroy()
}

// notify sends an event about c itself, to one bot or, if it is zero, to all.
func (c *channel) notify(name string, only graph.UserID) {
	c.world.emit(event{name: name, channel: c, only: only, render: func(v viewer) any { return wireChannelFor(c, v.bot.id) }})
}

// destroy removes a channel, with its threads, and tells the bots.
func (c *channel) destroy() {
	if c.thread != nil {
		c.notify("THREAD_DELETE", 0)
	} else {
		c.notify("CHANNEL_DELETE", 0)
	}
	delete(c.world.channels, c.id)
	if c.guild == nil {
		return
	}
	gone := func(other *channel) bool {
		if other != c && (other.thread == nil || other.parent != c) {
			return false
		}
		delete(c.world.channels, other.id)
		return true
	}
	c.guild.channels = slices.DeleteFunc(c.guild.channels, gone)
	c.guild.threads = slices.DeleteFunc(c.guild.threads, gone)
}

// OpenDM returns the direct channel between a person and a bot. It creates the
// channel if there is none.
func (a *World) OpenDM(person, bot graph.UserID) graph.ChannelID {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	return a.world.openDM(must(a.world.users, person), must(a.world.users, bot)).id
}

// openDM returns the channel for direct messages between two users. It makes it if there is none.
func (w *world) openDM(a, b *user) *channel {
	for _, c := range w.channels {
		if c.kind == DM && slices.Contains(c.recipients, a) && slices.Contains(c.recipients, b) {
			return c
		}
	}
	c := &channel{world: w, id: graph.ChannelID(w.nextID()), kind: DM, recipients: []*user{a, b}}
	w.channels[c.id] = c
	return c
}
