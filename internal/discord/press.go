package discord

import (
	"encoding/json"
	"time"

	"heddle/graph"
)

// InteractionID is an interaction's id.
type InteractionID = graph.ID[interactionKind]

type interactionKind struct{}

// Press is an interaction of a person with what a bot offers: of those heddle knows
// buttons that are pressed. Others have no CustomID.
type Press struct {
	ID          InteractionID
	Application graph.UserID
	Token       string // secret; answers go by it
	Guild       graph.GuildID
	Channel     graph.ChannelID
	At          Channel         // the channel as far as the event describes it
	Message     graph.MessageID // that holds the button
	Changed     time.Time       // when that was sent, or edited last
	User        User
	CustomID    string
}

// component is the type of interactions with components.
const interactionComponent = 3

// DecodePress reads INTERACTION_CREATE. What cannot be answered is malformed.
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
	if member := o.object("member"); i.User.ID == 0 && member != nil {
		i.User = decodeUser(member.object("user"))
	}
	if o.integer("type") == interactionComponent {
		i.CustomID = o.object("data").text("custom_id")
	}
	if i.Token == "" {
		return i, malformed("an interaction without a token")
	}
	return i, needID(min(uint64(i.ID), uint64(i.Channel)), "an interaction")
}
