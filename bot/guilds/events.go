package guilds

import (
	"context"
	"encoding/json"
	"fmt"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// Lost is a channel that heddle can no longer read, with the scope it had.
type Lost struct {
	Channel graph.ChannelID
	Scope   store.Scope
}

// Change is what an event changes for the reader of channels.
type Change struct {
	// Lost are the channels that heddle can no longer read. Their messages must be forgotten.
	Lost []Lost
	// Back are the channels that heddle can read again. Events of them may have been missed.
	// If it is not known which message is the newest, Last is as great as can be.
	Back []discord.Channel
	// Guild is the guild of GUILD_CREATE and GUILD_DELETE.
	Guild discord.Guild
	// Joined is set if heddle was not in Guild before.
	Joined bool
}

// Apply updates the cache with a gateway event. about is false for an event that is not
// about guilds, channels, roles or members.
func (c *Cache) Apply(event string, raw json.RawMessage) (change Change, about bool, err error) {
	switch event {
	case "GUILD_CREATE":
		change, err = apply(c, raw, (*reported).createGuild)
	case "GUILD_UPDATE":
		change, err = apply(c, raw, func(r *reported, guild discord.Guild) Change {
			return r.changing(guild.ID, func() { r.updateGuild(guild) })
		})
	case "GUILD_DELETE":
		change, err = apply(c, raw, (*reported).deleteGuild)
	case "THREAD_CREATE":
		change, err = apply(c, raw, (*reported).createThread)
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_UPDATE":
		change, err = apply(c, raw, (*reported).setChannel)
	case "CHANNEL_DELETE", "THREAD_DELETE":
		change, err = apply(c, raw, (*reported).deleteChannel)
	case "GUILD_MEMBER_UPDATE":
		change, err = apply(c, raw, func(r *reported, update discord.MemberUpdate) Change {
			c.members.Remove(memberKey{update.Guild, update.Member.User.ID})
			return r.setMember(update)
		})
	case "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE":
		change, err = apply(c, raw, (*reported).setRole)
	default:
		return Change{}, false, nil
	}
	return change, true, err
}

// apply decodes an event and applies it to what was reported.
func apply[T any, P discord.Decodable[T]](c *Cache, raw json.RawMessage, change func(*reported, T) Change) (Change, error) {
	value, err := discord.Decode[T, P](raw)
	if err != nil {
		return Change{}, fmt.Errorf("read an event: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return change(&c.reported, value), nil
}

// Ready handles READY, which names heddle's account, and the guilds that it is in.
func (c *Cache) Ready(ready discord.Ready) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reported.me = ready.User
	for i := range ready.Guilds {
		c.reported.in[ready.Guilds[i].ID] = true
	}
}

// Meet adds a thread that no event reported, such as an archived one. It does nothing
// if the thread's parent is unknown, because the parent determines the scope.
func (c *Cache) Meet(thread discord.Channel, guild graph.GuildID) {
	if thread.ID == 0 || guild == 0 || !thread.Type.IsThread() || c.Knows(thread.ID) || !c.Knows(thread.Parent) {
		return
	}
	thread.Guild = guild
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reported.put(thread)
}

// Find asks Discord about a channel of a guild that no event reported, because it is an archived
// thread. It reports whether the channel is known now. No channel is asked about of a guild whose
// shard runs in another process, nor without Discord, as when an export is explained.
func (c *Cache) Find(ctx context.Context, guild graph.GuildID, channel graph.ChannelID) (known bool, err error) {
	if guild == 0 || c.Knows(channel) {
		return true, nil
	}
	if !c.KnowsGuild(guild) || c.rest == nil {
		return false, nil
	}
	thread, err := discord.Read[discord.Channel](ctx, c.rest, "/channels/"+channel.String())
	if err != nil {
		return false, fmt.Errorf("read a channel: %w", err)
	}
	if c.GuildOf(thread.Parent) == guild {
		c.Meet(thread, guild)
	}
	return c.Knows(channel), nil
}

// Forget forgets a channel that no longer exists, and returns it if it was known.
func (c *Cache) Forget(channel graph.ChannelID) []Lost {
	if !c.Knows(channel) {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reported.lose([]graph.ChannelID{channel})
}

// SetThreads handles THREAD_LIST_SYNC, which Discord sends when heddle may see channels
// again. It replaces their active threads, and returns the known threads that are no longer
// active, and the channels and threads of which events may have been missed.
func (c *Cache) SetThreads(sync discord.ThreadSync) (inactive []graph.ChannelID, back []discord.Channel) {
	c.mu.Lock()
	defer c.mu.Unlock()
	inactive = c.reported.setThreads(sync)
	return inactive, c.reported.returned(c.reported.channelsWhere(sync.Guild, func(known discord.Channel) bool {
		return sync.About(known.ID) || known.Type.IsThread() && sync.About(known.Parent)
	}))
}
