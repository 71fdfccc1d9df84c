package gate

import (
	"heddle/graph"
	"heddle/internal/discord"
)

// Asker is who asks, and where.
type Asker struct {
	User    graph.UserID
	Guild   graph.GuildID // zero in a direct message
	Channel graph.ChannelID
	Parent  graph.ChannelID // of a thread
	Roles   []graph.RoleID
	// Member is set if Roles are known. They are not known in direct messages, nor for
	// a question that was asked while heddle was away.
	Member bool
}

// AskerOf returns the asker who is user in a place. A nil member means that their roles
// are not known.
func AskerOf(user graph.UserID, guild graph.GuildID, channel, parent graph.ChannelID, member *discord.Member) Asker {
	by := Asker{User: user, Guild: guild, Channel: channel, Parent: parent}
	if member != nil {
		by.Member, by.Roles = true, member.Roles
	}
	return by
}
