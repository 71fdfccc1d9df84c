package fetch

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"heddle/graph"
	"heddle/internal/discord"
)

// The bounds of one message's text, in bytes. Discord's own limits are 4,000
// characters of content and 6,000 of embeds; other servers may have none.
const (
	maxContent = 24 << 10
	maxExtras  = 16 << 10
	maxName    = 200
)

// rendered is a message with the end of its content: Text[:content] comes from the
// content, and the rest from embeds and the like. A partial update can thus replace
// either.
type rendered struct {
	graph.Message
	content   int
	addresses []address // of the attachments
}

// Render returns a message of Discord's as a graph.Message. self is heddle's own user.
// Answers stays zero: a channel's log knows what an own message answers, or its replies
// show it (see graph.Fold).
func Render(m discord.Message, self graph.UserID) graph.Message {
	return render(&m, self).Message
}

// render is Render, and also records which part of the text is the content and where
// the attachments lie.
func render(m *discord.Message, self graph.UserID) rendered {
	content := bound(clean(plainContent(m)), maxContent)
	r := rendered{content: len(content), addresses: addressesOfFiles(m)}
	r.Message = graph.Message{
		ID: m.ID, Edited: m.Edited, Channel: m.Channel, Time: m.Time,
		Author: m.Author.ID, Name: bound(m.Author.DisplayName(), maxName),
		Origin:      originOf(m, self),
		System:      !m.Type.Conversational(),
		Text:        join(content, bound(clean(extras(spoken(m, originOf(m, self)))), maxExtras)),
		Attachments: attachmentsOf(m),
		References:  referencesOf(m, self),
	}
	r.setAdded()
	return r
}

// setAdded records what heddle added to the content. Its own messages have no
// additions.
func (r *rendered) setAdded() {
	if r.Origin != graph.OriginSelf {
		r.Added = len(r.Text) - r.content
	}
}

// renderUpdate returns the version that results from a partial update of old.
func renderUpdate(old rendered, update *discord.Message, self graph.UserID) rendered {
	content, rest := old.Text[:old.content], strings.TrimPrefix(old.Text[old.content:], "\n")
	if update.Has(discord.HasContent) {
		content = bound(clean(plainContent(update)), maxContent)
	}
	const inExtras = discord.HasEmbeds | discord.HasComponents | discord.HasPoll | discord.HasStickers | discord.HasSnapshots
	if update.Present&inExtras != 0 {
		rest = bound(clean(extras(spoken(update, old.Origin))), maxExtras)
	}
	updated := old
	updated.content, updated.Text = len(content), join(content, rest)
	updated.setAdded()
	if update.Has(discord.HasAttachments) {
		updated.Attachments, updated.addresses = attachmentsOf(update), addressesOfFiles(update)
	}
	if update.Has(discord.HasEdited) {
		updated.Edited = update.Edited
	}
	updated.References = updatedReferences(old.References, update, old.Origin, self)
	return updated
}

// updatedReferences returns the references of a message after a partial update, in the
// order of referencesOf.
func updatedReferences(old []graph.Reference, update *discord.Message, origin graph.Origin, self graph.UserID) []graph.Reference {
	var pointed, addressed, linked []graph.Reference
	for _, r := range old {
		switch r.Kind {
		case graph.ReferenceAddress:
			addressed = append(addressed, r)
		case graph.ReferenceLink:
			linked = append(linked, r)
		case graph.ReferenceReply, graph.ReferenceStarter, graph.ReferenceForward, graph.ReferenceInferred:
			pointed = append(pointed, r)
		}
	}
	if update.Has(discord.HasMentions) {
		addressed = addressesOf(update, self)
	}
	if update.Has(discord.HasContent) {
		linked = linksOf(update, origin, pointed)
	}
	return slices.Concat(pointed, addressed, linked)
}

// spoken returns m without the buttons below heddle's answers, which are no part of
// what was said.
func spoken(m *discord.Message, origin graph.Origin) *discord.Message {
	if origin != graph.OriginSelf || len(m.Components) == 0 {
		return m
	}
	bare := *m
	bare.Components = nil
	return &bare
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

// originOf returns the kind of m's author. A webhook may speak for a person, as bridges
// and PluralKit do. The answer of an application to an interaction is a bot's, although
// it has a webhook's id.
func originOf(m *discord.Message, self graph.UserID) graph.Origin {
	switch {
	case self != 0 && m.Author.ID == self:
		return graph.OriginSelf
	case m.Webhook != 0 && m.Interaction == nil && (m.Application == 0 || m.Application != m.Author.ID):
		return graph.OriginWebhook
	case m.Author.Bot || m.Author.System || m.Webhook != 0:
		return graph.OriginBot
	default:
		return graph.OriginPerson
	}
}

// files returns the attachments of a message and of what it forwards.
func files(m *discord.Message) []discord.Attachment {
	all := slices.Clip(m.Attachments)
	for i := range m.Snapshots {
		all = append(all, m.Snapshots[i].Message.Attachments...)
	}
	return all
}

func attachmentsOf(m *discord.Message) []graph.Attachment {
	var attachments []graph.Attachment
	for _, a := range files(m) {
		attachments = append(attachments, graph.Attachment{ID: a.ID, Name: fileName(a), Type: a.Type, Size: a.Size})
	}
	return attachments
}

func addressesOfFiles(m *discord.Message) []address {
	var addresses []address
	for _, a := range files(m) {
		addresses = append(addresses, address{id: a.ID, url: cmp.Or(a.URL, a.ProxyURL)})
	}
	return addresses
}

func fileName(a discord.Attachment) string {
	name := cmp.Or(a.Name, a.Title, "file")
	return bound(name, maxName)
}

// referencesOf returns what m refers to: its reply, starter or forward, then the people
// it addresses, ordered by id as servers list them in different orders, then the
// messages it links to.
func referencesOf(m *discord.Message, self graph.UserID) []graph.Reference {
	var references []graph.Reference
	if r := m.Reference; r != nil && r.Message != 0 && m.Type.Conversational() {
		reference := graph.Reference{Kind: graph.ReferenceReply, Channel: cmp.Or(r.Channel, m.Channel), Message: r.Message}
		switch {
		case r.Forward:
			reference.Kind = graph.ReferenceForward
		case m.Type == discord.TypeStarter:
			reference.Kind = graph.ReferenceStarter
		}
		if m.ReferencedState == discord.ReferencedNull {
			reference.State = graph.ReferenceDeleted
		}
		references = append(references, reference)
	}
	references = append(references, addressesOf(m, self)...)
	return append(references, linksOf(m, originOf(m, self), references)...)
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
