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
		out.add(notice(m))
	}
	if n := noticeOf(m); n != nil {
		out.add("[replies to this notice by @" + oneLine(n.Author.DisplayName()) + "]")
		out.add("> " + strings.ReplaceAll(extras(n), "\n", "\n> "))
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
	if m.Activity != 0 {
		out.add("[invitation to do something together: " + cmp.Or(oneLine(m.App), "an activity") + "]")
	}
	for _, sticker := range m.Stickers {
		out.add("[sticker: " + oneLine(sticker.Name) + "]")
	}
	if m.Poll != nil {
		addPoll(&out, m.Poll)
	}
	if m.Flags&discord.FlagSuppressEmbeds == 0 && m.Type != discord.TypePollResult {
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
	return "[@" + m.Interaction.User.DisplayName() + " used " + cmp.Or(name, "a command") + "]"
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
// that every reader of the message receives. The tail tells them.
func addPoll(out *lines, poll *discord.Poll) {
	head := "poll"
	if poll.Multiple {
		head += " with several choices"
	}
	if poll.Final {
		head += ", ended"
	}
	out.add("[" + head + ": " + oneLine(poll.Question) + "]")
	for _, answer := range poll.Answers {
		line := "- " + oneLine(answer.Text)
		if poll.Final && answer.Votes >= 0 {
			line += " (" + strconv.FormatInt(answer.Votes, 10) + " votes)"
		}
		out.add(line)
	}
}

// addEmbed adds the lines of an embed in the order in which people see them: a title in brackets
// with its address, unless people typed that, texts, pictures, and the footer with its time.
func addEmbed(out *lines, m *discord.Message, embed *discord.Embed) {
	head := []string{}
	for _, part := range [...]string{embed.Provider, embed.Author, embed.Title} {
		if part != "" {
			head = append(head, oneLine(part))
		}
	}
	title := "embed"
	if kind := embed.Type; kind == "image" || kind == "video" || kind == "gifv" {
		title = kind
	}
	if isCovered(m, embed) {
		title += ", a spoiler"
	}
	title = strings.TrimSpace("[" + title + "] " + strings.Join(head, ": "))
	if at := link(embed.Link); at != "" && !strings.Contains(m.Content, embed.Link) {
		title += " <" + at + ">"
	}
	out.add(title)
	out.add(foreign(plain(embed.Description, m)))
	for _, field := range embed.Fields {
		out.add(foreign(plain(field.Name, m) + ": " + plain(field.Value, m)))
	}
	for _, picture := range [...]*discord.Media{&embed.Image, &embed.Thumbnail} {
		out.addMedia(m, picture)
	}
	foot := plain(embed.Footer, m)
	if !embed.Time.IsZero() {
		foot = strings.TrimPrefix(foot+" • ", " • ") + embed.Time.UTC().Format("2006-01-02 15:04 UTC")
	}
	out.add(foreign(foot))
}

// addMedia adds the line of a picture or a file, whose own record tells the rest.
func (l *lines) addMedia(m *discord.Message, media *discord.Media) {
	if media.URL == "" {
		return
	}
	line := "[media: " + noColon(mediaName(media))
	if media.Description != "" {
		line += ", described as: " + oneLine(plain(media.Description, m))
	}
	l.add(line + "]")
}

// resultOf returns the line of the embed in which Discord tells the result of a poll.
func resultOf(m *discord.Message) string {
	said := map[string]string{}
	for i := range m.Embeds {
		for _, field := range m.Embeds[i].Fields {
			said[field.Name] = oneLine(field.Value)
		}
	}
	won := "no answer won"
	if answer := cmp.Or(said["victor_answer_text"], said["victor_answer_emoji_name"]); answer != "" {
		won = `"` + answer + `" won`
	}
	return fmt.Sprintf("[the poll %q has ended: %s, %s of %s votes]", said["poll_question_text"], won, cmp.Or(said["victor_answer_votes"], "0"), cmp.Or(said["total_votes"], "0"))
}

// addComponents adds the lines of components, and of those within them.
func addComponents(out *lines, m *discord.Message, components []discord.Component) {
	for i := range components {
		c := &components[i]
		if c.Spoiler && len(c.Children) > 0 {
			out.add("[covered as a spoiler]")
		}
		switch c.Type {
		case discord.ComponentTextDisplay:
			out.add(foreign(plain(c.Text, m)))
		case discord.ComponentButton:
			line := "[button: " + oneLine(c.Label) + "]"
			if at := link(c.Link); at != "" {
				line += " <" + at + ">"
			}
			if c.Label != "" || c.Link != "" {
				out.add(line)
			}
		case discord.ComponentThumbnail, discord.ComponentFile:
			c.Media.Description = cmp.Or(c.Media.Description, c.Description)
			out.addMedia(m, &c.Media)
		default:
			if text := cmp.Or(c.Label, c.Text); text != "" {
				out.add("[" + noColon(oneLine(text)) + "]")
			}
		}
		addComponents(out, m, c.Children)
	}
}

// notices are the messages that Discord writes itself, by type, as people see them (Discord API
// reference, "Message Types"). What a message is about follows the colon, if there is one.
var notices = map[discord.MessageType]string{ //nolint:gochecknoglobals // it never changes
	discord.TypeRecipientAdd:    "added somebody to the group",
	discord.TypeRecipientRemove: "removed somebody from the group",
	discord.TypeCall:            "started a call",
	discord.TypeChannelName:     "changed the channel's name:",
	discord.TypeChannelIcon:     "changed the channel's icon",
	discord.TypePin:             "pinned a message",
	discord.TypeJoin:            "joined the server",
	discord.TypeBoost:           "boosted the server",
	9:                           "boosted the server, which has reached level 1",
	10:                          "boosted the server, which has reached level 2",
	11:                          "boosted the server, which has reached level 3",
	12:                          "added to this channel the announcements of:",
	14:                          "this server was removed from Server Discovery",
	15:                          "this server is in Server Discovery again",
	16:                          "this server has failed the requirements of Server Discovery for a week",
	17:                          "this server has failed the requirements of Server Discovery for three weeks",
	discord.TypeThreadCreated:   "started a thread:",
	discord.TypeStarter:         "this thread was started from an earlier message",
	22:                          "invite people to this server",
	24:                          "AutoMod acted on a message:",
	25:                          "subscribed to:",
	26:                          "this command needs a subscription",
	27:                          "started a stage:",
	28:                          "ended the stage:",
	29:                          "speaks on the stage now",
	31:                          "changed the stage's topic:",
	32:                          "subscribed to the app:",
	36:                          "switched security actions on until:",
	37:                          "switched security actions off",
	38:                          "reported a raid",
	39:                          "reported that a raid was a false alarm",
	44:                          "bought:",
}

// notice returns the line of a message that Discord writes itself.
func notice(m *discord.Message) string {
	if m.Type == discord.TypePollResult {
		return resultOf(m)
	}
	text, known := notices[m.Type]
	if !known {
		return fmt.Sprintf("[notice of type %d]", m.Type)
	}
	if m.Type == discord.TypeCall && !m.CallEnded.IsZero() {
		text += ", which has ended"
	}
	if about, has := strings.CutSuffix(text, ":"); has {
		text = about
		if what := cmp.Or(m.Product, m.Tier, m.Content, m.App); what != "" {
			text += ": " + noColon(oneLine(plain(what, m)))
		}
	}
	return "[" + text + "]"
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
