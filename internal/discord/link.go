package discord

import (
	"regexp"
	"strings"

	"heddle/graph"
)

// place is the address of a message, or of a channel, in Discord's clients.
var place = regexp.MustCompile(`^https://discord\.com/channels/(@me|[0-9]+)(/[0-9]+){1,2}$`)

// IsPlace reports whether an address leads to a message or a channel in Discord's clients,
// and can lead nowhere else.
func IsPlace(address string) bool { return place.MatchString(address) }

// Linked returns a link without a preview. The label holds no markup, or escapes it. In
// place of square brackets it shows wide ones, because Discord shows a link as it was typed
// if a bracket in its label has no other half.
func Linked(label, address string) string {
	wide := strings.NewReplacer(`\[`, "［", `\]`, "］")
	return "[" + wide.Replace(label) + "](<" + address + ">)"
}

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
