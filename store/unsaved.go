package store

import (
	"context"
	"slices"
	"sync"
	"time"

	"heddle/graph"
)

// given remembers where the answers of this process stand, in memory. If the engine
// does not have an answer, nothing else leads from its question to it after a gap in
// the events.
//
// mu guards answers.
type given struct {
	mu      sync.Mutex
	answers []givenAnswer
}

// givenAnswer is what is remembered about an answer. It takes about a tenth of the
// memory of a Response.
type givenAnswer struct {
	at      time.Time // when it was saved; zero if it was not
	scope   Scope
	channel graph.ChannelID
	trigger graph.MessageID
	self    graph.UserID
	replies []graph.MessageID
}

// response returns a Response of the question and the messages alone.
func (g *givenAnswer) response() Response {
	r := Response{Standing: Standing{Scope: g.scope, Channel: g.channel, Trigger: g.trigger, Self: g.self}}
	for _, reply := range g.replies {
		r.Replies = append(r.Replies, Reply{ID: reply})
	}
	r.Sources = []SourceRef{{Message: g.trigger, Channel: g.channel}}
	return r
}

// mostGiven bounds the answers that are remembered. The oldest are dropped.
const mostGiven = 1000

// add remembers the question of an answer and the messages that it was sent as, without
// any text.
func (g *given) add(at time.Time, answer *Response) {
	one := givenAnswer{at: at, scope: answer.Scope, channel: answer.Channel, trigger: answer.Trigger, self: answer.Self}
	for _, reply := range answer.Replies {
		one.replies = append(one.replies, reply.ID)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answers = append(g.answers, one)
	g.answers = slices.Delete(g.answers, 0, max(0, len(g.answers)-mostGiven))
}

// appendBefore appends the answers from before a time.
func (g *given) appendBefore(answers []Response, end time.Time) []Response {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range g.answers {
		if one := &g.answers[i]; one.at.Before(end) {
			answers = append(answers, one.response())
		}
	}
	return answers
}

// clocksDiffer bounds the difference between the clocks of two processes: the one that
// found the engine empty, and the one that saved an answer.
const clocksDiffer = time.Minute

// Unsaved returns the answers of this process that the engine does not have: the newest
// thousand that could not be saved, and the newest thousand that were saved before the
// engine lost its data. Of each it returns only the question and the messages that it
// was sent as.
func (a *Archive) Unsaved(ctx context.Context) ([]Response, error) {
	since, err := a.base.since(ctx)
	if err != nil {
		return nil, err
	}
	since = since.Add(clocksDiffer)
	return a.base.saved.appendBefore(a.base.unsaved.appendBefore(nil, since), since), nil
}
