package fetch

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"heddle/graph"
	"heddle/internal/discord"
)

// lines collects the text of a message's extras. It stops when the text is too long.
type lines struct{ text strings.Builder }

func (l *lines) add(text string) {
	if text == "" || l.text.Len() > maxExtras {
		return
	}
	if l.text.Len() > 0 {
		l.text.WriteByte('\n')
	}
	l.text.WriteString(text)
}

// extras returns text for everything but a message's content. Each thing is named in
// brackets, followed by its text. The model is shown these lines as heddle's own, so
// text from others is escaped by foreign or follows something else on its line.
func extras(m *discord.Message) string {
	var out lines
	if m.Type == discord.TypeStarter || !m.Type.Conversational() {
		out.add(notice(m.Type))
	}
	if m.Interaction != nil && m.Type != discord.TypeDefault {
		out.add(usedCommand(m))
	}
	if m.Flags&discord.FlagLoading != 0 {
		out.add("[is still working on an answer]")
	}
	for i := range m.Snapshots {
		inner := &m.Snapshots[i].Message
		text := bound(join(plain(inner.Content, inner), extras(inner)), maxExtras)
		out.add("[forwarded message]")
		if text != "" {
			out.add("> " + strings.ReplaceAll(text, "\n", "\n> "))
		}
	}
	if m.Reference != nil && m.Reference.Forward && len(m.Snapshots) == 0 {
		out.add("[forwarded message]")
	}
	for _, a := range m.Attachments {
		voice := graph.Attachment{Seconds: secondsOf(m, &a)}
		switch { // its own record tells the rest
		case voice.Seconds > 0:
			out.add(voice.VoiceLine() + "]")
		case a.Description != "":
			out.add("[" + noColon(oneLine(fileName(a))) + ", described as: " + oneLine(plain(a.Description, m)) + "]")
		}
	}
	for _, sticker := range m.Stickers {
		out.add("[sticker: " + oneLine(sticker.Name) + "]")
	}
	if m.Poll != nil {
		addPoll(&out, m.Poll)
	}
	if m.Flags&discord.FlagSuppressEmbeds == 0 {
		for i := range m.Embeds {
			addEmbed(&out, m, &m.Embeds[i])
		}
	}
	if len(m.Components) > 0 {
		addComponents(&out, m, m.Components)
	}
	return out.text.String()
}

func usedCommand(m *discord.Message) string {
	name := oneLine(m.Interaction.Name)
	if name != "" && m.Type != discord.TypeContextMenu {
		name = "/" + name
	}
	return "[@" + oneLine(m.Interaction.User.DisplayName()) + " used " + cmp.Or(name, "a command") + "]"
}

// secondsOf returns the length of an attachment of m if it is a voice message, else 0. Clips and
// some files of bots have a length as well.
func secondsOf(m *discord.Message, a *discord.Attachment) int {
	if m.Flags&discord.FlagVoiceMessage == 0 {
		return 0
	}
	return int(math.Round(min(max(a.Seconds, 1), 1e6)))
}

// addPoll leaves out the votes until they are final, as they change without an event
// that every reader of the message receives.
func addPoll(out *lines, poll *discord.Poll) {
	out.add("[poll: " + oneLine(poll.Question) + "]")
	for _, answer := range poll.Answers {
		line := "- " + oneLine(answer.Text)
		if poll.Final && answer.Votes >= 0 {
			line += " (" + strconv.FormatInt(answer.Votes, 10) + " votes)"
		}
		out.add(line)
	}
}

// addEmbed adds the lines of an embed: a title in brackets, and its texts.
func addEmbed(out *lines, m *discord.Message, embed *discord.Embed) {
	if embed.Type == "poll_result" {
		out.add("[result of a poll]")
		return
	}
	head := []string{}
	for _, part := range [...]string{embed.Provider, embed.Author, embed.Title} {
		if part != "" {
			head = append(head, oneLine(part))
		}
	}
	title := "[embed]"
	if kind := embed.Type; kind == "image" || kind == "video" || kind == "gifv" {
		title = "[" + kind + "]"
	}
	out.add(strings.TrimSpace(title + " " + strings.Join(head, ": ")))
	out.add(foreign(plain(embed.Description, m)))
	for _, field := range embed.Fields {
		out.add(foreign(plain(field.Name, m) + ": " + plain(field.Value, m)))
	}
	out.add(foreign(plain(embed.Footer, m)))
}

// addComponents adds the lines of components, and of those within them.
func addComponents(out *lines, m *discord.Message, components []discord.Component) {
	for i := range components {
		c := &components[i]
		switch c.Type {
		case discord.ComponentTextDisplay:
			out.add(foreign(plain(c.Text, m)))
		case discord.ComponentButton:
			if c.Label != "" {
				out.add("[button: " + oneLine(c.Label) + "]")
			}
		case discord.ComponentThumbnail, discord.ComponentFile:
			out.add(mediaLine(c))
		default:
			if text := cmp.Or(c.Label, c.Text); text != "" {
				out.add("[" + noColon(oneLine(text)) + "]")
			}
		}
		addComponents(out, m, c.Children)
	}
}

func mediaLine(c *discord.Component) string {
	kind := "media"
	if c.Type == discord.ComponentFile {
		kind = "file"
	}
	if about := cmp.Or(c.Description, c.Name); about != "" {
		return "[" + kind + ": " + oneLine(about) + "]"
	}
	return "[" + kind + "]"
}

// notice returns the text of a message of a type that Discord writes itself. Those to which
// people answer are named (Discord API reference, "Message Types").
func notice(t discord.MessageType) string {
	named := map[discord.MessageType]string{
		discord.TypeChannelName:   "[changed the channel's name]",
		discord.TypePin:           "[pinned a message]",
		discord.TypeJoin:          "[joined the server]",
		discord.TypeBoost:         "[boosted the server]",
		discord.TypeThreadCreated: "[started a thread]",
		discord.TypeStarter:       "[this thread was started from an earlier message]",
		discord.TypePollResult:    "[a poll ended]",
	}
	if text, ok := named[t]; ok {
		return text
	}
	return fmt.Sprintf("[notice of type %d]", t)
}

// foreign escapes text that others wrote, so that none of its lines can be taken for
// one that heddle adds: a line that begins with a bracket, or with an escaped one, gets
// a backslash.
func foreign(text string) string {
	text = clean(strings.NewReplacer("\u2028", "\n", "\u2029", "\n").Replace(text))
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		seen := strings.TrimLeftFunc(line, unseen)
		if strings.HasPrefix(seen, `\`) || strings.IndexFunc(seen, bracket) == 0 {
			at := len(line) - len(seen)
			lines[i] = line[:at] + `\` + seen
		}
	}
	return strings.Join(lines, "\n")
}

// bracket reports whether a label could begin with r.
func bracket(r rune) bool {
	return unicode.Is(unicode.Ps, r) && r != '(' && r != '{'
}

// unseen reports whether r is invisible.
func unseen(r rune) bool {
	return unicode.IsSpace(r) || unicode.In(r, unicode.C, unicode.Z, unicode.Mn, unicode.Me, unicode.Other_Default_Ignorable_Code_Point)
}

// noColon returns a name that cannot turn the brackets around it into a label.
func noColon(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(":：︓﹕∶꞉ː˸׃։⁚︰᛬", r) {
			return '_'
		}
		return r
	}, name)
}
