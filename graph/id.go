package graph

import (
	"fmt"
	"strconv"
	"time"
)

// discordEpoch is the first second of 2015, from which snowflakes count
// milliseconds (Discord API reference, "Snowflakes").
const discordEpoch = 1420070400000

// ID is a Discord snowflake of one kind of thing. The type parameter keeps a
// channel's id from being passed where a message's is wanted; it has no other
// meaning. The zero ID means "none". IDs are exact 64-bit integers and must not
// pass through float64: in JSON they are strings.
type ID[Kind any] uint64

// MessageID is a message's id.
type MessageID = ID[messageKind]

// ChannelID is a channel's id. A thread is a channel.
type ChannelID = ID[channelKind]

// UserID is a person's id, or a bot's, or a webhook's.
type UserID = ID[userKind]

// GuildID is a guild's id.
type GuildID = ID[guildKind]

// RoleID is a role's id.
type RoleID = ID[roleKind]

// AttachmentID is an attachment's id.
type AttachmentID = ID[attachmentKind]

// The kinds of things that have an id.
type (
	messageKind    struct{}
	channelKind    struct{}
	userKind       struct{}
	guildKind      struct{}
	roleKind       struct{}
	attachmentKind struct{}
)

// parseID reads the decimal form that Discord sends. It refuses everything
// else, signs, spaces and zero included.
func parseID[Kind any](s string) (ID[Kind], error) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n == 0 || s[0] == '+' {
		return 0, fmt.Errorf("%q is not a Discord id", s)
	}
	return ID[Kind](n), nil
}

// String returns the decimal form.
func (id ID[Kind]) String() string { return strconv.FormatUint(uint64(id), 10) }

// Time returns when the thing was created, to the millisecond.
func (id ID[Kind]) Time() time.Time {
	return time.UnixMilli(int64(uint64(id)>>22) + discordEpoch)
}

// FirstMessageID returns the least id that a message sent at t can have; 0 before 2015.
func FirstMessageID(t time.Time) MessageID {
	return MessageID(max(t.UnixMilli()-discordEpoch, 0)) << 22
}

// MarshalText returns the decimal form, so that ids are strings in JSON, map keys included.
func (id ID[Kind]) MarshalText() ([]byte, error) {
	return strconv.AppendUint(nil, uint64(id), 10), nil
}

// UnmarshalText reads what MarshalText wrote. "0" and "" are the zero ID.
func (id *ID[Kind]) UnmarshalText(text []byte) error {
	if s := string(text); s == "" || s == "0" {
		*id = 0
		return nil
	}
	parsed, err := parseID[Kind](string(text))
	if err != nil {
		return err
	}
	*id = parsed
	return nil
}
