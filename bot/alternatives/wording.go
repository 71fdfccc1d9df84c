package alternatives

import (
	"context"

	"heddle/bot/answer"
	"heddle/graph/path"
	"heddle/store"
)

// wording compares what a question says with what it said when it was answered.
type wording struct {
	answers *answer.Answers
	turns   responses
}

// changed reports whether the question's own words have changed since it was answered,
// whatever was said before it.
func (w *wording) changed(ctx context.Context, q answer.Question, answered *store.Response) (bool, error) {
	now, err := w.answers.Read(ctx, q.Question)
	if err != nil {
		return false, err
	}
	turns, err := w.turns.Turns(ctx, *answered)
	if err != nil || len(turns) == 0 {
		return false, err
	}
	return words(path.TurnOf(now, "")) != words(turns[len(turns)-1]), nil
}

// generation returns the generation of the next answer to a question, asked for below
// the answer that stands. Alternatives of one generation answer the same words: if the
// question has changed, the next answer belongs to the newest generation, or to
// another. After an error it is the generation of the answer that stands.
func (w *wording) generation(ctx context.Context, q answer.Question, stands, newest *store.Response) (int, error) {
	for _, answered := range []*store.Response{stands, newest} {
		changed, err := w.changed(ctx, q, answered)
		if err != nil {
			return stands.Generation, err
		}
		if !changed {
			return answered.Generation, nil
		}
	}
	return newest.Generation + 1, nil
}

// words returns what a person wrote in a turn, without what is attached.
func words(turn path.Turn) string {
	for _, part := range turn.Parts {
		if text, ok := part.(path.Text); ok {
			return string(text)
		}
	}
	return ""
}
