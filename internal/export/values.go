package export

import (
	"bytes"
	"encoding/json"
	"path"
	"strconv"
	"strings"
	"time"

	"heddle/graph"
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

// messageID returns the id of an encoded message, zero if it has none. The exporter
// writes the id first, so most messages need not be decoded.
func messageID(message []byte) graph.MessageID {
	if rest, first := bytes.CutPrefix(bytes.TrimLeft(message[1:], " \t\r\n"), []byte(`"id":`)); first {
		value, _, _ := bytes.Cut(rest, []byte(","))
		var id snowflake
		if err := id.UnmarshalJSON(bytes.TrimSpace(value)); err == nil && id != 0 {
			return graph.MessageID(id)
		}
	}
	var m struct {
		ID snowflake `json:"id"`
	}
	_ = json.Unmarshal(message, &m) // a value that is not an object has no id
	return graph.MessageID(m.ID)
}

// messageType returns the type with a name in exports. For a type without a name the
// exporter writes its number.
func messageType(name string) discord.MessageType {
	switch name {
	case "", "Default":
		return discord.TypeDefault
	case "Reply":
		return discord.TypeReply
	case "RecipientAdd":
		return discord.TypeRecipientAdd
	case "RecipientRemove":
		return discord.TypeRecipientRemove
	case "Call":
		return discord.TypeCall
	case "ChannelNameChange":
		return discord.TypeChannelName
	case "ChannelIconChange":
		return discord.TypeChannelIcon
	case "ChannelPinnedMessage":
		return discord.TypePin
	case "GuildMemberJoin":
		return discord.TypeJoin
	case "ThreadCreated":
		return discord.TypeThreadCreated
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
	switch strings.ToLower(path.Ext(name)) {
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".gif":
		return "image/gif"
	case ".webp":
		return "image/webp"
	case ".txt", ".log", ".md":
		return "text/plain"
	case ".pdf":
		return "application/pdf"
	default:
		return ""
	}
}
