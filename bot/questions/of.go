package questions

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/markdown"
)

// Rules are the operator's choice of what counts as a question.
type Rules struct {
	Bots  []graph.UserID // bots, webhooks and applications that may ask
	Edits time.Duration  // how soon after its message an edit counts; 0: no edit does
}

// AnswersEdit reports whether a question that is edited at a time gets another answer.
func (r *Rules) AnswersEdit(question graph.MessageID, at time.Time) bool {
	return r.Edits > 0 && at.Sub(question.Time()) <= r.Edits
}

// Kind is what is to be done about a message.
type Kind uint8

// The kinds.
const (
	Nothing Kind = iota
	Changed      // an edit: only an answer that stands is to agree with it
	Asks         // it is to be answered
)

// Verdict is what a message is to heddle.
type Verdict struct {
	Kind     Kind
	Question *discord.Message // nil for Nothing
	// Part counts the messages of the question before this one; 0 for the question itself.
	Part int
	Bare bool // it is a mention without words
	// Copies is the message that a proxy posted this one in place of, and is going to delete.
	Copies graph.MessageID
}

// Version returns when a question got its present form, if the message of this verdict was its last
// to change; zero for the form in which it was asked.
func (v *Verdict) Version(m *discord.Message) time.Time {
	if m.Edited.IsZero() && v.Part > 0 && !v.Bare {
		return m.ID.Time()
	}
	return m.Edited
}

const (
	// bareFor is how long after the asker's own message a mention without words asks that message.
	bareFor = 2 * time.Minute
	// partFor is how soon after the message before a message continues a question.
	partFor = 10 * time.Second
	// mostParts bounds the further messages of a question, as each restarts its answer.
	mostParts = 5
	// copyFor is how soon after a message a proxy posts its copy.
	copyFor = 30 * time.Second
)

// Of returns what a message is. before are the messages before it in its channel as far as they are
// known, oldest first. The first row that fits decides. "Mentions" means heddle, or its managed
// role, in the text or by a reply that pings.
//
//	message                                                 is
//	by heddle or Discord, of another type, ephemeral        nothing
//	by a webhook, if the rules name neither it nor its      nothing
//	application
//	by a bot that the rules do not name                     nothing
//	by a bot that they name: mentions heddle in the text    a question; otherwise nothing, as
//	                                                        bots reply to everything
//	by a webhook, with the words of a person's question     a question in its place: the proxy
//	at most 30 s before, if nothing else copied that        deletes the other (PluralKit)
//	mentions heddle without words, file or reply, within    a part of that message, which becomes
//	2 min after the sender's own last message               a question (letta-code#4106)
//	mentions heddle                                         a question
//	replies to heddle, without its ping, and mentions       nothing: it is for them
//	somebody else, who is neither heddle nor the author     (hermes-agent#3640)
//	replies to heddle                                       a question
//	a file, a forward or, in direct messages, anything,     a part of that question
//	at most 10 s after a part of the sender's question,     (hermes-agent#2230)
//	and for nobody else
//	any other direct message                                a question
//	any other                                               nothing
//
// Nobody else's message stands between the parts of a question, and heddle's neither: what follows
// the first text of an answer is no part. Every process therefore comes to the same verdict, whether
// it heard the messages or reads them later. An edit that comes too late to count turns a question
// into Changed.
func Of(m *discord.Message, before []discord.Message, at *guilds.Place, rules *Rules) Verdict {
	mention := mentionOf(m, at.Self)
	v := Verdict{Bare: mention.counts && isBare(m, at.Self)}
	switch {
	case !mayAsk(m, at.Self, rules):
		return Verdict{}
	case m.Author.Bot && !m.ByWebhook():
		if mention.written {
			v.Kind, v.Question = Asks, m
		}
	case v.copies(m, before, at, rules), v.follows(m, before, at, rules):
	case at.Direct || mention.counts || repliesTo(m, at.Self) && !mentionsOthers(m, at.Self):
		v.Kind, v.Question = Asks, m
	}
	if v.Kind == Asks && !m.Edited.IsZero() && !rules.AnswersEdit(m.ID, m.Edited) {
		v.Kind = Changed
	}
	return v
}

// MayFollow reports whether it depends on the messages before a message what it is: a verdict
// without them is preliminary.
func MayFollow(m *discord.Message, at *guilds.Place, rules *Rules) bool {
	switch {
	case !mayAsk(m, at.Self, rules), m.Author.Bot && !m.ByWebhook():
		return false
	case mentionOf(m, at.Self).counts && isBare(m, at.Self), m.ByWebhook():
		return true
	}
	return mayContinue(m, at)
}

// mayContinue reports whether a message is a part of a question if it follows one.
func mayContinue(m *discord.Message, at *guilds.Place) bool {
	forward := m.Reference != nil && m.Reference.Forward
	return (forward || m.Reference == nil && (len(m.Attachments) > 0 || at.Direct)) &&
		!mentionOf(m, at.Self).counts && !mentionsOthers(m, at.Self)
}

