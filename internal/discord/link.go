package discord

import "heddle/graph"

// LinkTo returns the address of a message in Discord's clients. guild is 0 for a direct
// message.
func LinkTo(guild graph.GuildID, m *graph.Message) string {
	place := "@me"
	if guild != 0 {
		place = guild.String()
	}
	return "https://discord.com/channels/" + place + "/" + m.Channel.String() + "/" + m.ID.String()
}

// Mention returns what Discord's clients show as a link to a channel or thread.
func Mention(channel graph.ChannelID) string { return "<#" + channel.String() + ">" }
