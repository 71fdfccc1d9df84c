package guilds

import (
	"slices"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/lru"
)

// mostArchived bounds the archived threads that are held, because their number keeps
// growing. Dropping one is safe: Discord reports a thread again before anybody writes
// in it.
const mostArchived = 1 << 14

// reported is what the gateway reported. Its owner guards it with a lock.
type reported struct {
	me       discord.User
	guilds   map[graph.GuildID]discord.Guild // without channels and threads; of the members only heddle
	channels map[graph.ChannelID]discord.Channel
	archived *lru.Cache[graph.ChannelID, struct{}] // the archived threads among channels
}

func newReported() reported {
	return reported{
		guilds: make(map[graph.GuildID]discord.Guild), channels: make(map[graph.ChannelID]discord.Channel),
		archived: lru.New[graph.ChannelID, struct{}](mostArchived + 1),
	}
}

// setSelf handles READY, which names heddle's account.
func (r *reported) setSelf(ready discord.Ready) { r.me = ready.User }

// createGuild handles GUILD_CREATE. It returns the channels that the guild has lost.
func (r *reported) createGuild(guild discord.Guild) []Lost {
	if guild.Unavailable {
		return nil
	}
	gone := r.lose(r.unlisted(guild))
	r.updateGuild(guild)
	return gone
}

// updateGuild handles GUILD_UPDATE, which lists neither channels nor members.
func (r *reported) updateGuild(guild discord.Guild) {
	if guild.Unavailable {
		return
	}
	channels := slices.Concat(guild.Channels, guild.Threads)
	guild.Channels, guild.Threads = nil, nil
	guild.Members = slices.DeleteFunc(guild.Members, func(m discord.Member) bool { return m.User.ID != r.me.ID })
	if len(guild.Members) == 0 {
		guild.Members = r.guilds[guild.ID].Members
	}
	r.guilds[guild.ID] = guild
	for _, channel := range channels {
		r.put(channel)
	}
}

// deleteGuild handles GUILD_DELETE. It forgets a guild that heddle left and returns its
// channels. An unavailable guild has an outage, and heddle is still a member.
func (r *reported) deleteGuild(guild discord.Guild) []Lost {
	if guild.Unavailable {
		return nil
	}
	gone := r.lose(r.channelsWhere(func(channel discord.Channel) bool { return channel.Guild == guild.ID }))
	delete(r.guilds, guild.ID)
	return gone
}

// setChannel adds or updates a channel or thread.
func (r *reported) setChannel(channel discord.Channel) {
	if channel.Guild == 0 {
		channel.Guild = r.channels[channel.ID].Guild
	}
	r.put(channel)
}

// deleteChannel handles CHANNEL_DELETE and THREAD_DELETE.
func (r *reported) deleteChannel(channel discord.Channel) []Lost {
	return r.lose([]graph.ChannelID{channel.ID})
}

// setRole handles a role that was created, changed or deleted.
func (r *reported) setRole(update discord.RoleUpdate) {
	guild, ok := r.guilds[update.Guild]
	if !ok {
		return
	}
	roles := slices.DeleteFunc(slices.Clone(guild.Roles), func(role discord.Role) bool { return role.ID == update.Role.ID })
	if !update.Gone {
		roles = append(roles, update.Role)
	}
	guild.Roles = roles
	r.guilds[update.Guild] = guild
}

// setMember handles GUILD_MEMBER_UPDATE, of which only heddle's own membership is held.
func (r *reported) setMember(update discord.MemberUpdate) {
	guild, ok := r.guilds[update.Guild]
	if !ok || update.Member.User.ID != r.me.ID {
		return
	}
	guild.Members = []discord.Member{update.Member}
	r.guilds[update.Guild] = guild
}

// setThreads handles THREAD_LIST_SYNC, as Cache.SetThreads does.
func (r *reported) setThreads(sync discord.ThreadSync) []graph.ChannelID {
	gone := r.channelsWhere(func(known discord.Channel) bool {
		return known.Guild == sync.Guild && known.Type.IsThread() && sync.About(known.Parent) &&
			!slices.ContainsFunc(sync.Threads, func(t discord.Channel) bool { return t.ID == known.ID })
	})
	for _, id := range gone {
		r.remove(id)
	}
	for _, thread := range sync.Threads {
		r.put(thread)
	}
	return gone
}

// unlisted returns the channels of a guild that Discord's list of its channels lacks, with
// their threads: they were deleted while nobody heard. Threads that are archived are never
// listed. It returns none for a list without channels, as it tells nothing.
func (r *reported) unlisted(guild discord.Guild) []graph.ChannelID {
	if len(guild.Channels) == 0 {
		return nil
	}
	listed := make(map[graph.ChannelID]bool, len(guild.Channels)+len(guild.Threads))
	for _, channels := range [][]discord.Channel{guild.Channels, guild.Threads} {
		for i := range channels {
			listed[channels[i].ID] = true
		}
	}
	return r.channelsWhere(func(known discord.Channel) bool {
		return known.Guild == guild.ID && !listed[known.ID] && (!known.Type.IsThread() || !listed[known.Parent])
	})
}

// channelsWhere returns the channels that match, in order.
func (r *reported) channelsWhere(match func(discord.Channel) bool) []graph.ChannelID {
	var ids []graph.ChannelID
	for id, channel := range r.channels {
		if match(channel) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// put adds a channel. An archived thread is dropped when mostArchived others were
// archived after it.
func (r *reported) put(channel discord.Channel) {
	r.channels[channel.ID] = channel
	if !channel.Archived {
		r.archived.Remove(channel.ID)
		return
	}
	r.archived.Add(channel.ID, struct{}{})
	for r.archived.Len() > mostArchived {
		oldest, _, _ := r.archived.RemoveOldest()
		delete(r.channels, oldest)
	}
}

// remove forgets a channel.
func (r *reported) remove(channel graph.ChannelID) {
	delete(r.channels, channel)
	r.archived.Remove(channel)
}

// lose forgets channels and returns them with the scopes they had.
func (r *reported) lose(channels []graph.ChannelID) []Lost {
	gone := make([]Lost, len(channels))
	for i, channel := range channels {
		gone[i] = Lost{channel, r.place(channel, 0).Scope}
	}
	for _, channel := range channels {
		r.remove(channel)
	}
	return gone
}
