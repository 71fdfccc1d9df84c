package answer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"heddle/bot/work"
	"heddle/fetch"
	"heddle/graph"
	"heddle/store"
)

// errUnread means that Discord did not return the question.
var errUnread = errors.New("the question could not be read")

// History is what was said in channels; fetch.History is one.
type History interface {
	own
	channelLog

	// Mention begins to read for a question.
	Mention(place fetch.Place) *fetch.Mention
	// Message returns a message that is held in memory.
	Message(channel graph.ChannelID, id graph.MessageID) (graph.Message, bool)
	// Bind keeps messages as they are until somebody edits them.
	Bind(channel graph.ChannelID, messages []graph.MessageID)
}

// Flusher waits until what was deleted before is deleted from the store too;
// deferred.Writes is one.
type Flusher interface {
	Flush(ctx context.Context)
}

// preparer reads conversations and shapes them into what the model is asked.
type preparer struct {
	history   History
	responses Responses
	writes    Flusher
	files     *Files
	vision    *vision
	shaper    *shaper
	tokens    *tokens
	summaries *summaries
	recaller  *recaller
	expand    graph.Options
	logger    *slog.Logger
}

// prepare reads a job's conversation and shapes it: graph, path, tail, hashes.
func (r *preparer) prepare(ctx context.Context, job Job) (*Prepared, error) {
	started := time.Now()
	r.tokens.load(ctx)
	r.writes.Flush(ctx) // nothing is answered from what was deleted before
	reading := r.reading(job.Question)
	recalled := recollect(r.responses, job.Place.Scope)
	source := recalled.source(ctx, reading.Source(ctx))
	trigger, err := job.read(source)
	if err != nil {
		return nil, err
	}
	trigger.References = append(slices.Clip(trigger.References), job.starter()...)
	options := r.expand
	options.Parent = job.Place.Parent
	g, err := graph.Expand(source, trigger, options)
	if err != nil {
		return nil, fmt.Errorf("read the conversation before %s: %w", job.ID, err)
	}
	from, err := r.continued(source, g, recalled.found)
	if err != nil {
		return nil, fmt.Errorf("read the conversation before %s: %w", job.ID, err)
	}
	recalled.bind(g)
	sees := r.vision.sees(ctx, r.logger, job.Channel, g)
	selected := selectFiles(g, sees, from)
	read := r.files.read(ctx, selected)
	shape := r.shaper.shape(recalled.answers(), from.Lineage)
	shape.SeesImages = sees
	built := r.shaper.build(ctx, g, shape, read)
	if err := ctx.Err(); err != nil { // what ended it may have cut the counts short
		return nil, fmt.Errorf("count the conversation before %s: %w", job.ID, err)
	}
	r.keepVersions(built.Messages)
	summary := r.summaries.add(ctx, &trigger, job.Question, &built, from)
	older := r.recaller.recall(ctx, job, g, &built, recalled)
	tail := r.shaper.tail(ctx, g, built)
	tail.Recalled = quoted(job, built.Messages, older)
	return &Prepared{
		Job:      job,
		trigger:  trigger,
		graph:    g,
		built:    built,
		read:     read,
		shown:    attachmentIDs(selected),
		before:   from.before.ID,
		extends:  extends(&built, &from.before),
		cacheKey: cacheKey(job.Place.Scope, &built, &from.before),
		summary:  summary,
		tail:     tail,
		recalled: older,
		hash:     built.Hash,
		started:  started,
	}, nil
}

// keepVersions keeps the messages that an answer is made from as they are until
// somebody edits them.
func (r *preparer) keepVersions(messages []graph.Message) {
	byChannel := make(map[graph.ChannelID][]graph.MessageID)
	for i := range messages {
		m := &messages[i]
		byChannel[m.Channel] = append(byChannel[m.Channel], m.ID)
	}
	for channel, ids := range byChannel {
		r.history.Bind(channel, ids)
	}
}

// read returns the newest version of a question.
func (r *preparer) read(ctx context.Context, q Question) (graph.Message, error) {
	r.writes.Flush(ctx) // nothing is read that was deleted before
	return q.read(r.reading(q).Source(ctx))
}

// reading begins to read for a question.
func (r *preparer) reading(q Question) *fetch.Mention {
	return r.history.Mention(fetch.Place{
		Channel: q.Channel, Trigger: q.ID, NoHistory: q.Place.NoHistory,
		Readable: func(channel graph.ChannelID) bool { return channel == q.Place.Parent },
	})
}

// starter returns a reference to the message that the question's thread started from.
// The thread's first message points there, but the thread may be too long for its
// first message to be read.
func (q *Question) starter() []graph.Reference {
	if q.Place.Starter == 0 {
		return nil
	}
	return []graph.Reference{{
		Kind: graph.ReferenceStarter, Channel: q.Place.Starter, Message: graph.MessageID(q.Channel), // one id on Discord
	}}
}

// read returns the newest version of the question.
func (q *Question) read(source graph.Source) (graph.Message, error) {
	reading, err := source.Read(graph.Batch{Lookups: []graph.Lookup{{Channel: q.Channel, Message: q.ID}}})
	if err != nil {
		return graph.Message{}, fmt.Errorf("read the question %s: %w", q.ID, err)
	}
	switch found := reading.Found[0]; found.State {
	case graph.ReferenceResolved:
		return found.Message, nil
	case graph.ReferenceDeleted:
		return graph.Message{}, work.ErrQuestionGone
	case graph.ReferenceNotLoaded, graph.ReferenceUnreadable:
	}
	return graph.Message{}, fmt.Errorf("read the question %s: %w", q.ID, errUnread)
}

// isGone reports whether work under ctx, or what failed in it, ended because the
// question was deleted.
func isGone(ctx context.Context, failure error) bool {
	return errors.Is(failure, work.ErrQuestionGone) || work.IsQuestionGone(ctx)
}

// Responses keeps answers under the paths they answer. Methods may be called from any
// goroutine; an outage is an error that wraps store.ErrUnavailable.
type Responses interface {
	Save(ctx context.Context, response store.Response) error
	// SaveShown is Save for an answer that replaced another in its messages.
	SaveShown(ctx context.Context, response store.Response) error
	// Seek finds a response that may be given again, or takes the lead to ask for one.
	// While another process has the lead, it waits.
	Seek(ctx context.Context, want store.Want, ttl time.Duration) (store.Sought, error)
	// Recall returns what is known of the responses that Discord messages show, in one
	// round trip.
	Recall(ctx context.Context, scope store.Scope, replies []graph.MessageID) (map[graph.MessageID]store.Recalled, error)
	// Summary returns the newest summary with an id, and whether there is one.
	Summary(ctx context.Context, scope store.Scope, id store.SummaryID) (store.Recalled, bool, error)
}
