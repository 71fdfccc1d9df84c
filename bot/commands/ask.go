package commands

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"heddle/bot/answer"
	"heddle/bot/phrases"
	"heddle/graph"
)

// askTimeout bounds the answer to /heddle ask. Discord takes it for 15 minutes.
const askTimeout = 10 * time.Minute

// The options of /heddle ask.
const (
	optionQuestion = "question"
	optionPrivate  = "private"
)

// longestQuestion bounds questions, in characters: what heddle quotes leaves room for the
// answer.
const longestQuestion = 1000

// Asides answers questions that stand in no message; answer.Asides does.
type Asides interface {
	// Answer returns an answer, or the sentence that says why there is none.
	Answer(ctx context.Context, log *slog.Logger, q answer.Question, said graph.Message, in phrases.Language) string
}

// ask answers a question without a mention.
type ask struct {
	asides Asides
	gate   Gate
	log    *slog.Logger
}

// isPublic reports whether everybody reads the answer.
func (a *ask) isPublic(use *Use) bool {
	private, _ := use.Option(optionPrivate)
	return private != "true" && use.permitted(a.gate)
}

func (a *ask) answer(ctx context.Context, use *Use) (Reply, error) {
	question, _ := use.Option(optionQuestion)
	question = strings.TrimSpace(question)
	switch {
	case !use.permitted(a.gate):
		return use.Say(phrases.NotPermitted, nil), nil
	case question == "":
		return use.Say(phrases.AskNothing, nil), nil
	}
	id := graph.MessageID(use.ID) // an interaction's id is younger than all messages before
	said := graph.Message{
		ID: id, Channel: use.Channel, Author: use.User.ID, Name: use.User.Name, Text: question, Time: id.Time(),
	}
	if use.User.Global != "" {
		said.Name = use.User.Global
	}
	text := a.asides.Answer(ctx, a.log, answer.Question{
		Guild: use.Guild, Channel: use.Channel, ID: id, Place: use.Place, Asker: use.User.ID,
	}, said, use.Language)
	if a.isPublic(use) {
		text = "> " + strings.ReplaceAll(question, "\n", "\n> ") + "\n" + text
	}
	return Reply{Text: text}, nil
}
