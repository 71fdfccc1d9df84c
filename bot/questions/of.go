// Package questions decides what a question is.
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
	Bare     bool             // it is a mention without words: what was said before it decides
}

// bareFor is how long after the asker's own message a mention without words asks that message.
const bareFor = 2 * time.Minute

// Of returns what a message is. before are the messages before it in its channel as far as they
// are known, oldest first; they matter for a mention without words. The first row that fits
// decides. "Mentions" means heddle, or
// its managed role, in the text or by a reply that pings.
//
//	message                                                 is
//	by heddle or Discord, of another type, ephemeral        nothing
//	by a webhook, if the rules name neither it nor its      nothing
//	application
//	by a bot that the rules do not name                     nothing
//	by a bot that they name: mentions heddle in the text    a question; otherwise nothing, as
//	                                                        bots reply to everything
//	a direct message                                        a question
//	mentions heddle                                         a question
//	replies to heddle, without its ping, and mentions       nothing: it is for them
//	somebody else, who is neither heddle nor the author     (hermes-agent#3640)
//	replies to heddle                                       a question
//	any other                                               nothing
//
// A mention without words, file or reply asks the message right before it, if the same person sent
// that within two minutes; otherwise it is a question itself (letta-code#4106). An edit that comes
// too late to count turns a question into Changed.
func Of(m *discord.Message, before []discord.Message, at *guilds.Place, rules *Rules) Verdict {
	mention := mentionOf(m, at.Self)
	asks := false
	switch {
	case !mayAsk(m, at.Self, rules):
	case m.Author.Bot && !m.ByWebhook():
		asks = mention.written
	default:
		asks = at.Direct || mention.counts || repliesTo(m, at.Self) && !mentionsOthers(m, at.Self)
	}
	switch {
	case !asks:
		return Verdict{}
	case !m.Edited.IsZero() && !rules.AnswersEdit(m.ID, m.Edited):
		return Verdict{Kind: Changed, Question: m}
	case !mention.counts || !isBare(m, at.Self):
		return Verdict{Kind: Asks, Question: m}
	}
	v := Verdict{Kind: Asks, Question: m, Bare: true}
	for i := range slices.Backward(before) {
		said := &before[i]
		if said.ID >= m.ID || !said.Type.Conversational() { // notices are nobody's
			continue
		}
		if !isOwn(said, m) {
			break
		}
		v.Question = said
		if !mentionOf(said, at.Self).counts || !isBare(said, at.Self) { // mentions in a row ask the same
			break
		}
	}
	return v
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

// isOwn reports whether a message was sent by the sender of a mention, soon before it. Those who
// speak through one webhook differ by their names.
func isOwn(said, mention *discord.Message) bool {
	return said.Author.ID == mention.Author.ID && (said.Author.Name == mention.Author.Name || !said.ByWebhook()) && mention.ID.Time().Sub(said.ID.Time()) <= bareFor &&
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