// follows sets the question that a message is a further part of, and reports whether there is one.
func (v *Verdict) follows(m *discord.Message, before []discord.Message, at *guilds.Place, rules *Rules) bool {
	within := partFor
	if v.Bare {
		within = bareFor
	} else if !mayContinue(m, at) {
		return false
	}
	for i := range slices.Backward(before) {
		said := &before[i]
		if said.ID >= m.ID || !said.Type.Conversational() { // notices are nobody's
			continue
		}
		if !isOwn(said, m) || m.ID.Time().Sub(said.ID.Time()) > within {
			return false
		}
		last := Of(said, before[:i], at, rules)
		switch {
		case last.Part >= mostParts, last.Kind == Nothing && !v.Bare:
			return false
		case last.Kind == Nothing:
			last.Question = said
		}
		v.Kind, v.Question, v.Part = last.Kind, last.Question, last.Part+1
		if v.Bare {
			v.Kind = Asks
		}
		return true
	}
	return false
}

// copies sets the question that a webhook's message is if it is the copy of a person's question, and
// reports whether it is one.
func (v *Verdict) copies(m *discord.Message, before []discord.Message, at *guilds.Place, rules *Rules) bool {
	text := strings.TrimSpace(m.Content)
	if !m.ByWebhook() || text == "" {
		return false
	}
	for i := range slices.Backward(before) {
		said := &before[i]
		switch {
		case said.ID >= m.ID:
			continue
		case m.ID.Time().Sub(said.ID.Time()) > copyFor, said.ByWebhook() && strings.TrimSpace(said.Content) == text:
			return false
		case !said.Author.Bot && !said.ByWebhook() && strings.Contains(said.Content, text) && Of(said, before[:i], at, rules).Kind != Nothing:
			v.Kind, v.Question, v.Copies = Asks, m, said.ID
			return true
		}
	}
	return false
}

// isBare reports whether a message holds nothing but mentions of heddle, and signs.
func isBare(m *discord.Message, self guilds.Self) bool {
	if m.Reference != nil || len(m.Attachments)+len(m.Stickers)+len(m.Snapshots)+len(m.Components) > 0 || m.Poll != nil {
		return false
	}
	rest := m.Content
	for _, form := range append(userForms(self.User), roleForms(self.Role)...) {
		rest = strings.ReplaceAll(rest, form, "")
	}
	return !strings.ContainsFunc(rest, func(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsPunct(r) && r != '^' })
}

// isOwn reports whether a message was sent by the sender of another one. Those who speak through one
// webhook differ by their names.
func isOwn(said, m *discord.Message) bool {
	return said.Author.ID == m.Author.ID && (said.Author.Name == m.Author.Name || !said.ByWebhook()) &&
		(said.Type == discord.TypeDefault || said.Type == discord.TypeReply)
}

// mayAsk reports whether the sender of a message may ask, and messages of its type can.
func mayAsk(m *discord.Message, self guilds.Self, rules *Rules) bool {
	switch {
	case m.Author.ID == self.User, m.Author.System, m.Flags&discord.FlagEphemeral != 0:
		return false
	case m.Type != discord.TypeDefault && m.Type != discord.TypeReply:
		return false
	case m.ByWebhook(): // MusicBot#1395
		return slices.Contains(rules.Bots, graph.UserID(m.Webhook)) || m.Application != 0 && slices.Contains(rules.Bots, m.Application)
	}
	return !m.Author.Bot || slices.Contains(rules.Bots, m.Author.ID)
}

// mention is how a message mentions heddle.
type mention struct {
	written bool // as a user, in the text
	counts  bool // in any way
}

// mentionOf returns how a message mentions heddle. A mention in the text counts even if it is
// not listed, because servers that imitate Discord may not list it.
func mentionOf(m *discord.Message, self guilds.Self) mention {
	prose := markdown.Prose(m.Content)
	listed := slices.ContainsFunc(m.Mentions, func(u discord.User) bool { return u.ID == self.User })
	listedRole := self.Role != 0 && slices.Contains(m.MentionRoles, self.Role)
	written := containsAny(prose, userForms(self.User))
	return mention{written, written || listed && isShown(m, prose, userForms(self.User)) ||
		listedRole && isShown(m, prose, roleForms(self.Role))}
}

// isShown reports whether a listed mention counts. One that is shown as it was typed, such as
// one in code, does not. One that is not in the content does: it is a reply that pings.
func isShown(m *discord.Message, prose string, forms []string) bool {
	return containsAny(prose, forms) || !containsAny(m.Content, forms)
}

// mentionsOthers reports whether a message mentions somebody who is neither heddle nor the
// author, or a role that is not heddle's.
func mentionsOthers(m *discord.Message, self guilds.Self) bool {
	prose := markdown.Prose(m.Content)
	return slices.ContainsFunc(m.Mentions, func(u discord.User) bool {
		return u.ID != self.User && u.ID != m.Author.ID && isShown(m, prose, userForms(u.ID))
	}) || slices.ContainsFunc(m.MentionRoles, func(role graph.RoleID) bool {
		return role != self.Role && isShown(m, prose, roleForms(role))
	})
}

// userForms returns how a text mentions a user.
func userForms(user graph.UserID) []string {
	return []string{"<@" + user.String() + ">", "<@!" + user.String() + ">"}
}

// roleForms returns how a text mentions a role.
func roleForms(role graph.RoleID) []string { return []string{"<@&" + role.String() + ">"} }

func containsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// repliesTo reports whether a message replies to heddle.
func repliesTo(m *discord.Message, self guilds.Self) bool {
	return m.Type == discord.TypeReply && m.Referenced != nil && m.Referenced.Author.ID == self.User
}
