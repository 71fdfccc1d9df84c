package fetch

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/markdown"
)

// The bounds of one message's text, in bytes. Discord's own limits are 4,000
// characters of content and 6,000 of embeds, and twice as much with a forward; other servers may
// have none.
const (
	maxContent = 24 << 10
	maxExtras  = 32 << 10
	maxName    = 200
)

// Render returns a message of Discord's as a graph.Message. self is heddle's own user.
// Answers stays zero: a channel's log knows what an own message answers, or its replies
// show it (see graph.Fold).
func Render(m discord.Message, self graph.UserID) graph.Message {
	origin := originOf(&m, self)
	if origin == graph.OriginSelf {
		m.Components = nil // the buttons below an answer are no part of what was said
	}
	content := bound(clean(plain(m.Content, &m)), maxContent)
	if !m.Type.Conversational() { // the notice says it
		content = ""
	}
	added := clean(extras(&m))
	if len(added) > maxExtras {
		added = bound(added, maxExtras) + "\n[the rest of this message is too long and was left out]"
	}
	text := join(content, added)
	if origin == graph.OriginSelf {
		m.Embeds = nil // heddle made none of the pictures behind its links
	}
	rendered := graph.Message{
		ID: m.ID, Edited: m.Edited, Channel: m.Channel, Time: m.Time,
		Author: m.Author.ID, Name: m.Author.DisplayName(),
		Origin: origin, System: !m.Type.Conversational(), Text: text,
		Attachments: attachmentsOf(&m), References: referencesOf(&m, self),
		OpenPoll: m.Poll != nil && !m.Poll.Final,
	}
	if call := plain(leadingMention.FindString(m.Content), &m); strings.HasPrefix(text, call) {
		rendered.Calls = len(call)
	}
	if origin != graph.OriginSelf { // heddle's own messages have no additions
		rendered.Added = len(text) - len(content)
	}
	return rendered
}

// join appends rest to content on a line of its own.
func join(content, rest string) string {
	if content == "" || rest == "" {
		return content + rest
	}
	return content + "\n" + rest
}

// clean removes control characters, which mean nothing and which the servers of some
// models refuse. It keeps line breaks and tabs.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}

// bound cuts text to at most most bytes, between characters, and marks the cut.
func bound(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := most
	for cut > 0 && text[cut]&0xC0 == 0x80 {
		cut--
	}
	return strings.Clone(text[:cut]) + "[…]"
}

// originOf returns the kind of m's author.
func originOf(m *discord.Message, self graph.UserID) graph.Origin {
	switch {
	case self != 0 && m.Author.ID == self:
		return graph.OriginSelf
	case m.ByWebhook():
		return graph.OriginWebhook
	case m.Author.Bot || m.Author.System || m.Webhook != 0:
		return graph.OriginBot
	default:
		return graph.OriginPerson
	}
}

func attachmentsOf(m *discord.Message) []graph.Attachment {
	var attachments []graph.Attachment
	for _, a := range files(m) {
		attachments = append(attachments, graph.Attachment{
			ID: a.ID, Name: fileName(a), Type: bound(a.Type, maxName), Size: a.Size, Width: dimension(a.Width), Height: dimension(a.Height),
			Spoiler: a.Spoiler, Seconds: int(a.Seconds),
		})
	}
	return attachments
}

func addressesOfFiles(m *discord.Message) []address {
	var addresses []address
	for _, a := range files(m) {
		addresses = append(addresses, address{AddressOf(&a), a.ID})
	}
	return addresses
}

// dimension returns a side of a picture in pixels, or 0 if it cannot be one.
func dimension(side int64) int {
	if side < 0 || side > 1<<20 {
		return 0
	}
	return int(side)
}

func fileName(a discord.Attachment) string {
	name := cmp.Or(a.Name, a.Title, "file")
	return bound(name, maxName)
}

// referencesOf returns what m refers to: its reply, starter or forward, then the people
// it addresses, ordered by id as servers list them in different orders, then the
// messages it links to. What heddle says to somebody who uses a command or a button refers to
// nothing: it is an answer only if a record says so.
func referencesOf(m *discord.Message, self graph.UserID) []graph.Reference {
	var references []graph.Reference
	if r := m.Reference; r != nil && r.Message != 0 && m.Type.Conversational() && (m.Interaction == nil || m.Author.ID != self) {
		reference := graph.Reference{Kind: graph.ReferenceReply, Channel: cmp.Or(r.Channel, m.Channel), Message: r.Message}
		switch {
		case r.Forward, m.Flags&discord.FlagCrosspost != 0:
			reference.Kind = graph.ReferenceForward
		case m.Type == discord.TypeStarter:
			reference.Kind = graph.ReferenceStarter
		}
		if m.ReferencedState == discord.ReferencedNull {
			reference.State = graph.ReferenceDeleted
		}
		references = append(references, reference)
	}
	if n := noticeOf(m); n != nil && n.Reference != nil && (n.Type == discord.TypePin || n.Type == discord.TypePollResult || n.Type == discord.TypeThreadCreated) {
		references = append(references, graph.Reference{Kind: graph.ReferenceLink, Channel: cmp.Or(n.Reference.Channel, m.Channel), Message: n.Reference.Message})
	}
	references = append(references, addressesOf(m, self)...)
	return append(references, linksOf(m, originOf(m, self), references)...)
}

// noticeOf returns the message of Discord's own that m replies to, or nil. A notice is no part of a
// conversation, so that the reply tells it.
func noticeOf(m *discord.Message) *discord.Message {
	if m.Type != discord.TypeReply || m.Referenced == nil || m.Referenced.Type.Conversational() {
		return nil
	}
	return m.Referenced
}

