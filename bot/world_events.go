package bot

import (
	"encoding/json"
	"fmt"

	"heddle/internal/discord"
)

// apply keeps the world true to an event. It gives the channels that heddle can no
// longer read, whose messages must be forgotten, and false for events that are not
// about guilds and channels.
func (w *world) apply(event string, raw json.RawMessage) (gone []lost, about bool, err error) {
	switch event {
	case "READY":
		err = decoded(raw, discord.DecodeReady, w.ready)
	case "GUILD_CREATE", "GUILD_UPDATE":
		err = decoded(raw, discord.DecodeGuild, func(guild discord.Guild) {
			if !guild.Unavailable {
				w.setGuild(guild)
			}
		})
	case "GUILD_DELETE":
		err = decoded(raw, discord.DecodeGuild, func(guild discord.Guild) {
			if !guild.Unavailable { // else an outage: heddle is still a member
				gone = w.dropGuild(guild.ID)
			}
		})
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE":
		err = decoded(raw, discord.DecodeChannel, w.setChannel)
	case "CHANNEL_DELETE", "THREAD_DELETE":
		err = decoded(raw, discord.DecodeChannel, func(channel discord.Channel) { gone = w.dropChannels(channel.ID) })
	case "GUILD_MEMBER_UPDATE":
		err = decoded(raw, discord.DecodeMemberUpdate, w.setMember)
	case "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE":
		err = decoded(raw, discord.DecodeRoleUpdate, w.setRole)
	default:
		return nil, false, nil
	}
	return gone, true, err
}

// decoded hands what an event holds to take, where it can be read.
func decoded[T any](raw json.RawMessage, decode func(json.RawMessage) (T, error), take func(T)) error {
	value, err := decode(raw)
	if err != nil {
		return fmt.Errorf("read an event: %w", err)
	}
	take(value)
	return nil
}
