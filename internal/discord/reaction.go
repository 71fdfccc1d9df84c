package discord

import "heddle/graph"

// Reaction is the content of an event about reactions. MESSAGE_REACTION_ADD and
// MESSAGE_REACTION_REMOVE name user and emoji, MESSAGE_REACTION_REMOVE_EMOJI only the
// emoji, and MESSAGE_REACTION_REMOVE_ALL neither.
type Reaction struct {
	Channel graph.ChannelID `wire:"channel_id"`
	Guild   graph.GuildID   `wire:"guild_id"` // zero in direct messages
	Message graph.MessageID `wire:"message_id"`
	Author  graph.UserID    `wire:"message_author_id"` // of the message; zero if unknown
	User    graph.UserID    `wire:"user_id"`           // who reacted
	Bot     bool            `wire:"member/user/bot"`   // User is known to be a bot
	Emoji   string          // Unicode; empty for custom emoji
}

// complete implements completer. The name of a custom emoji says nothing.
func (r *Reaction) complete(o object, _ int) {
	if !o.given("emoji/id") {
		r.Emoji = textOf(o.field("emoji/name"))
	}
}
