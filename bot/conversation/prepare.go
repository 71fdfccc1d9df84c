package conversation

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"slices"

	"heddle/bot/guilds"
	"heddle/bot/limits"
	"heddle/bot/reply"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/telemetry"
	"heddle/llm"
	"heddle/store"
)

// Deps are what New needs. All fields must be set.
type Deps struct {
	History *fetch.History
	Store   *store.Store
	Model   *llm.Client
	Replies *reply.Replies
	Files   *Files
	Guilds  *guilds.Cache
	Limits  *limits.Limits
	People  *guilds.People
	Writes  *store.Erasing
	Log     *slog.Logger
}

// Preparer reads conversations and shapes them into requests to the model. Its methods
// may be called from any goroutine.
type Preparer struct {
	deps     Deps
	settings Settings
	tokens   *tokens
	rights   *Rights
	lines    *reader
	// computing holds one value for each graph that is being computed, and not read. That leaves
	// one processor to others, if there are several: the answers to the first questions of a
	// burst do not wait until the graphs of all others are computed.
	computing chan struct{}
	voices    *voices
}

// New returns a Preparer that works with deps.
func New(deps Deps, settings Settings) *Preparer {
	settings = settings.orDefaults()
	return &Preparer{
		deps: deps, settings: settings, tokens: (*tokens)(&settings),
		rights: &Rights{People: deps.People, Guilds: deps.Guilds, Log: deps.Log}, lines: newReader(settings.Reader, (*tokens)(&settings), deps.Log),
		computing: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1)), voices: newVoices(deps, settings.Transcriber),
	}
}

// Rights returns what decides for whom something made from messages may be used.
func (r *Preparer) Rights() *Rights { return r.rights }

// Warm loads the tokenizer, which takes some fifty milliseconds, so that no question waits
// for it.
func (r *Preparer) Warm(ctx context.Context) { r.tokens.ofText(ctx, "a word") }

// Preview returns what a question would be answered from if it were asked when it was
// written. It is as Prepare, but charges nothing, has nothing summarised and keeps no
// versions.
func (r *Preparer) Preview(ctx context.Context, q Question, offered Offered) (*Prepared, error) {
	p, err := r.begin(ctx, q, offered)
	if err != nil {
		return nil, err
	}
	if err := r.build(ctx, p); err != nil {
		return nil, err
	}
	p.summary = summaries{r}.before(ctx, q.Place.Scope, p.from.before.Summary)
	r.finish(ctx, p)
	return p, nil
}

// Prepare reads a question's conversation and makes its graph, path, tail and hashes. It
// fails with ErrQuestionGone if the question was deleted.
func (r *Preparer) Prepare(ctx context.Context, q Question, offered Offered) (*Prepared, error) {
	defer telemetry.Stage(ctx, telemetry.Prepare)()
	if chosen := r.settings.Overrides; chosen != nil && chosen.Paused(ctx, q.Guild) {
		return nil, ErrPaused
	}
	r.deps.Writes.Await(ctx, q.Place.Scope) // so that no answer is made from what was deleted before
	p, err := r.begin(ctx, q, offered)
	if err != nil {
		return nil, err
	}
	p.Account = r.Open(ctx, q, p.Person)
	ctx = limits.With(ctx, p.Account)
	if err := r.build(ctx, p); err != nil {
		return nil, err
	}
	keepVersions(r.deps.History, p.Built.Messages)
	p.summary = summaries{r}.of(ctx, p)
	r.finish(ctx, p)
	return p, nil
}

// build makes the graph and the path of a question.
func (r *Preparer) build(ctx context.Context, p *Prepared) error {
	if err := r.expand(ctx, p); err != nil {
		return err
	}
	if p.q.Spoken != nil {
		p.Graph.Join(p.q.ID, p.q.Spoken.Earlier)
	}
	r.voices.hear(ctx, p)
	return r.shape(ctx, p)
}

// finish completes what a question is answered from, of which there are the path and the
// summary on it, by what is recalled and by the tail as of the question.
func (r *Preparer) finish(ctx context.Context, p *Prepared) {
	if p.summary != nil {
		p.Built.Summarise(p.summary.turn)
	}
	p.Hash = p.Built.Path.Hash()
	recaller{r}.recall(ctx, p)
	p.tail = r.tail(ctx, p)
	p.tail.Now, p.tail.Recalled = p.q.ID.Time().In(r.settings.Zone), recaller{r}.quotes(p)
	p.cacheKey = cacheKey(p.q.Place.Scope, p.Hash, &p.from.before)
	p.Sources = p.madeFrom()
}

