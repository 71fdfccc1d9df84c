package fetch

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

// exportedID is an id in an export; what is none reads as zero.
type exportedID uint64

// UnmarshalJSON never fails: one odd id must not end the reading.
func (id *exportedID) UnmarshalJSON(data []byte) error {
	n, err := strconv.ParseUint(strings.Trim(string(data), `"`), 10, 64)
	if err == nil {
		*id = exportedID(n)
	}
	return nil
}

// idIn is the id of a message, zero where it has none. The exporter writes it
// first, so that most messages need not be taken apart.
func idIn(message []byte) graph.MessageID {
	if rest, first := bytes.CutPrefix(bytes.TrimLeft(message[1:], " \t\r\n"), []byte(`"id":`)); first {
		value, _, _ := bytes.Cut(rest, []byte(","))
		var id exportedID
		if err := id.UnmarshalJSON(bytes.TrimSpace(value)); err == nil && id != 0 {
			return graph.MessageID(id)
		}
	}
	var m struct {
		ID exportedID `json:"id"`
	}
	_ = json.Unmarshal(message, &m) // what is no object has none
	return graph.MessageID(m.ID)
}

// exportedType reads a type's name; the exporter writes numbers for the types
// that it has no name for.
func exportedType(name string) discord.MessageType {
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
		return -1 // a notice that a later exporter names
	}
	return discord.MessageType(number)
}

func exportedTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// typeByName is the media type of the files that are looked into; the exporter
// does not write it.
func typeByName(name string) string {
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
