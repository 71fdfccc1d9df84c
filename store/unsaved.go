package store

import (
	"slices"
	"sync"
)

// unsaved remembers where answers stand that the engine did not take. After a gap in the
// events nothing else leads from their questions to them. It ends with the process.
//
// mu guards answers.
type unsaved struct {
	mu      sync.Mutex
	answers []Response
}

// mostUnsaved bounds the answers that are remembered, the newest of all.
const mostUnsaved = 1000

// add remembers an answer: its question, and the messages that it was sent as, without any
// text.
func (u *unsaved) add(answer *Response) {
	where := Response{Standing: Standing{Scope: answer.Scope, Channel: answer.Channel, Trigger: answer.Trigger, Self: answer.Self}}
	for _, reply := range answer.Replies {
		where.Replies = append(where.Replies, Reply{ID: reply.ID})
	}
	where.Sources = []SourceRef{{Message: answer.Trigger, Channel: answer.Channel}}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.answers = append(u.answers, where)
	u.answers = u.answers[max(0, len(u.answers)-mostUnsaved):]
}

// Unsaved returns the answers of this process that could not be saved, the newest thousand:
// of each only the question and the messages that it was sent as.
func (a *Archive) Unsaved() []Response {
	unsaved := &a.base.unsaved
	unsaved.mu.Lock()
	defer unsaved.mu.Unlock()
	return slices.Clone(unsaved.answers)
}
