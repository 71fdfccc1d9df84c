package discord

import (
	"encoding/json"

	"heddle/graph"
)

// Reaction says that somebody put an emoji on a message or that emojis were taken
// from one: MESSAGE_REACTION_ADD and MESSAGE_REACTION_REMOVE name both user and
// emoji, MESSAGE_REACTION_REMOVE_EMOJI the emoji, MESSAGE_REACTION_REMOVE_ALL none.
type Reaction struct {
	Channel graph.ChannelID
	Guild   graph.GuildID // zero in direct messages
	Message graph.MessageID
	Author  graph.UserID // of the message; zero where Discord does not say
	User    graph.UserID // who reacted
	Bot     bool         // who reacted is known to be a bot
	Emoji   string       // of Unicode; empty for a guild's own
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
