package answer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"heddle/bot/attachments"
	"heddle/bot/limits"
	"heddle/bot/phrases"
	"heddle/bot/work"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// errUnread means that Discord did not return the question.
var errUnread = errors.New("the question could not be read")

// History is the history of channels; fetch.History is one.
type History interface {
	own
	channelLog

	// Mention begins a reading for a question.
	Mention(place fetch.Place) *fetch.Mention
	// Message returns a message that is held in memory.
	Message(channel graph.ChannelID, id graph.MessageID) (graph.Message, bool)
	// Bind keeps the current versions of messages until somebody edits them.
	Bind(channel graph.ChannelID, messages []graph.MessageID)
}

// Flusher waits until earlier deletions have reached the store; deferred.Writes is one.
type Flusher interface {
	Flush(ctx context.Context)
}

// preparer reads conversations and shapes them into requests to the model.
type preparer struct {
	history   History
	rights    *rightsOf
	people    People
	responses Responses
	writes    Flusher
	files     *attachments.Reader
	vision    *vision
	shaper    *shaper
	tokens    *tokens
	summaries *summaries
	recaller  *recaller
	choices   *choices
	logger    *slog.Logger
}

// prepare reads a job's conversation and makes its graph, path, tail and hashes.
func (r *preparer) prepare(ctx context.Context, job Job) (*Prepared, error) {
	started := time.Now()
	if r.choices.isPaused(ctx, job.Guild) {
		return nil, work.ErrPaused
	}
	r.tokens.load(ctx)
	r.writes.Flush(ctx) // so that no answer is made from what was deleted before
	by := r.choices.of(ctx, job.Question)
	c, err := r.conversation(ctx, job, by)
	if err != nil {
		return nil, err
	}
	if job.said != nil {
		c.graph.Join(job.ID, job.said.earlier)
	}
	account := r.open(ctx, job.Question, &c)
	ctx = limits.With(ctx, account)
	shaped, err := r.shape(ctx, job, by, &c)
	if err != nil {
		return nil, err
	}
	built := shaped.built
	r.keepVersions(built.Messages)
	summary := r.summaries.add(ctx, &c.trigger, job.Question, &built, c.from)
	older := r.recaller.recall(ctx, job, c.graph, &built, c.recalled)
	names := built.Names
	tail := r.shaper.tail(ctx, &c, built, names)
	tail.Recalled = quoted(job, older, names)
	if by.members {
		tail.Notices = append(tail.Notices, phrases.ModelMembers(membersOf(built.Messages, names.Of)))
	}
	return &Prepared{
		Job:      job,
		account:  account,
		model:    by.model,
		trigger:  c.trigger,
		graph:    c.graph,
		hidden:   c.hidden,
		alone:    c.alone,
		calls:    c.calls,
		built:    built,
		read:     shaped.read,
		shown:    shaped.shown,
		before:   c.from.before.ID,
		extends:  extends(&built, &c.from.before),
		cacheKey: cacheKey(job.Place.Scope, &built, &c.from.before),
		summary:  summary,
		tail:     tail,
		recalled: older,
		names:    names,
		hash:     built.Hash,
		started:  started,
	}, nil
}

// shaped is the path of a conversation.
type shaped struct {
	built path.Built
	read  attachments.Contents
	shown []graph.AttachmentID // the files that were selected
}

// shape makes the path of a conversation, with the files that the model is shown.
func (r *preparer) shape(ctx context.Context, job Job, by chosen, c *basis) (shaped, error) {
	sees := r.vision.sees(ctx, r.logger, job.Channel, c.graph)
	selected := attachments.Select(c.graph, sees, attachments.Before{Shown: c.from.before.Shown, Positions: c.from.Positions})
	read := r.files.Read(ctx, selected, job.addresses())
	shape := r.shaper.shape(c.recalled.answers(), c.from.Lineage)
	shape.System, shape.SeesImages = by.system, sees
	built := r.shaper.build(ctx, c.graph, shape, read)
	if err := ctx.Err(); err != nil { // the end of ctx may have cut the counts short
		return shaped{}, fmt.Errorf("count the conversation before %s: %w", job.ID, err)
	}
	return shaped{built, read, attachments.IDs(selected)}, nil
}

// open opens the account of the asker.
func (r *preparer) open(ctx context.Context, q Question, c *basis) *limits.Account {
	who := limits.Who{Person: cmp.Or(q.Asker, c.trigger.Author), Channel: q.Channel, Guild: q.Guild}
	who.Roles = func(ctx context.Context) ([]graph.RoleID, error) {
		return r.rights.guilds.Roles(ctx, who.Guild, who.Person)
	}
	return r.rights.guilds.Open(ctx, who)
}

// basis is what a question is answered from.
type basis struct {
	trigger  graph.Message
	graph    *graph.Graph
	from     continuation
	recalled *recollection
	// hidden is set if the asker may not read what was said before. The question is
	// then answered without it.
	hidden bool
	// calls is set if the question has no words and replies to nothing.
	calls bool
	// alone is set if it is not known who opted out. The question is then answered from
	// itself only.
	alone bool
}

