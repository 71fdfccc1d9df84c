package answer

import (
	"context"
	"log/slog"
	"time"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/wait"
	"heddle/store"
)

// Judge judges messages before somebody asks; affinity.Model is one.
type Judge interface {
	// Ahead judges the messages of a channel, oldest first, that stand before its next
	// question. The links have a row for the question, too, with nothing in it.
	Ahead(before []*graph.Message) graph.Links
	// Forget drops what was judged ahead in a channel.
	Forget(channel graph.ChannelID)
}

// The bounds of judging ahead.
const (
	aheadQuiet = 50 * time.Millisecond // without a message, after which a channel is judged
	aheadShare = 20                    // one part in so many of one core, at most
	aheadSaved = 3 * time.Second       // of that, at most, where it was not used: a minute's
)

// ahead has the messages of channels judged as they arrive, in which heddle was lately
// asked. A question then waits for no more than its own row. It takes no more than a
// small share of one core: under more messages it judges more seldom, and a question may
// find that its channel has to be judged first.
type ahead struct {
	history   History
	responses Responses
	people    People
	judge     Judge
	expand    graph.Options
	log       *slog.Logger
	lately    *lately
}

// newAhead returns an ahead, or nil if settings name no judge.
func newAhead(history History, responses Responses, people People, settings Settings, log *slog.Logger) *ahead {
	if settings.Ahead == nil {
		return nil
	}
	a := &ahead{history: history, responses: responses, people: people, judge: settings.Ahead, expand: settings.Expand, log: log}
	a.lately = newLately(aheadQuiet, a.forget)
	return a
}

// Added implements fetch.Watcher. What was judged stays: the message may be a question.
func (a *ahead) Added(channel graph.ChannelID) { a.lately.add(channel) }

// Changed implements fetch.Watcher. What was judged is dropped at once: it may rest on
// what was deleted.
func (a *ahead) Changed(channel graph.ChannelID) {
	if a.lately.change(channel) {
		a.forget(channel)
	}
}

// run judges until ctx ends.
func (a *ahead) run(ctx context.Context) {
	saved, since := aheadSaved, time.Now()
	for {
		q, err := a.lately.await(ctx)
		if err != nil {
			return
		}
		began := time.Now()
		a.judgeChannel(ctx, q.Channel, q.Place.Scope)
		// The time that others had the core meanwhile counts, too: on a busy machine
		// questions come first.
		now := time.Now()
		saved = min(saved+now.Sub(since)/aheadShare, aheadSaved) - now.Sub(began)
		since = now
		if saved < 0 && wait.For(ctx, -saved*aheadShare) != nil {
			return
		}
	}
}

// judgeChannel has the newest messages of a channel judged, as far as they are held.
func (a *ahead) judgeChannel(ctx context.Context, channel graph.ChannelID, scope store.Scope) {
	if err := a.foresee(ctx, channel, scope); err != nil {
		a.log.DebugContext(ctx, "a channel is not judged ahead, its next question takes longer", "channel", channel, "error", err)
		return
	}
	if a.lately.isStale(channel) {
		a.forget(channel) // it may rest on what was deleted meanwhile
	}
}

// foresee judges what a question would be judged with if it came now.
func (a *ahead) foresee(ctx context.Context, channel graph.ChannelID, scope store.Scope) error {
	next, heard := a.history.Next(channel)
	if !heard || !a.people.Known() {
		return nil
	}
	reading := a.history.Mention(fetch.Place{Channel: channel, Trigger: next, NoHistory: true})
	source := recollect(a.responses, a.people, scope).source(ctx, reading.Source(ctx))
	return graph.Foresee(source, graph.Message{ID: next, Channel: channel}, a.expand, a.judge.Ahead)
}

// forget drops what was judged of a channel.
func (a *ahead) forget(channel graph.ChannelID) {
	a.judge.Forget(channel)
	a.expand.Foreseen.Forget(channel)
}
