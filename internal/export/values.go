package export

import (
	"path"
	"strconv"
	"strings"
	"time"

	"heddle/internal/discord"
)

// snowflake is an id in an export, zero where the value is not an id.
type snowflake uint64

// UnmarshalJSON never fails: one malformed id must not end the reading.
func (id *snowflake) UnmarshalJSON(data []byte) error {
	n, err := strconv.ParseUint(strings.Trim(string(data), `"`), 10, 64)
	if err == nil {
		*id = snowflake(n)
	}
	return nil
}

// messageType returns the type with a name in exports. For a type without a name the
// exporter writes its number.
func messageType(name string) discord.MessageType {
	types := map[string]discord.MessageType{
		"": discord.TypeDefault, "Default": discord.TypeDefault, "Reply": discord.TypeReply, "RecipientAdd": discord.TypeRecipientAdd,
		"RecipientRemove": discord.TypeRecipientRemove, "Call": discord.TypeCall, "ChannelNameChange": discord.TypeChannelName,
		"ChannelIconChange": discord.TypeChannelIcon, "ChannelPinnedMessage": discord.TypePin, "GuildMemberJoin": discord.TypeJoin,
		"ThreadCreated": discord.TypeThreadCreated,
	}
	if known, named := types[name]; named {
		return known
	}
	number, err := strconv.ParseInt(name, 10, 32)
	if err != nil {
		return -1 // a notice whose name only a later version of the exporter knows
	}
	return discord.MessageType(number)
}

// parseTime returns the time that s denotes, the zero time if s is malformed.
func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// mediaType returns the media type of a file that heddle can show to a model, empty
// for other files. The exporter does not write it.
func mediaType(name string) string {
	return map[string]string{
		".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
		".txt": "text/plain", ".log": "text/plain", ".md": "text/plain", ".pdf": "application/pdf",
	}[strings.ToLower(path.Ext(name))]
}