// conversation reads what a question is answered from. It first determines what the
// asker may read: before anything is read or, if only the question itself shows who
// asks, before anything else is used.
func (r *preparer) conversation(ctx context.Context, job Job, by chosen) (basis, error) {
	if err := r.people.Refresh(ctx); err != nil {
		r.logger.DebugContext(ctx, "it could not be looked up who opted out, what was known before holds", "error", err)
	}
	c := basis{graph: &graph.Graph{}, recalled: recollect(r.responses, r.people, job.Place.Scope), alone: !r.people.Known()}
	if c.alone {
		r.logger.InfoContext(ctx, "it is not known yet who opted out, a question is answered from itself alone", "trigger", job.ID)
	}
	held, _ := r.history.Message(job.Channel, job.ID)
	may, err := r.rights.of(ctx, job.Question, held.Author)
	if err != nil {
		return c, err
	}
	reading := r.reading(job.Question, may)
	source := c.recalled.source(ctx, reading.Source(ctx))
	if c.trigger, err = job.read(source); err != nil {
		return c, err
	}
	c.calls = c.trigger.AsksNothing()
	if !may.known {
		if may, err = r.rights.of(ctx, job.Question, c.trigger.Author); err != nil {
			return c, err
		}
		reading = r.reading(job.Question, may)
		source = c.recalled.source(ctx, reading.Source(ctx))
	}
	if c.hidden = !may.own; c.hidden || c.alone {
		c.graph.Trigger = c.trigger
		return c, nil
	}
	return c, r.expandInto(&c, reading, source, job, by.expand)
}

// expandInto adds to a question the messages that belong to it.
func (r *preparer) expandInto(c *basis, reading *fetch.Mention, source graph.SourceFunc, job Job, options graph.Options) error {
	started, err := starter(reading, source, &job.Question)
	if err != nil {
		return err
	}
	c.trigger.References = append(slices.Clip(c.trigger.References), started...)
	options.Parent = job.Place.Parent
	g, err := graph.Expand(source, c.trigger, options)
	if err != nil {
		return fmt.Errorf("read the conversation before %s: %w", job.ID, err)
	}
	c.graph = g
	if c.from, err = r.continued(source, g, c.recalled.found); err != nil {
		return fmt.Errorf("read the conversation before %s: %w", job.ID, err)
	}
	c.recalled.bind(g)
	return nil
}

// keepVersions keeps the versions of the messages that an answer is made from, until
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
	r.writes.Flush(ctx) // so that nothing is read that was deleted before
	return q.read(r.reading(q, rights{}).Source(ctx))
}

// reading begins a reading for a question that reads only what the asker may read.
func (r *preparer) reading(q Question, may rights) *fetch.Mention {
	_, held := r.history.Message(q.Channel, q.ID)
	return r.history.Mention(fetch.Place{
		Channel: q.Channel, Trigger: q.ID, NoHistory: q.Place.NoHistory || held && may.known && !may.own,
		Readable: func(channel graph.ChannelID) bool {
			if channel == q.Place.Parent {
				return may.parent
			}
			return may.elsewhere != nil && may.elsewhere(channel)
		},
	})
}

// read returns the newest version of the question.
func (q *Question) read(source graph.Source) (graph.Message, error) {
	if q.said != nil {
		return q.said.message, nil
	}
	reading, err := source.Read(graph.Batch{Lookups: []graph.Lookup{{Channel: q.Channel, Message: q.ID}}})
	if err != nil {
		return graph.Message{}, fmt.Errorf("read the question %s: %w", q.ID, err)
	}
	switch found := reading.Found[0]; found.State {
	case graph.ReferenceResolved:
		return found.Message, nil
	case graph.ReferenceDeleted:
		return graph.Message{}, work.ErrQuestionGone
	case graph.ReferenceWithheld:
		return graph.Message{}, work.ErrOptedOut
	case graph.ReferenceNotLoaded, graph.ReferenceUnreadable:
	}
	return graph.Message{}, fmt.Errorf("read the question %s: %w", q.ID, errUnread)
}

// addresses returns the addresses of files that are not on a message.
func (q *Question) addresses() map[graph.AttachmentID]string {
	if q.said == nil {
		return nil
	}
	return q.said.addresses
}

// isGone reports whether work under ctx ended, or failed, because the question was
// deleted.
func isGone(ctx context.Context, failure error) bool {
	return errors.Is(failure, work.ErrQuestionGone) || work.IsQuestionGone(ctx)
}

// Responses stores answers by the paths that they answer. Its methods may be called
// from any goroutine. Their errors during an outage wrap store.ErrUnavailable.
type Responses interface {
	Save(ctx context.Context, response store.Response) error
	// SaveShown is Save for an answer that replaced another in its messages.
	SaveShown(ctx context.Context, response store.Response) error
	// Seek returns a response that may be given again, or the lead to ask for one. It
	// waits while another process has the lead.
	Seek(ctx context.Context, want store.Want, ttl time.Duration) (store.Sought, error)
	// Recollect returns the responses that Discord messages show, in one round trip.
	Recollect(ctx context.Context, scope store.Scope, replies []graph.MessageID) (store.Recollected, error)
	// Summary returns the newest summary with an id, and reports whether there is one.
	Summary(ctx context.Context, scope store.Scope, id store.SummaryID) (store.Recalled, bool, error)
}
