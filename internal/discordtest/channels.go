package discordtest

import (
	"fmt"
	"slices"

	"heddle/graph"
)

// ChannelDraft says what channel to make.
type ChannelDraft struct {
	Name string
	Kind ChannelKind // Text if zero
	// Category is the channel's parent; zero for none.
	Category graph.ChannelID
	// Private hides the channel from @everyone; Readers may still see it.
	Private bool
	Readers []graph.UserID
	// Overwrites are applied beside what Private and Readers say.
	Overwrites []Overwrite
}

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

// AddChannel makes a channel in a guild. Bots that may see it get CHANNEL_CREATE.
func (s *Server) AddChannel(id graph.GuildID, d ChannelDraft) graph.ChannelID {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.world.mustGuild(id)
	c := &channel{
		id: graph.ChannelID(s.nextID()), guild: g, kind: d.Kind, name: d.Name,
		parent: s.world.channels[d.Category], overwrites: d.overwrites(g),
	}
	g.channels = append(g.channels, c)
	s.world.channels[c.id] = c
	s.dispatchLocked(event{name: "CHANNEL_CREATE", channel: c, render: func(viewer) any { return wireChannelOf(c) }})
	return c.id
}

// SetOverwrites replaces a channel's permission overwrites. Bots that may still
// see it get CHANNEL_UPDATE, those that no longer may get nothing, as on Discord.
func (s *Server) SetOverwrites(id graph.ChannelID, overwrites ...Overwrite) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.world.mustChannel(id)
	c.overwrites = overwrites
	s.dispatchLocked(event{name: "CHANNEL_UPDATE", channel: c, render: func(viewer) any { return wireChannelOf(c) }})
}

// DeleteChannel deletes a channel or thread with everything in it, threads included.
func (s *Server) DeleteChannel(id graph.ChannelID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deleteChannelLocked(s.world.mustChannel(id))
}

func (s *Server) deleteChannelLocked(c *channel) {
	name := "CHANNEL_DELETE"
	if c.thread != nil {
		name = "THREAD_DELETE"
	}
	s.dispatchLocked(event{name: name, channel: c, render: func(viewer) any { return wireChannelOf(c) }})
	delete(s.world.channels, c.id)
	if c.guild == nil {
		return
	}
	gone := func(other *channel) bool {
		if other != c && (other.thread == nil || other.parent != c) {
			return false
		}
		delete(s.world.channels, other.id)
		return true
	}
	c.guild.channels = slices.DeleteFunc(c.guild.channels, gone)
	c.guild.threads = slices.DeleteFunc(c.guild.threads, gone)
}

// OpenDM is the direct channel between a person and a bot; it is made if there is none.
func (s *Server) OpenDM(person, bot graph.UserID) graph.ChannelID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.openDMLocked(s.world.mustUser(person), s.world.mustUser(bot)).id
}

func (s *Server) openDMLocked(a, b *user) *channel {
	for _, c := range s.world.channels {
		if c.kind == DM && slices.Contains(c.recipients, a) && slices.Contains(c.recipients, b) {
			return c
		}
	}
	c := &channel{id: graph.ChannelID(s.nextID()), kind: DM, recipients: []*user{a, b}}
	s.world.channels[c.id] = c
	return c
}

// Channels are the ids of a guild's channels in the order they were made,
// threads left out.
func (s *Server) Channels(id graph.GuildID) []graph.ChannelID {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var ids []graph.ChannelID
	for _, c := range s.world.mustGuild(id).channels {
		ids = append(ids, c.id)
	}
	return ids
}

// ChannelInfo is what is known about a channel.
type ChannelInfo struct {
	ID       graph.ChannelID
	Guild    graph.GuildID // zero in a DM
	Kind     ChannelKind
	Name     string
	Parent   graph.ChannelID
	Archived bool
}

// Channel tells about a channel or thread.
func (s *Server) Channel(id graph.ChannelID) (ChannelInfo, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	c := s.world.channels[id]
	if c == nil {
		return ChannelInfo{}, fmt.Errorf("channel %s: %w", id, errUnknownChannel())
	}
	info := ChannelInfo{ID: c.id, Kind: c.kind, Name: c.name}
	if c.guild != nil {
		info.Guild = c.guild.id
	}
	if c.parent != nil {
		info.Parent = c.parent.id
	}
	if c.thread != nil {
		info.Archived = c.thread.archived
	}
	return info, nil
}