// addressesOf returns the people m mentions, except for its author and heddle. Somebody
// who is mentioned only because m replies to them is left out.
func addressesOf(m *discord.Message, self graph.UserID) []graph.Reference {
	var addressed []graph.Reference
	for _, user := range m.Mentions {
		if user.ID == 0 || user.ID == self || user.ID == m.Author.ID {
			continue
		}
		repliedTo := m.Reference != nil && !m.Reference.Forward && m.Type == discord.TypeReply
		if repliedTo && !strings.Contains(m.Content, "<@"+user.ID.String()+">") && !strings.Contains(m.Content, "<@!"+user.ID.String()+">") {
			continue
		}
		addressed = append(addressed, graph.Reference{Kind: graph.ReferenceAddress, Channel: m.Channel, User: user.ID})
	}
	slices.SortFunc(addressed, func(a, b graph.Reference) int { return cmp.Compare(a.User, b.User) })
	return slices.Compact(addressed)
}

// inBrackets is what Discord shows in another way than it is written: a sign and what
// follows it.
var inBrackets = regexp.MustCompile(`<(?:(@!?|@&|#)([0-9]{1,20})|(t:)(-?[0-9]{1,12})(?::([a-zA-Z]))?|(/|a?:)([^<>:\n]{1,100}):[0-9]{1,20})>`)

// leadingMention is a mention with which a text begins.
var leadingMention = regexp.MustCompile(`^\s*<@[!&]?[0-9]{1,20}>`)

// plain returns a text with readable markup: <@1> becomes @name, and <@&1> that of a role, custom
// emoji become :name:, commands become /name, and times a date in UTC. Behind the name of a
// channel, <#1> stays, as Discord shows it as a link in answers that repeat it. People and
// channels whose names are unknown stay as they are.
func plain(text string, m *discord.Message) string {
	if !strings.Contains(text, "<") {
		return text
	}
	text = text[:min(len(text), 4*maxContent)] // anything longer is cut off anyway
	return inBrackets.ReplaceAllStringFunc(text, func(written string) string {
		part := inBrackets.FindStringSubmatch(written)
		switch part[1] + part[3] + part[6] {
		case "@", "@!":
			for _, user := range m.Mentions {
				if user.ID.String() == part[2] {
					return "@" + user.DisplayName()
				}
			}
			if name := word(m, "@", part[2]); name != "" {
				return "@" + name
			}
		case "@&":
			return "@" + cmp.Or(word(m, "@&", part[2]), "role")
		case "#":
			for _, channel := range m.MentionChannels {
				if channel.ID.String() == part[2] && channel.Name != "" {
					return "#" + oneLine(channel.Name)
				}
			}
			if name := word(m, "#", part[2]); name != "" {
				return "#" + name + " (" + written + ")"
			}
		case "t:":
			return timestamp(written, part[4], part[5])
		case "/":
			return "/" + oneLine(part[7])
		default:
			return ":" + oneLine(part[7]) + ":"
		}
		return written
	})
}

// word returns the name of what a text refers to by a sign and digits, or "".
func word(m *discord.Message, sign, digits string) string {
	id, err := strconv.ParseUint(digits, 10, 64)
	if m.Words == nil || err != nil {
		return ""
	}
	return m.Words(sign, id)
}

// timestamp returns a time in a form that does not depend on when it is read, or as it is
// written if there is no such time.
func timestamp(written, digits, style string) string {
	seconds, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || seconds < -1e11 || seconds > 1e11 {
		return written
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

// mostLinks bounds the links that are followed from one message, as each may cost a read.
const mostLinks = 5

// discordLink is a link to a message or, without its id, to a thread or post, as Discord's "Copy
// Link" makes it and as browsers show it, or the mention of a channel, which may be a thread.
var discordLink = regexp.MustCompile(`(?i)\bhttps?://(?:(?:ptb|canary)\.)?discord(?:app)?\.com/channels/(?:@me|[0-9]{1,20})/(?:[0-9]{1,20}/threads/)?([0-9]{1,20})(?:/([0-9]{1,20}))?\b|<#([0-9]{1,20})>`)

// linksOf returns the messages and threads that a message links to, each once, in the order of the
// text, mostLinks at most. A mentioned channel counts as a thread, as only a lookup tells. Links in
// code, links of heddle's own messages, links to messages in known, and links to the message's own
// channel are ignored.
func linksOf(m *discord.Message, origin graph.Origin, known []graph.Reference) []graph.Reference {
	if origin == graph.OriginSelf || !strings.Contains(m.Content, "/channels/") && !strings.Contains(m.Content, "<#") {
		return nil
	}
	var links []graph.Reference
	for _, found := range discordLink.FindAllStringSubmatch(markdown.Prose(m.Content), -1) {
		link := graph.Reference{Kind: graph.ReferenceLink}
		if link.Channel.UnmarshalText([]byte(found[1]+found[3])) != nil || link.Message.UnmarshalText([]byte(found[2])) != nil {
			continue
		}
		same := func(r graph.Reference) bool {
			return r.Message == link.Message && (r.Message != 0 || r.Channel == link.Channel)
		}
		isOwn := link.Message == m.ID || link.Message == 0 && (link.Channel == m.Channel || found[2] != "")
		if link.Channel == 0 || isOwn || slices.ContainsFunc(known, same) || slices.ContainsFunc(links, same) {
			continue
		}
		if links = append(links, link); len(links) == mostLinks {
			break
		}
	}
	return links
}
