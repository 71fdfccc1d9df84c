package discord

import (
	"encoding/json"
	"time"

	"heddle/graph"
)

// InteractionID is an interaction's id.
type InteractionID = graph.ID[interactionKind]

type interactionKind struct{}

// Press is an interaction. If somebody pressed a button, CustomID names it; for other
// interactions CustomID is empty.
type Press struct {
	ID          InteractionID
	Application graph.UserID
	Token       string // a secret with which to answer
	Guild       graph.GuildID
	Channel     graph.ChannelID
	At          Channel         // what the event says about the channel
	Message     graph.MessageID // with the button
	Changed     time.Time       // when Message was sent, or last edited
	User        User
	Member      *Member // the user's membership of Guild; nil if not told
	CustomID    string
}

// interactionComponent is the type of interactions with components.
const interactionComponent = 3

// DecodePress reads INTERACTION_CREATE. It fails with ErrMalformed if the interaction
// cannot be answered.
func DecodePress(raw json.RawMessage) (Press, error) {
	o := parseObject(raw)
	i := Press{
		ID:          InteractionID(o.bits("id")),
		Application: graph.UserID(o.bits("application_id")),
		Token:       o.text("token"),
		Guild:       graph.GuildID(o.bits("guild_id")),
		Channel:     graph.ChannelID(o.bits("channel_id")),
		At:          decodeChannel(o.object("channel")),
		Message:     graph.MessageID(o.object("message").bits("id")),
		User:        decodeUser(o.object("user")),
	}
	if i.Changed = o.object("message").moment("edited_timestamp"); i.Changed.IsZero() {
		i.Changed = i.Message.Time()
	}
	if i.Channel == 0 {
		i.Channel = i.At.ID
	}
	if i.Member = memberOf(o); i.User.ID == 0 && i.Member != nil {
		i.User = i.Member.User
	}
	if o.integer("type") == interactionComponent {
		i.CustomID = o.object("data").text("custom_id")
	}
	if i.Token == "" {
		return i, malformed("an interaction without a token")
	}
	return i, needID(min(uint64(i.ID), uint64(i.Channel)), "an interaction")
}