// Open opens the account of whoever asks a question.
func (r *Preparer) Open(ctx context.Context, q Question, asker graph.UserID) *limits.Account {
	return r.deps.Limits.Open(ctx, limits.Who{Person: asker, Channel: q.Channel, Guild: q.Guild})
}

// begin reads a question, as only that may show who asks, and finds out what else may be
// read for them.
func (r *Preparer) begin(ctx context.Context, q Question, offered Offered) (*Prepared, error) {
	if err := r.deps.People.Refresh(ctx); err != nil {
		r.deps.Log.DebugContext(ctx, "it could not be looked up who opted out, what was known before holds", "error", err)
	}
	by := r.chosen(ctx, q)
	p := &Prepared{Model: by.model, Graph: &graph.Graph{}, Alone: !r.deps.People.Known(), q: q, offered: offered, by: by, self: r.deps.Guilds.Self().ID}
	if p.Alone {
		r.deps.Log.InfoContext(ctx, "it is not known yet who opted out, a question is answered from itself alone", "trigger", q.ID)
	}
	var err error
	if p.Graph.Trigger, err = r.read(ctx, q); err != nil {
		return p, err
	}
	p.Person = cmp.Or(q.Asker, p.Graph.Trigger.Author)
	p.Calls = p.Graph.Trigger.AsksNothing()
	p.Past = r.Past(q.AskedBy(p.Person))
	if asks, err := p.Past.Usable(ctx, []graph.Message{p.Graph.Trigger}); err == nil && len(asks) > 0 {
		p.Graph.Trigger = asks[0] // without what it forwards of heddle's that must not be used
	}
	own, err := r.deps.Guilds.MayRead(ctx, q.Guild, q.Channel, p.Person)
	if err != nil {
		return p, fmt.Errorf("find out what the asker of %s may read: %w", q.ID, err)
	}
	p.Hidden = !own
	return p, nil
}

// expand adds to a question the messages that belong to it, if the asker may read them.
func (r *Preparer) expand(ctx context.Context, p *Prepared) error {
	q, options := p.q, p.by.expand
	if p.Hidden || p.Alone {
		return nil
	}
	channel := r.deps.History.Mention(fetch.Place{
		Channel: q.Channel, Trigger: q.ID, NoHistory: q.Place.NoHistory,
		Readable: r.readable(ctx, q, p.Person),
	})
	r.computing <- struct{}{}
	defer func() { <-r.computing }()
	past := p.Past.Source(ctx, channel.Source(ctx))
	source := func(batch graph.Batch) (graph.Reading, error) {
		<-r.computing
		defer func() { r.computing <- struct{}{} }()
		return past(batch)
	}
	trigger := p.Graph.Trigger
	if q.Place.Starter != 0 { // the message that a thread started from has the thread's id
		trigger.References = append(slices.Clip(trigger.References), graph.Reference{
			Kind: graph.ReferenceStarter, Channel: q.Place.Starter, Message: graph.MessageID(q.Channel),
		})
	}
	options.Parent = q.Place.Parent
	if r.lines.model != nil {
		read := r.lines.reading(ctx, p.Account, r.Naming(p.offered).Reserving(q.Place.Self.Nick))
		options.Reader = func(trigger *graph.Message, lines []*graph.Message, doubt int) (graph.Choice, bool) {
			<-r.computing
			defer func() { r.computing <- struct{}{} }()
			return read(trigger, lines, doubt)
		}
	}
	g, err := graph.Expand(source, trigger, options)
	if err != nil {
		return fmt.Errorf("read the conversation before %s: %w", q.ID, err)
	}
	p.Graph = g
	records := p.Past.Records()
	if p.from, err = r.join(source, g, records); err != nil {
		return fmt.Errorf("read what the answer before %s was made from: %w", q.ID, err)
	}
	bind(g, records)
	return nil
}

// keepVersions keeps the versions of the messages that an answer is made from, until
// somebody edits them.
func keepVersions(history *fetch.History, messages []graph.Message) {
	byChannel := make(map[graph.ChannelID][]graph.MessageID)
	for i := range messages {
		m := &messages[i]
		byChannel[m.Channel] = append(byChannel[m.Channel], m.ID)
	}
	for channel, ids := range byChannel {
		history.Bind(channel, ids)
	}
}
