package discord

import (
	"encoding/json"
)

// DecodeUser reads the answer of /users/@me.
func DecodeUser(raw json.RawMessage) (User, error) {
	o := parseObject(raw)
	if o == nil || o.bits("id") == 0 {
		return User{}, malformed("a user")
	}
	return decodeUser(o), nil
}

// DecodeGuilds reads the answer of /users/@me/guilds. What is not a guild is skipped.
func DecodeGuilds(raw json.RawMessage) []Guild {
	return eachOf(object{"all": raw}, "all", decodeGuild)
}

// DecodeChannels reads the answer of /guilds/{id}/channels. What is not a channel is
// skipped.
func DecodeChannels(raw json.RawMessage) []Channel {
	return eachOf(object{"all": raw}, "all", decodeChannel)
}
