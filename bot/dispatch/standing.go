package dispatch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"heddle/bot/alternatives"
	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/bot/reply"
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
	asked := &said{first: &discord.Message{ID: q.ID}}
	for _, part := range q.Parts {
		asked.messages = append(asked.messages, &discord.Message{ID: part})
	}
	return r.answersIn(messages, q.Place.Self.User, []*said{asked})[q.ID], nil
}

// answersIn returns what messages, oldest first, show of answers, by their questions: heddle's
// replies to a question, and its replies to these. A message that replies to nothing belongs
// to the question that its buttons name, together with the parts before it. self is heddle's
// account, and asked are questions that may stand in several messages.
func (r *reader) answersIn(messages []discord.Message, self graph.UserID, asked []*said) map[graph.MessageID]standing {
	answers := make(map[graph.MessageID]standing)
	questions := make(map[graph.MessageID]graph.MessageID) // by part of the question or of its answer
	for _, q := range asked {
		for _, m := range q.messages {
			questions[m.ID] = q.first.ID
		}
	}
	var loose []discord.Message // parts that reply to nothing and have no buttons
	for i := range messages {
		part := &messages[i]
		if part.Author.ID != self || part.Reference != nil && part.Reference.Forward {
			continue
		}
		question, known := alternatives.QuestionOf(part)
		var before []discord.Message // of the same answer
		switch {
		case part.Reference != nil:
			question, known = part.Reference.Message, true
			if first, follows := questions[question]; follows {
				question = first
			}
		case !known && reply.FillsMessage(part.Content):
			loose = append(loose, *part)
			continue
		default:
			before, loose = loose, nil
		}
		if !known {
			continue
		}
		stands := answers[question]
		for _, m := range append(before, *part) {
			questions[m.ID] = question
			stands.parts, stands.said = append(stands.parts, m.ID), append(stands.said, m)
		}
		stands.state = r.stateOf(stands.said)
		answers[question] = stands
	}
	return answers
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
	goesOn := reply.FillsMessage(last.Content)
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

// abandoned returns the question of an answer that broke off, or whose question was deleted
// unless it is among the messages from an id on. It is called for an answer to question. That
// an answer to an older question is incomplete is known only if it says so, as its first parts
// may be older, too.
func (s *standing) abandoned(question, from graph.MessageID) (of graph.MessageID, ok bool) {
	if s.state == half {
		says := slices.ContainsFunc(s.said, func(part discord.Message) bool { return isUnfinished(part.Content) })
		return question, says || question >= from
	}
	of, marked := alternatives.QuestionOf(&s.said[len(s.said)-1])
	return of, marked && of >= from
}

// isUnfinished reports whether a message of heddle's is the beginning of an answer that
// broke off, as it still ends with the sign that more is to come.
func isUnfinished(text string) bool {
	last := text[strings.LastIndexByte(text, '\n')+1:]
	return strings.HasSuffix(last, reply.Indicator) || text == reply.Unresolved || phrases.IsDoing(last)
}
