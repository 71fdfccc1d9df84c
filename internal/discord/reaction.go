package discord

import (
	"encoding/json"

	"heddle/graph"
)

// Reaction is the content of an event about reactions. MESSAGE_REACTION_ADD and
// MESSAGE_REACTION_REMOVE name user and emoji, MESSAGE_REACTION_REMOVE_EMOJI only the
// emoji, and MESSAGE_REACTION_REMOVE_ALL neither.
type Reaction struct {
	Channel graph.ChannelID
	Guild   graph.GuildID // zero in direct messages
	Message graph.MessageID
	Author  graph.UserID // of the message; zero if unknown
	User    graph.UserID // who reacted
	Bot     bool         // User is known to be a bot
	Emoji   string       // Unicode; empty for custom emoji
}

// DecodeReaction reads the events about reactions.
func DecodeReaction(raw json.RawMessage) (Reaction, error) {
	o := parseObject(raw)
	r := Reaction{
		Channel: graph.ChannelID(o.bits("channel_id")),
		Guild:   graph.GuildID(o.bits("guild_id")),
		Message: graph.MessageID(o.bits("message_id")),
		Author:  graph.UserID(o.bits("message_author_id")),
		User:    graph.UserID(o.bits("user_id")),
		Bot:     o.object("member").object("user").boolean("bot"),
	}
	if emoji := o.object("emoji"); !emoji.given("id") {
		r.Emoji = emoji.text("name")
	}
	return r, needID(min(uint64(r.Channel), uint64(r.Message)), "a reaction")
}
