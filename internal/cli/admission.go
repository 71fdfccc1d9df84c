package cli

import (
	"heddle/bot/gate"
	"heddle/config"
	"heddle/graph"
)

// admission returns who may ask, as the settings say.
func admission(c *config.Config) gate.Settings {
	return gate.Settings{
		Users:    gate.List[graph.UserID]{Allow: idsIn[graph.UserID](c.AllowUsers), Block: idsIn[graph.UserID](c.BlockUsers)},
		Roles:    gate.List[graph.RoleID]{Allow: idsIn[graph.RoleID](c.AllowRoles), Block: idsIn[graph.RoleID](c.BlockRoles)},
		Channels: gate.List[graph.ChannelID]{Allow: idsIn[graph.ChannelID](c.AllowChannels), Block: idsIn[graph.ChannelID](c.BlockChannels)},
		Guilds:   gate.List[graph.GuildID]{Allow: idsIn[graph.GuildID](c.AllowGuilds), Block: idsIn[graph.GuildID](c.BlockGuilds)},
		Bots:     idsIn[graph.UserID](c.AllowBots),
		BotTurns: c.BotTurns,
		Contact:  string(c.Contact),
	}
}

// idsIn returns the ids of a list.
func idsIn[ID ~uint64](list config.IDs) []ID {
	var ids []ID
	for _, id := range list.All() {
		ids = append(ids, ID(id))
	}
	return ids
}
