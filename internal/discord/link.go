package discord

import "heddle/graph"

// LinkTo returns the address of a message in Discord's clients. guild is 0 for a direct
// message.
func LinkTo(guild graph.GuildID, m *graph.Message) string {
	return ChannelLink(guild, m.Channel) + "/" + m.ID.String()
}

// ChannelLink returns the address of a channel or thread in Discord's clients. guild is 0
// for direct messages.
func ChannelLink(guild graph.GuildID, channel graph.ChannelID) string {
	place := "@me"
	if guild != 0 {
		place = guild.String()
	}
	return "https://discord.com/channels/" + place + "/" + channel.String()
}

// Mention returns what Discord's clients show as a link to a channel or thread.
func Mention(channel graph.ChannelID) string { return "<#" + channel.String() + ">" }
