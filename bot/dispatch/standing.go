package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"heddle/bot/alternatives"
	"heddle/bot/conversation"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discord"
)

// standing is the part of an answer that is on Discord.
type standing struct {
	parts []graph.MessageID // oldest first
	said  []discord.Message // the same messages
	state state
}

// state is how complete an answer on Discord is.
type state uint8

const (
	none    state = iota
	half          // it says that more is to come, or is not all of one attempt
	unclear       // its last part is so long that another one may have been meant to follow
	whole
)

// standingIn returns which of messages, oldest first, show the answer to a question:
// heddle's replies to it, and its replies to these. A message that replies to nothing
// belongs to the question that its buttons name, together with the parts before it.
// self is heddle's account.
func (m *missed) standingIn(messages []discord.Message, self graph.UserID, question graph.MessageID) standing {
	s := standing{}
	var last *discord.Message
	var loose []*discord.Message // parts that reply to nothing and have no buttons
	for i := range messages {
		part := &messages[i]
		if part.Author.ID != self || part.Reference != nil && part.Reference.Forward {
			continue
		}
		parts := []*discord.Message{part}
		if part.Reference == nil {
			of, marked := alternatives.QuestionOf(part)
			switch {
			case !marked && outbox.MayGoOn(part.Content):
				loose = append(loose, part)
				continue
			case marked:
				parts = slices.Concat(loose, parts)
			}
			loose = nil
			if of != question {
				continue
			}
		} else if part.Reference.Message != question && !slices.Contains(s.parts, part.Reference.Message) {
			continue
		}
		for _, part := range parts {
			s.parts, s.said = append(s.parts, part.ID), append(s.said, *part)
			if isUnfinished(part.Content) {
				s.state = half
			}
		}
		last = part
	}
	switch {
	case len(s.parts) == 0 || s.state == half:
	case outbox.MayGoOn(last.Content) && m.buttons && len(last.Components) == 0, // its buttons are missing
		!alternatives.IsComplete(s.said):
		s.state = half
	case outbox.MayGoOn(last.Content) && !m.buttons:
		s.state = unclear
	default:
		s.state = whole
	}
	return s
}

// abandoned returns the questions that messages answer and that are older than from or
// missing. Those of unfinished answers are all returned. Those of whole answers are
// returned only if they are not older than from, and were therefore deleted.
func (m *missed) abandoned(messages []discord.Message, self graph.UserID, from graph.MessageID) []graph.MessageID {
	var questions []graph.MessageID
	for i := range messages {
		part := &messages[i]
		if part.Author.ID != self || part.Reference != nil && part.Reference.Forward {
			continue
		}
		question, marked := alternatives.QuestionOf(part)
		unfinished := isUnfinished(part.Content)
		goesOn := m.buttons && outbox.MayGoOn(part.Content) && len(part.Components) == 0
		switch {
		case part.Reference != nil && (unfinished || goesOn):
			question = part.Reference.Message
		case !marked:
			continue
		}
		if !unfinished && question < from {
			continue
		}
		if question < from || !slices.ContainsFunc(messages, func(m discord.Message) bool { return m.ID == question }) {
			questions = append(questions, question)
		}
	}
	return questions
}

// isQuestion reports whether a message is a question. It reports true for a message that
// no longer exists.
func (m *missed) isQuestion(ctx context.Context, channel graph.ChannelID, id graph.MessageID, asks func(*discord.Message) bool) bool {
	raw, err := m.message(ctx, channel, id)
	if err != nil {
		return discord.HasCode(err, discord.CodeUnknownMessage)
	}
	question, err := discord.DecodeMessage(raw)
	return err == nil && asks(&question)
}

// isGone reports whether a message was deleted. It reports false if Discord cannot tell.
func (m *missed) isGone(ctx context.Context, channel graph.ChannelID, id graph.MessageID) bool {
	_, err := m.message(ctx, channel, id)
	return discord.HasCode(err, discord.CodeUnknownMessage)
}

func (m *missed) message(ctx context.Context, channel graph.ChannelID, id graph.MessageID) (json.RawMessage, error) {
	return m.rest.Get(ctx, "/channels/"+channel.String()+"/messages/"+id.String(), nil)
}

// texts returns the texts of the messages.
func (s *standing) texts() []string {
	texts := make([]string, len(s.said))
	for i := range s.said {
		texts[i] = s.said[i].Content
	}
	return texts
}

// isUnfinished reports whether a message of heddle's is the beginning of an answer that
// broke off, as it still ends with the sign that more is to come.
func isUnfinished(text string) bool {
	last := text[strings.LastIndexByte(text, '\n')+1:]
	return strings.HasSuffix(last, outbox.DefaultIndicator) || text == outbox.Unresolved || phrases.IsDoing(last)
}

// standing reads which part of the answer to a question stands.
func (m *missed) standing(ctx context.Context, q conversation.Question) (standing, error) {
	messages, err := m.readAfter(ctx, q.Channel, q.ID)
	if err != nil {
		return standing{}, fmt.Errorf("read what stands of an answer: %w", err)
	}
	return m.standingIn(messages, q.Place.Self.User, q.ID), nil
}
