package discord

import (
	"encoding/json"
	"net/url"
	"strconv"
)

// The flags of an application that may read what people write (Discord API
// reference, "Application Flags"): after a review, or without one, for few people.
const (
	flagMessageContent        = 1 << 18
	flagMessageContentLimited = 1 << 19
)

// PermissionsNeeded is exactly the permissions that heddle uses in a guild: to see
// channels and read messages, also in voice channels; to answer, also in threads; to
// send files; and to move an answer to a thread.
const PermissionsNeeded = PermissionViewChannel | PermissionReadHistory | PermissionConnect |
	PermissionSendMessages | PermissionSendInThreads | PermissionAttachFiles | PermissionCreateThreads

// Application is what Discord knows of the bot's own application.
type Application struct {
	ID           uint64 // zero if the server does not say
	ContentKnown bool   // the server describes the Message Content intent
	Content      bool   // the intent is on
	Approved     bool   // Discord has reviewed the intent; if it is not set, Discord may have
}

// DecodeApplication reads the answer of /applications/@me. It returns the zero
// Application for anything else.
func DecodeApplication(raw json.RawMessage) Application {
	o := parseObject(raw)
	flags := bitsOf(o["flags"])
	return Application{
		ID:           bitsOf(o["id"]),
		ContentKnown: o.given("flags"),
		Content:      flags&(flagMessageContent|flagMessageContentLimited) != 0,
		Approved:     flags&flagMessageContent != 0,
	}
}

// InviteLink returns the link by which an admin adds the bot to a guild, with the
// permissions that it needs.
func (a Application) InviteLink() string {
	return "https://discord.com/oauth2/authorize?" + url.Values{
		"client_id":   {strconv.FormatUint(a.ID, 10)},
		"scope":       {"bot applications.commands"},
		"permissions": {strconv.FormatUint(uint64(PermissionsNeeded), 10)},
	}.Encode()
}
