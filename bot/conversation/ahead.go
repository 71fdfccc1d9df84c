package conversation

import (
	"context"
	"log/slog"
	"time"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/wait"
	"heddle/store"
)

// Judge judges messages before a question is asked; affinity.Model is one.
type Judge interface {
	// Ahead judges the messages of a channel, oldest first, that precede its next
	// question. The links also have a row for the question, which is empty.
	Ahead(before []*graph.Message) graph.Links
	// Forget drops what was judged ahead for a channel.
	Forget(channel graph.ChannelID)
}

// The bounds of judging ahead.
const (
	aheadQuiet = 50 * time.Millisecond // the time without a message after which a channel is judged
	aheadShare = 20                    // at most 1/aheadShare of one core is used
	aheadSaved = 3 * time.Second       // the most of the unused share that can be saved up, which is that of a minute
)

// ahead judges messages as they arrive, in channels where heddle was lately asked. A
// question then waits only for its own row. Judging takes at most a small share of one
// core. If many messages arrive it happens less often, and a question may have to wait
// until its channel is judged.
type ahead struct {
	history   History
	responses Responses
	people    People
	judge     Judge
	expand    graph.Options
	log       *slog.Logger
	lately    *lately
}

// newAhead returns an ahead, or nil if the settings have no judge.
func newAhead(history History, responses Responses, people People, settings Settings, log *slog.Logger) *ahead {
	if settings.Ahead == nil {
		return nil
	}
	a := &ahead{history: history, responses: responses, people: people, judge: settings.Ahead, expand: settings.Expand, log: log}
	a.lately = newLately(aheadQuiet, a.forget)
	return a
}

// Added implements fetch.Watcher. It drops nothing, as the message may be a question.
func (a *ahead) Added(channel graph.ChannelID) { a.lately.add(channel) }

// Changed implements fetch.Watcher. It drops at once what was judged, as that may
// depend on what was deleted.
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
		// This includes the time in which others had the core, so that questions come
		// first on a busy machine.
		now := time.Now()
		saved = min(saved+now.Sub(since)/aheadShare, aheadSaved) - now.Sub(began)
		since = now
		if saved < 0 && wait.For(ctx, -saved*aheadShare) != nil {
			return
		}
	}
}

// judgeChannel judges the newest messages of a channel that are held in memory.
func (a *ahead) judgeChannel(ctx context.Context, channel graph.ChannelID, scope store.Scope) {
	if err := a.foresee(ctx, channel, scope); err != nil {
		a.log.DebugContext(ctx, "a channel is not judged ahead, its next question takes longer", "channel", channel, "error", err)
		return
	}
	if a.lately.isStale(channel) {
		a.forget(channel) // it may depend on what was deleted in the meantime
	}
}

// foresee judges the messages that a question would be judged with if it arrived now.
func (a *ahead) foresee(ctx context.Context, channel graph.ChannelID, scope store.Scope) error {
	next, heard := a.history.Next(channel)
	if !heard || !a.people.Known() {
		return nil
	}
	reading := a.history.Mention(fetch.Place{Channel: channel, Trigger: next, NoHistory: true})
	source := newOwnAnswers(a.responses, a.people, scope).source(ctx, reading.Source(ctx))
	return graph.Foresee(source, graph.Message{ID: next, Channel: channel}, a.expand, a.judge.Ahead)
}

// forget drops what was judged for a channel.
func (a *ahead) forget(channel graph.ChannelID) {
	a.judge.Forget(channel)
	a.expand.Foreseen.Forget(channel)
}
