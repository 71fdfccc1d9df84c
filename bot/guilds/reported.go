package guilds

import (
	"math"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// mostArchived bounds the archived threads that are held, because their number keeps
// growing. Dropping one is safe: Discord reports a thread again before anybody writes
// in it.
const mostArchived = 1 << 14

// reported is what the gateway reported. Its owner guards it with a lock.
type reported struct {
	me       discord.User
	in       map[graph.GuildID]bool          // the guilds that heddle is in
	guilds   map[graph.GuildID]discord.Guild // without channels and threads; of the members only heddle
	channels map[graph.ChannelID]discord.Channel
	within   map[graph.GuildID]map[graph.ChannelID]struct{} // the channels of each guild
	archived *lru.Cache[graph.ChannelID, struct{}]          // the archived threads among channels
}

func newReported() reported {
	archived, _ := lru.New[graph.ChannelID, struct{}](mostArchived + 1) // the size is positive
	return reported{
		in: make(map[graph.GuildID]bool), guilds: make(map[graph.GuildID]discord.Guild), channels: make(map[graph.ChannelID]discord.Channel),
		within:   make(map[graph.GuildID]map[graph.ChannelID]struct{}),
		archived: archived,
	}
}

// createGuild handles GUILD_CREATE. After an outage of the guild, all its channels are back.
func (r *reported) createGuild(guild discord.Guild) Change {
	joined := !r.in[guild.ID]
	r.in[guild.ID] = true
	if guild.Unavailable {
		return Change{Guild: guild}
	}
	change := Change{Lost: r.lose(r.unlisted(guild)), Guild: guild, Joined: joined}
	back := r.guilds[guild.ID].Unavailable
	r.updateGuild(guild)
	if back {
		for _, id := range r.channelsOf(guild.ID) {
			change.Back = append(change.Back, r.channels[id])
		}
	}
	return change
}

// updateGuild handles GUILD_UPDATE, which lists neither channels nor members.
func (r *reported) updateGuild(guild discord.Guild) {
	if guild.Unavailable {
		return
	}
	channels := slices.Concat(guild.Channels, guild.Threads)
	guild.Channels, guild.Threads = nil, nil
	at := slices.IndexFunc(guild.Members, func(m discord.Member) bool { return m.User.ID == r.me.ID })
	if at < 0 {
		guild.Members = r.guilds[guild.ID].Members
	} else {
		guild.Members = []discord.Member{guild.Members[at]} // the others are not held
	}
	r.guilds[guild.ID] = guild
	for _, channel := range channels {
		r.put(channel)
	}
}

// deleteGuild handles GUILD_DELETE. It forgets a guild that heddle left. An unavailable guild
// has an outage, and heddle is still a member.
func (r *reported) deleteGuild(guild discord.Guild) Change {
	if guild.Unavailable {
		if known, ok := r.guilds[guild.ID]; ok {
			known.Unavailable = true
			r.guilds[guild.ID] = known
		}
		return Change{Guild: guild}
	}
	gone := r.lose(r.channelsOf(guild.ID))
	delete(r.guilds, guild.ID)
	delete(r.in, guild.ID)
	return Change{Lost: gone, Guild: guild}
}

// setChannel adds or updates a channel or thread.
func (r *reported) setChannel(channel discord.Channel) Change {
	if channel.Guild == 0 {
		channel.Guild = r.channels[channel.ID].Guild
	}
	if channel.Type.IsThread() { // it has no permissions of its own
		r.put(channel)
		return Change{}
	}
	return r.changing(channel.Guild, func() { r.put(channel) })
}

// createThread handles THREAD_CREATE. A private thread that is known is not new: Discord sends
// the event because somebody has added heddle to it again.
func (r *reported) createThread(thread discord.Channel) Change {
	_, known := r.channels[thread.ID]
	change := r.setChannel(thread)
	if known && thread.Type == discord.ChannelPrivateThread {
		change.Back = r.returned([]graph.ChannelID{thread.ID})
	}
	return change
}

// deleteChannel handles CHANNEL_DELETE and THREAD_DELETE.
func (r *reported) deleteChannel(channel discord.Channel) Change {
	return Change{Lost: r.lose([]graph.ChannelID{channel.ID})}
}

// changing makes a change to the permissions in a guild. The channels that heddle could not
// read before are back if it can now.
func (r *reported) changing(guild graph.GuildID, change func()) Change {
	var hidden []graph.ChannelID
	for _, id := range r.channelsOf(guild) {
		if r.place(id, guild).NoHistory {
			hidden = append(hidden, id)
		}
	}
	change()
	return Change{Back: r.returned(slices.DeleteFunc(hidden, func(id graph.ChannelID) bool { return r.place(id, guild).NoHistory }))}
}

// returned returns those channels that hold messages. It is not known which message of each
// is the newest.
func (r *reported) returned(ids []graph.ChannelID) []discord.Channel {
	var back []discord.Channel
	for _, id := range ids {
		channel := r.channels[id]
		if channel.Type.HasThreads() || channel.Type.IsThread() || channel.Type.IsVoice() {
			channel.Last = math.MaxInt64
			back = append(back, channel)
		}
	}
	return back
}

// setRole handles a role that was created, changed or deleted.
func (r *reported) setRole(update discord.RoleUpdate) Change {
	guild, ok := r.guilds[update.Guild]
	if !ok {
		return Change{}
	}
	roles := slices.DeleteFunc(slices.Clone(guild.Roles), func(role discord.Role) bool { return role.ID == update.Role.ID })
	if !update.Gone {
		roles = append(roles, update.Role)
	}
	guild.Roles = roles
	return r.changing(guild.ID, func() { r.guilds[guild.ID] = guild })
}

// setMember handles GUILD_MEMBER_UPDATE, of which only heddle's own membership is held.
func (r *reported) setMember(update discord.MemberUpdate) Change {
	guild, ok := r.guilds[update.Guild]
	if !ok || update.Member.User.ID != r.me.ID {
		return Change{}
	}
	guild.Members = []discord.Member{update.Member}
	return r.changing(guild.ID, func() { r.guilds[guild.ID] = guild })
}

// setThreads handles THREAD_LIST_SYNC, as Cache.SetThreads does.
func (r *reported) setThreads(sync discord.ThreadSync) []graph.ChannelID {
	gone := r.channelsWhere(sync.Guild, func(known discord.Channel) bool {
		return known.Type.IsThread() && sync.About(known.Parent) &&
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
	return r.channelsWhere(guild.ID, func(known discord.Channel) bool {
		return !listed[known.ID] && (!known.Type.IsThread() || !listed[known.Parent])
	})
}

// channelsOf returns the channels of a guild, in order.
func (r *reported) channelsOf(guild graph.GuildID) []graph.ChannelID {
	return r.channelsWhere(guild, func(discord.Channel) bool { return true })
}

// channelsWhere returns the channels of a guild that match, in order.
func (r *reported) channelsWhere(guild graph.GuildID, match func(discord.Channel) bool) []graph.ChannelID {
	var ids []graph.ChannelID
	for id := range r.within[guild] {
		if match(r.channels[id]) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// put adds a channel. An archived thread is dropped when mostArchived others were
// archived after it.
func (r *reported) put(channel discord.Channel) {
	if r.within[channel.Guild] == nil {
		r.within[channel.Guild] = make(map[graph.ChannelID]struct{})
	}
	r.within[channel.Guild][channel.ID] = struct{}{}
	r.channels[channel.ID] = channel
	if !channel.Archived {
		r.archived.Remove(channel.ID)
		return
	}
	r.archived.Add(channel.ID, struct{}{})
	for r.archived.Len() > mostArchived {
		oldest, _, _ := r.archived.RemoveOldest()
		r.remove(oldest)
	}
}

// remove forgets a channel.
func (r *reported) remove(channel graph.ChannelID) {
	of := r.channels[channel].Guild
	delete(r.within[of], channel)
	if len(r.within[of]) == 0 {
		delete(r.within, of)
	}
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

// roleName returns the name of a role of a guild, or "".
func (r *reported) roleName(guild graph.GuildID, role graph.RoleID) string {
	for _, one := range r.guilds[guild].Roles {
		if one.ID == role {
			return discord.Named(strings.TrimPrefix(one.Name, "@"))
		}
	}
	return ""
}

// channelName returns the name of a channel that a message in another one mentions. It is "" if
// not all readers of the message may see the channel: Discord shows them no name.
func (r *reported) channelName(in, channel graph.ChannelID) string {
	known, here := r.channels[channel], r.channels[in]
	if known.Guild == 0 || known.Guild != here.Guild {
		return ""
	}
	scope := r.place(channel, known.Guild).Scope
	if scope != store.GuildScope(known.Guild) && scope != r.place(in, here.Guild).Scope {
		return ""
	}
	return discord.Named(known.Name)
}
