package dispatch

import (
	"context"
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

// standing reads which part of the answer to a question stands.
func (r *reader) standing(ctx context.Context, q conversation.Question) (standing, error) {
	messages, err := r.readAfter(ctx, q.Channel, q.ID)
	if err != nil {
		return standing{}, fmt.Errorf("read what stands of an answer: %w", err)
	}
	return r.standingIn(messages, q.Place.Self.User, q.ID), nil
}

// standingIn returns which of messages, oldest first, show the answer to a question:
// heddle's replies to it, and its replies to these. A message that replies to nothing
// belongs to the question that its buttons name, together with the parts before it.
// self is heddle's account.
func (r *reader) standingIn(messages []discord.Message, self graph.UserID, question graph.MessageID) standing {
	s := standing{}
	var loose []*discord.Message // parts that reply to nothing and have no buttons
	for i := range messages {
		part := &messages[i]
		if part.Author.ID != self || part.Reference != nil && part.Reference.Forward {
			continue
		}
		if part.Reference != nil {
			if part.Reference.Message == question || slices.Contains(s.parts, part.Reference.Message) {
				s.add(part)
			}
			continue
		}
		of, marked := alternatives.QuestionOf(part)
		if !marked && outbox.FillsMessage(part.Content) {
			loose = append(loose, part)
			continue
		}
		if marked && of == question {
			for _, before := range loose {
				s.add(before)
			}
			s.add(part)
		}
		loose = nil
	}
	s.state = r.stateOf(s.said)
	return s
}

// add adds a part.
func (s *standing) add(part *discord.Message) {
	s.parts, s.said = append(s.parts, part.ID), append(s.said, *part)
}

// stateOf returns how complete an answer is of which these messages stand, oldest first.
func (r *reader) stateOf(said []discord.Message) state {
	if len(said) == 0 {
		return none
	}
	if slices.ContainsFunc(said, func(part discord.Message) bool { return isUnfinished(part.Content) }) {
		return half
	}
	last := said[len(said)-1]
	goesOn := outbox.FillsMessage(last.Content)
	switch {
	case goesOn && r.buttons && len(last.Components) == 0, // its buttons are missing
		!alternatives.IsComplete(said):
		return half
	case goesOn && !r.buttons:
		return unclear
	default:
		return whole
	}
}

// abandoned returns the questions that messages answer and that are older than from or
// missing. Those of unfinished answers are all returned. Those of whole answers are
// returned only if they are not older than from, and were therefore deleted.
func (r *reader) abandoned(messages []discord.Message, self graph.UserID, from graph.MessageID) []graph.MessageID {
	var questions []graph.MessageID
	for i := range messages {
		part := &messages[i]
		if part.Author.ID != self || part.Reference != nil && part.Reference.Forward {
			continue
		}
		question, marked := alternatives.QuestionOf(part)
		unfinished := isUnfinished(part.Content)
		goesOn := r.buttons && outbox.FillsMessage(part.Content) && len(part.Components) == 0
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

// isUnfinished reports whether a message of heddle's is the beginning of an answer that
// broke off, as it still ends with the sign that more is to come.
func isUnfinished(text string) bool {
	last := text[strings.LastIndexByte(text, '\n')+1:]
	return strings.HasSuffix(last, outbox.DefaultIndicator) || text == outbox.Unresolved || phrases.IsDoing(last)
}
