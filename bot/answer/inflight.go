package answer

import (
	"context"
	"slices"
	"sync"

	"heddle/bot/conversation"
	"heddle/graph"
)

// inflight is the set of answers that this process is giving. Edits, deletions and ◼ end them.
// The zero value is empty.
//
// mu guards the fields below it; it is never held while a question is answered.
type inflight struct {
	leases *Leases

	mu      sync.Mutex
	answers map[*growing]struct{}
	flowing bool // as Flows was told last
	changes int  // number of calls of Flows
}

// growing is an answer that is being given.
type growing struct {
	in        *inflight
	questions []graph.MessageID // it is for all of these
	cancel    context.CancelCauseFunc
	halt      context.CancelCauseFunc // stops the model alone; nil before it is asked
	flows     bool                    // events flowed when it began
	changes   int                     // of in, when it began
}

// begin returns the context in which to answer a question, which may be for two messages. The
// caller must call end.
func (f *inflight) begin(ctx context.Context, questions ...graph.MessageID) (context.Context, *growing) {
	ctx, cancel := context.WithCancelCause(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	one := &growing{in: f, questions: questions, cancel: cancel, flows: f.flowing, changes: f.changes}
	if f.answers == nil {
		f.answers = make(map[*growing]struct{})
	}
	f.answers[one] = struct{}{}
	return ctx, one
}

// end ends an answer.
func (g *growing) end() {
	g.cancel(nil)
	g.in.mu.Lock()
	defer g.in.mu.Unlock()
	delete(g.in.answers, g)
}

// isFor adds a question that the answer is for.
func (g *growing) isFor(question graph.MessageID) {
	g.in.mu.Lock()
	defer g.in.mu.Unlock()
	g.questions = append(g.questions, question)
}

// mayHalt lets people stop the model by ◼.
func (g *growing) mayHalt(halt context.CancelCauseFunc) {
	g.in.mu.Lock()
	defer g.in.mu.Unlock()
	g.halt = halt
}

// heard reports whether heddle would have heard of a deletion of the question: events have flowed
// on all connections to Discord since the answer began.
func (g *growing) heard() bool {
	g.in.mu.Lock()
	defer g.in.mu.Unlock()
	return g.flows && g.in.changes == g.changes
}

// Changed ends the answer that this process is giving to a question, as the question was edited:
// it is to be answered again.
func (f *inflight) Changed(question graph.MessageID) { f.stop(ErrChanged, question) }

// Deleted ends the answers to questions that were deleted.
func (f *inflight) Deleted(questions []graph.MessageID) {
	f.stop(conversation.ErrQuestionGone, questions...)
}

func (f *inflight) stop(cause error, questions ...graph.MessageID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for one := range f.answers {
		if slices.ContainsFunc(questions, func(q graph.MessageID) bool { return slices.Contains(one.questions, q) }) {
			one.cancel(cause)
		}
	}
}

// halt stops the answer to a question, of which what was said stays. It reports false if this
// process is not asking the model for it.
func (f *inflight) halt(question graph.MessageID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for one := range f.answers {
		if one.halt != nil && slices.Contains(one.questions, question) {
			one.halt(ErrHalted)
			return true
		}
	}
	return false
}

// Flows records that a connection to Discord began or was interrupted, and whether events flow
// on all connections of this process now.
func (f *inflight) Flows(all bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flowing = all
	f.changes++
}
