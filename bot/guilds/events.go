package guilds

import (
	"encoding/json"
	"fmt"

	"heddle/internal/discord"
)

// Apply updates the cache with a gateway event. It returns the channels that heddle can
// no longer read; the caller must forget their messages. about is false for an event
// that is not about guilds, channels, roles or members.
func (c *Cache) Apply(event string, raw json.RawMessage) (gone []Lost, about bool, err error) {
	switch event {
	case "READY":
		err = decoded(raw, discord.DecodeReady, c.Ready)
	case "GUILD_CREATE", "GUILD_UPDATE":
		err = decoded(raw, discord.DecodeGuild, func(guild discord.Guild) {
			if guild.Unavailable {
				return
			}
			if event == "GUILD_CREATE" { // the other one lists no channels
				gone = c.dropChannels(unlisted(c, guild)...)
			}
			c.setGuild(guild)
		})
	case "GUILD_DELETE":
		err = decoded(raw, discord.DecodeGuild, func(guild discord.Guild) {
			if !guild.Unavailable { // otherwise an outage: heddle is still a member
				gone = c.dropGuild(guild.ID)
			}
		})
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE":
		err = decoded(raw, discord.DecodeChannel, c.setChannel)
	case "CHANNEL_DELETE", "THREAD_DELETE":
		err = decoded(raw, discord.DecodeChannel, func(channel discord.Channel) { gone = c.dropChannels(channel.ID) })
	case "GUILD_MEMBER_UPDATE":
		err = decoded(raw, discord.DecodeMemberUpdate, c.setMember)
	case "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE":
		err = decoded(raw, discord.DecodeRoleUpdate, c.setRole)
	default:
		return nil, false, nil
	}
	return gone, true, err
}

// decoded decodes an event and passes its value to take.
func decoded[T any](raw json.RawMessage, decode func(json.RawMessage) (T, error), take func(T)) error {
	value, err := decode(raw)
	if err != nil {
		return fmt.Errorf("read an event: %w", err)
	}
	take(value)
	return nil
}
