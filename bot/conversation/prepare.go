package conversation

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
	"heddle/internal/telemetry"
	"heddle/llm"
	"heddle/store"
)

// errUnread means that Discord did not return the question.
var errUnread = errors.New("the question could not be read")

// History is the history of channels; fetch.History is one.
type History interface {
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

// Deps are what New needs. All fields but People must be set.
type Deps struct {
	History History
	Store   *store.Store
	Model   Model
	Tools   Tools
	Typing  Typing
	Files   *attachments.Reader
	Guilds  Members
	People  People // nil: nobody opts out
	Leases  *work.Leases
	Writes  Flusher
	Log     *slog.Logger
}

// Preparer reads conversations and shapes them into requests to the model. Its methods
// may be called from any goroutine.
type Preparer struct {
	history   History
	rights    *rightsOf
	people    People
	responses Responses
	writes    Flusher
	shaper    *shaper
	tokens    *tokens
	summaries *summaries
	recaller  *recaller
	choices   *choices
	watchers  *watchers
	logger    *slog.Logger
}

// New returns a Preparer that works with deps.
func New(deps Deps, settings Settings) *Preparer {
	if deps.People == nil {
		deps.People = Everybody{}
	}
	responses := deps.Store.Responses
	tokens := newTokens(deps.Store.Measures, deps.Model.Model(), settings)
	names := newNaming(deps.Tools, deps.Guilds)
	watching := &watchers{
		newAhead(deps.History, responses, deps.People, settings, deps.Log),
		newMeaning(settings.Embedder, deps.Store.Vectors(), deps.People, deps.History, deps.Guilds, deps.Log),
	}
	watching.watch(deps.History)
	return &Preparer{
		history: deps.History, rights: &rightsOf{deps.Guilds, deps.Log}, people: deps.People, responses: responses, writes: deps.Writes,
		recaller: &recaller{
			history: deps.History, meaning: watching.meaning, guilds: deps.Guilds, tokens: tokens,
			window: path.Shape{ArtifactWindow: settings.ArtifactWindow}, log: deps.Log,
		},
		shaper: newShaper(deps, tokens, names, settings),
		tokens: tokens, choices: newChoices(settings), watchers: watching, logger: deps.Log,
		summaries: &summaries{
			responses: responses, model: deps.Model, typing: deps.Typing, leases: deps.Leases, tokens: tokens,
			guilds: deps.Guilds, naming: names, people: deps.People, log: deps.Log,
			options: path.Options{Temperature: settings.Options.Temperature, MaxTokens: summaryTokens},
		},
	}
}

// Run prepares the channels in which heddle was lately asked for the next question, until
// ctx ends.
func (r *Preparer) Run(ctx context.Context) { r.watchers.run(ctx) }

// Preview returns the graph that a question would be answered from, without what its
// asker may not read. It fails with work.ErrQuestionGone if the question was deleted.
func (r *Preparer) Preview(ctx context.Context, q Question) (*graph.Graph, error) {
	c, err := r.conversation(ctx, q, r.choices.of(ctx, q))
	return c.graph, err
}

// Prepare reads a question's conversation and makes its graph, path, tail and hashes. It
// fails with work.ErrQuestionGone if the question was deleted.
func (r *Preparer) Prepare(ctx context.Context, q Question) (*Prepared, error) {
	defer telemetry.Stage(ctx, telemetry.Prepare)()
	r.watchers.asked(q)
	if r.choices.isPaused(ctx, q.Guild) {
		return nil, work.ErrPaused
	}
	r.tokens.load(ctx)
	r.writes.Flush(ctx) // so that no answer is made from what was deleted before
	by := r.choices.of(ctx, q)
	c, err := r.conversation(ctx, q, by)
	if err != nil {
		return nil, err
	}
	if q.Spoken != nil {
		c.graph.Join(q.ID, q.Spoken.Earlier)
	}
	account := r.open(ctx, q, &c)
	ctx = limits.With(ctx, account)
	shaped, err := r.shaper.shape(ctx, q, by, &c)
	if err != nil {
		return nil, err
	}
	built := shaped.built
	r.keepVersions(built.Messages)
	summary := r.summaries.add(ctx, &c.trigger, q, &built, c.from)
	older := r.recaller.recall(ctx, q, c.graph, &built, c.answers)
	names := built.Names
	tail := r.shaper.tail(ctx, &c, built, names)
	tail.Recalled = quoted(q, older, names)
	if by.members {
		tail.Notices = append(tail.Notices, phrases.ModelMembers(membersOf(built.Messages, names.Of)))
	}
	return &Prepared{
		Account:   account,
		Model:     by.model,
		Graph:     c.graph,
		Built:     built,
		Names:     names,
		Hidden:    c.hidden,
		Alone:     c.alone,
		Calls:     c.calls,
		Continues: c.from.before.ID,
		Extends:   extends(&built, &c.from.before),
		trigger:   c.trigger,
		person:    cmp.Or(q.Asker, c.trigger.Author),
		self:      r.rights.guilds.Self().ID,
		summary:   summary,
		cacheKey:  cacheKey(q.Place.Scope, &built, &c.from.before),
		read:      shaped.read,
		shown:     shaped.shown,
		tail:      tail,
		recalled:  older,
	}, nil
}

// Measure learns from an answer how the provider counts the tokens of what was prepared.
// requests is how many requests the answer took.
func (r *Preparer) Measure(ctx context.Context, p *Prepared, answer *llm.Answer, requests int) {
	r.tokens.measure(ctx, p, answer, requests)
}

// open opens the account of the asker.
func (r *Preparer) open(ctx context.Context, q Question, c *basis) *limits.Account {
	who := limits.Who{Person: cmp.Or(q.Asker, c.trigger.Author), Channel: q.Channel, Guild: q.Guild}
	who.Roles = func(ctx context.Context) ([]graph.RoleID, error) {
		return r.rights.guilds.Roles(ctx, who.Guild, who.Person)
	}
	return r.rights.guilds.Open(ctx, who)
}

// basis is what a question is answered from.
type basis struct {
	trigger graph.Message
	graph   *graph.Graph
	from    continuation
	answers *ownAnswers
	// hidden is set if the asker may not read what was said before. The question is
	// then answered without it.
	hidden bool
	// calls is set if the question has no words and replies to nothing.
	calls bool
	// alone is set if it is not known who opted out. The question is then answered from
	// itself only.
	alone bool
}

// conversation reads what a question is answered from. It determines what the asker may
// read before it reads anything. If only the question itself shows who asks, it reads the
// question first and uses nothing else before.
func (r *Preparer) conversation(ctx context.Context, q Question, by chosen) (basis, error) {
	if err := r.people.Refresh(ctx); err != nil {
		r.logger.DebugContext(ctx, "it could not be looked up who opted out, what was known before holds", "error", err)
	}
	c := basis{graph: &graph.Graph{}, answers: newOwnAnswers(r.responses, r.people, q.Place.Scope), alone: !r.people.Known()}
	if c.alone {
		r.logger.InfoContext(ctx, "it is not known yet who opted out, a question is answered from itself alone", "trigger", q.ID)
	}
	held, _ := r.history.Message(q.Channel, q.ID)
	may, err := r.rights.of(ctx, q, held.Author)
	if err != nil {
		return c, err
	}
	reading := r.reading(q, may)
	source := c.answers.source(ctx, reading.Source(ctx))
	if c.trigger, err = q.read(source); err != nil {
		return c, err
	}
	c.calls = c.trigger.AsksNothing()
	if !may.known {
		if may, err = r.rights.of(ctx, q, c.trigger.Author); err != nil {
			return c, err
		}
		reading = r.reading(q, may)
		source = c.answers.source(ctx, reading.Source(ctx))
	}
	if c.hidden = !may.own; c.hidden || c.alone {
		c.graph.Trigger = c.trigger
		return c, nil
	}
	return c, r.expandInto(&c, reading, source, q, by.expand)
}

// expandInto adds to a question the messages that belong to it.
func (r *Preparer) expandInto(c *basis, reading *fetch.Mention, source graph.SourceFunc, q Question, options graph.Options) error {
	started, err := starter(reading, source, &q)
	if err != nil {
		return err
	}
	c.trigger.References = append(slices.Clip(c.trigger.References), started...)
	options.Parent = q.Place.Parent
	g, err := graph.Expand(source, c.trigger, options)
	if err != nil {
		return fmt.Errorf("read the conversation before %s: %w", q.ID, err)
	}
	c.graph = g
	if c.from, err = r.join(source, g, c.answers.found); err != nil {
		return fmt.Errorf("read the conversation before %s: %w", q.ID, err)
	}
	c.answers.bind(g)
	return nil
}

// keepVersions keeps the versions of the messages that an answer is made from, until
// somebody edits them.
func (r *Preparer) keepVersions(messages []graph.Message) {
	byChannel := make(map[graph.ChannelID][]graph.MessageID)
	for i := range messages {
		m := &messages[i]
		byChannel[m.Channel] = append(byChannel[m.Channel], m.ID)
	}
	for channel, ids := range byChannel {
		r.history.Bind(channel, ids)
	}
}

// Read returns the newest version of a question. It fails with work.ErrQuestionGone if
// the question was deleted.
func (r *Preparer) Read(ctx context.Context, q Question) (graph.Message, error) {
	r.writes.Flush(ctx) // so that nothing is read that was deleted before
	return q.read(r.reading(q, rights{}).Source(ctx))
}

// reading begins a reading for a question that reads only what the asker may read.
func (r *Preparer) reading(q Question, may rights) *fetch.Mention {
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

// Responses stores answers and summaries by the paths that they answer;
// store.Responses does. Its errors during an outage wrap store.ErrUnavailable.
type Responses interface {
	// Save stores a summary.
	Save(ctx context.Context, response store.Response) error
	// Seek returns a summary that may be used again, or the lead to ask for one. It
	// waits while another process has the lead.
	Seek(ctx context.Context, want store.Want, ttl time.Duration) (store.Sought, error)
	// Recollect returns the responses that Discord messages show, in one round trip.
	Recollect(ctx context.Context, scope store.Scope, replies []graph.MessageID) (store.Recollected, error)
	// Summary returns the newest summary with an id, and reports whether there is one.
	Summary(ctx context.Context, scope store.Scope, id store.SummaryID) (store.Recalled, bool, error)
}
