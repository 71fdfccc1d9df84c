package store

import (
	"context"
	"slices"
	"sync"
	"time"
)

// given remembers where answers of this process stand. After a gap in the events, nothing
// else leads from their questions to them if the engine does not have them. It ends with the
// process.
//
// mu guards answers.
type given struct {
	mu      sync.Mutex
	answers []givenAnswer
}

type givenAnswer struct {
	at     time.Time // when it was saved; zero if it was not
	answer Response
}

// mostGiven bounds the answers that are remembered, the newest of all.
const mostGiven = 1000

// add remembers an answer: its question, and the messages that it was sent as, without any
// text.
func (g *given) add(at time.Time, answer *Response) {
	where := Response{Standing: Standing{Scope: answer.Scope, Channel: answer.Channel, Trigger: answer.Trigger, Self: answer.Self}}
	for _, reply := range answer.Replies {
		where.Replies = append(where.Replies, Reply{ID: reply.ID})
	}
	where.Sources = []SourceRef{{Message: answer.Trigger, Channel: answer.Channel}}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answers = append(g.answers, givenAnswer{at, where})
	g.answers = slices.Delete(g.answers, 0, max(0, len(g.answers)-mostGiven))
}

// appendBefore appends the answers from before a time.
func (g *given) appendBefore(answers []Response, end time.Time) []Response {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, one := range g.answers {
		if one.at.Before(end) {
			answers = append(answers, one.answer)
		}
	}
	return answers
}

// Unsaved returns the answers of this process that the engine does not have, the newest
// thousand that could not be saved and the newest thousand that were before the engine lost
// what it had: of each only the question and the messages that it was sent as.
func (a *Archive) Unsaved(ctx context.Context) ([]Response, error) {
	since, err := a.base.since(ctx)
	if err != nil {
		return nil, err
	}
	return a.base.saved.appendBefore(a.base.unsaved.appendBefore(nil, since), since), nil
}
