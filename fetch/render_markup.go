package fetch

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"heddle/graph"
	"heddle/internal/discord"
)

// plainContent returns a message's content with readable markup: <@1> becomes @name if
// the message holds the name, custom emoji become :name:, commands become /name, and
// times a date in UTC. Channels, and people whose names the message does not hold, stay
// as they are, as Discord shows them as links even in answers that repeat them.
func plainContent(m *discord.Message) string {
	return plain(m.Content, m)
}

// plain returns a text with what Discord shows in place of its markup, such as a name for
// <@123>. Anything else in angle brackets stays.
func plain(text string, m *discord.Message) string {
	if !strings.Contains(text, "<") {
		return text
	}
	var out strings.Builder
	for out.Len() <= maxContent { // anything longer is cut off anyway
		open := strings.IndexByte(text, '<')
		if open < 0 {
			break
		}
		out.WriteString(text[:open])
		text = text[open:]
		end := strings.IndexByte(text[:min(len(text), maxMarkup)], '>')
		readable := ""
		if end > 0 {
			readable = markup(text[1:end], m)
		}
		if readable == "" {
			out.WriteByte('<')
			text = text[1:]
			continue
		}
		out.WriteString(readable)
		text = text[end+1:]
	}
	out.WriteString(text)
	return out.String()
}

// maxMarkup is the length of the longest markup that is recognised, in bytes.
const maxMarkup = 120

// markup returns readable text for what is between < and >, or "" if it stays as it is.
func markup(inner string, m *discord.Message) string {
	switch {
	case strings.HasPrefix(inner, "@&"):
		return roleName(inner[2:])
	case strings.HasPrefix(inner, "@"):
		return userName(strings.TrimPrefix(inner[1:], "!"), m)
	case strings.HasPrefix(inner, "#"):
		return channelName(inner[1:], m)
	case strings.HasPrefix(inner, "t:"):
		return timestamp(inner[2:])
	case strings.HasPrefix(inner, "/"):
		return named(inner, "/")
	case strings.HasPrefix(inner, ":"):
		return named(inner, ":")
	case strings.HasPrefix(inner, "a:"):
		return named(inner[1:], ":")
	default:
		return ""
	}
}

func userName(digits string, m *discord.Message) string {
	id, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return ""
	}
	for _, user := range m.Mentions {
		if user.ID == graph.UserID(id) {
			return "@" + oneLine(user.DisplayName())
		}
	}
	return ""
}

func roleName(digits string) string {
	if _, err := strconv.ParseUint(digits, 10, 64); err != nil {
		return ""
	}
	return "@role"
}

func channelName(digits string, m *discord.Message) string {
	id, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return ""
	}
	for _, channel := range m.MentionChannels {
		if channel.ID == graph.ChannelID(id) && channel.Name != "" {
			return "#" + oneLine(channel.Name)
		}
	}
	return ""
}

// named returns the name in "/name:id" or ":name:id".
func named(inner, sign string) string {
	last := strings.LastIndexByte(inner, ':')
	if last <= len(sign) {
		return ""
	}
	if _, err := strconv.ParseUint(inner[last+1:], 10, 64); err != nil {
		return ""
	}
	name := sign + inner[len(sign):last]
	if sign == ":" {
		name += ":"
	}
	return oneLine(name)
}

// timestamp returns the time in "seconds" or "seconds:style". It does not depend on
// when it is read.
func timestamp(inner string) string {
	digits, style, _ := strings.Cut(inner, ":")
	seconds, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || seconds < -1e11 || seconds > 1e11 {
		return ""
	}
	at := time.Unix(seconds, 0).UTC()
	switch style {
	case "d", "D":
		return at.Format(time.DateOnly)
	case "t", "T":
		return at.Format("15:04 UTC")
	default:
		return at.Format("2006-01-02 15:04 UTC")
	}
}

// oneLine returns a name in a form that fits inside other text.
func oneLine(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, bound(name, maxName))
}
