package guilds

import (
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

// Apply updates the cache with a gateway event. It returns the channels that heddle can
// no longer read; the caller must forget their messages. about is false for an event
// that is not about guilds, channels, roles or members.
func (c *Cache) Apply(event string, raw json.RawMessage) (gone []Lost, about bool, err error) {
	switch event {
	case "READY":
		err = update(c, raw, discord.DecodeReady, (*reported).setSelf)
	case "GUILD_CREATE":
		gone, err = apply(c, raw, discord.DecodeGuild, (*reported).createGuild)
	case "GUILD_UPDATE":
		err = update(c, raw, discord.DecodeGuild, (*reported).updateGuild)
	case "GUILD_DELETE":
		gone, err = apply(c, raw, discord.DecodeGuild, (*reported).deleteGuild)
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE":
		err = update(c, raw, discord.DecodeChannel, (*reported).setChannel)
	case "CHANNEL_DELETE", "THREAD_DELETE":
		gone, err = apply(c, raw, discord.DecodeChannel, (*reported).deleteChannel)
	case "GUILD_MEMBER_UPDATE":
		err = update(c, raw, discord.DecodeMemberUpdate, func(r *reported, update discord.MemberUpdate) {
			c.members.forget(update.Guild, update.Member.User.ID)
			r.setMember(update)
		})
	case "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE":
		err = update(c, raw, discord.DecodeRoleUpdate, (*reported).setRole)
	default:
		return nil, false, nil
	}
	return gone, true, err
}

// apply decodes an event and applies it to what was reported. It returns the channels
// that are lost by it.
func apply[T any](c *Cache, raw json.RawMessage, decode func(json.RawMessage) (T, error), change func(*reported, T) []Lost) ([]Lost, error) {
	value, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("read an event: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return change(&c.reported, value), nil
}

// update is apply for an event by which no channel is lost.
func update[T any](c *Cache, raw json.RawMessage, decode func(json.RawMessage) (T, error), change func(*reported, T)) error {
	_, err := apply(c, raw, decode, func(r *reported, value T) []Lost {
		change(r, value)
		return nil
	})
	return err
}

// Ready handles READY, which names heddle's account.
func (c *Cache) Ready(ready discord.Ready) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reported.setSelf(ready)
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
	c.reported.setChannel(thread)
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

// SetThreads handles THREAD_LIST_SYNC. It replaces the active threads of the channels
// that the event covers, and returns the known threads of these channels that are no
// longer active.
func (c *Cache) SetThreads(sync discord.ThreadSync) []graph.ChannelID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reported.setThreads(sync)
}
