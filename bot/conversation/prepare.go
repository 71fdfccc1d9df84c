package conversation

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"heddle/bot/guilds"
	"heddle/bot/limits"
	"heddle/bot/phrases"
	"heddle/bot/sources"
	"heddle/bot/tools"
	"heddle/bot/work"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/telemetry"
	"heddle/store"
)

// Deps are what New needs. All fields but People must be set.
type Deps struct {
	History *fetch.History
	Store   *store.Store
	Model   Model
	Tools   []path.Tool                                                      // that the model may call
	Servers *tools.Servers                                                   // that lend it more; nil: none
	Typing  func(ctx context.Context, channel graph.ChannelID) (stop func()) // shows that heddle is writing
	Files   *Files
	Guilds  *guilds.Cache
	Limits  *limits.Limits
	People  sources.People // nil: nobody opts out
	Writes  *work.Writes
	Log     *slog.Logger
}

// Preparer reads conversations and shapes them into requests to the model. Its methods
// may be called from any goroutine.
type Preparer struct {
	history   *fetch.History
	reader    *sources.Reader
	guilds    *guilds.Cache
	limits    *limits.Limits
	people    sources.People
	writes    *work.Writes
	choices   choices
	shaper    *shaper
	summaries *summaries
	recaller  *recaller
	lines     *reader
	log       *slog.Logger
}

// New returns a Preparer that works with deps.
func New(deps Deps, settings Settings) *Preparer {
	if deps.People == nil {
		deps.People = sources.Everybody{}
	}
	rule := &sources.Rule{People: deps.People, Channels: deps.Guilds, Log: deps.Log}
	reader := sources.NewReader(deps.History, deps.Store.Responses, rule)
	shaper := newShaper(deps, settings)
	return &Preparer{
		history: deps.History, reader: reader, guilds: deps.Guilds, limits: deps.Limits, people: deps.People, writes: deps.Writes,
		choices: choices{settings.Expand, settings.System, settings.Overrides}, shaper: shaper, log: deps.Log,
		lines:     newReader(settings.Reader, deps.Log),
		summaries: &summaries{shaper: shaper, responses: deps.Store.Responses, temperature: settings.Options.Temperature, log: deps.Log},
		recaller:  &recaller{history: deps.History, guilds: deps.Guilds, tokens: shaper.tokens, window: settings.ArtifactWindow, log: deps.Log},
	}
}

// Reader returns what reads what was said.
func (r *Preparer) Reader() *sources.Reader { return r.reader }

// Naming decides how the people in requests to the model are named now.
func (r *Preparer) Naming() path.Naming { return r.shaper.naming() }

// Warm loads the tokenizer, which takes some fifty milliseconds, so that no question waits
// for it.
func (r *Preparer) Warm(ctx context.Context) { r.shaper.tokens.ofText(ctx, "a word") }

// Preview returns what a question would be answered from if it were asked when it was
// written. It is as Prepare, but charges nothing, has nothing summarised and keeps no
// versions.
func (r *Preparer) Preview(ctx context.Context, q Question) (*Prepared, error) {
	by := r.choices.of(ctx, q)
	p, err := r.begin(ctx, q, by)
	if err != nil {
		return nil, err
	}
	if err := r.expand(ctx, q, by.expand, p); err != nil {
		return nil, err
	}
	if err := r.shaper.shape(ctx, q, by, p); err != nil {
		return nil, err
	}
	p.summary = r.summaries.before(ctx, q.Place.Scope, p.from.before.Summary)
	r.finish(ctx, q, by, p, p.Graph.Trigger.Time)
	return p, nil
}

// Prepare reads a question's conversation and makes its graph, path, tail and hashes. It
// fails with work.ErrQuestionGone if the question was deleted.
func (r *Preparer) Prepare(ctx context.Context, q Question) (*Prepared, error) {
	defer telemetry.Stage(ctx, telemetry.Prepare)()
	if chosen := r.choices.overrides; chosen != nil && chosen.Paused(ctx, q.Guild) {
		return nil, work.ErrPaused
	}
	r.writes.Flush(ctx) // so that no answer is made from what was deleted before
	by := r.choices.of(ctx, q)
	p, err := r.begin(ctx, q, by)
	if err != nil {
		return nil, err
	}
	p.Account = r.Open(ctx, q, p.person)
	if err := r.expand(ctx, q, by.expand, p); err != nil {
		return nil, err
	}
	if q.Spoken != nil {
		p.Graph.Join(q.ID, q.Spoken.Earlier)
	}
	ctx = limits.With(ctx, p.Account)
	if err := r.shaper.shape(ctx, q, by, p); err != nil {
		return nil, err
	}
	r.keepVersions(p.Built.Messages)
	p.summary = r.summaries.of(ctx, q, p)
	r.finish(ctx, q, by, p, time.Now())
	return p, nil
}

// finish completes what a question is answered from, of which there are the path and the
// summary on it, by what is recalled and by the tail as of now.
func (r *Preparer) finish(ctx context.Context, q Question, by chosen, p *Prepared, now time.Time) {
	if p.summary != nil {
		p.Built.Summarise(p.summary.turn)
	}
	r.recaller.recall(ctx, q, p)
	p.tail = r.shaper.tail(ctx, p)
	p.tail.Now, p.tail.Recalled = now, quoted(q, p.Graph.Recalled, p.Built.Names)
	if by.members {
		p.tail.Notices = append(p.tail.Notices, phrases.ModelMembers(membersOf(p.Built.Messages, p.Built.Names)))
	}
	p.cacheKey = cacheKey(q.Place.Scope, &p.Built, &p.from.before)
	p.sources = p.madeFrom()
}

// Open opens the account of whoever asks a question.
func (r *Preparer) Open(ctx context.Context, q Question, asker graph.UserID) *limits.Account {
	who := limits.Who{Person: asker, Channel: q.Channel, Guild: q.Guild}
	who.Roles = func(ctx context.Context) ([]graph.RoleID, error) {
		return r.guilds.Roles(ctx, who.Guild, who.Person)
	}
	return r.limits.Open(ctx, who)
}

// begin reads a question, as only that may show who asks, and finds out what else may be
// read for them.
func (r *Preparer) begin(ctx context.Context, q Question, by chosen) (*Prepared, error) {
	if err := r.people.Refresh(ctx); err != nil {
		r.log.DebugContext(ctx, "it could not be looked up who opted out, what was known before holds", "error", err)
	}
	p := &Prepared{Model: by.model, Graph: &graph.Graph{}, Alone: !r.people.Known(), self: r.guilds.Self().ID}
	if p.Alone {
		r.log.InfoContext(ctx, "it is not known yet who opted out, a question is answered from itself alone", "trigger", q.ID)
	}
	var err error
	if p.Graph.Trigger, err = r.read(ctx, q); err != nil {
		return p, err
	}
	p.person = cmp.Or(q.Asker, p.Graph.Trigger.Author)
	p.Calls = p.Graph.Trigger.AsksNothing()
	p.Past = r.reader.For(q.AskedBy(p.person))
	own, err := r.guilds.MayRead(ctx, q.Guild, q.Channel, p.person)
	if err != nil {
		return p, fmt.Errorf("find out what the asker of %s may read: %w", q.ID, err)
	}
	p.Hidden = !own
	return p, nil
}

// expand adds to a question the messages that belong to it, if the asker may read them.
func (r *Preparer) expand(ctx context.Context, q Question, options graph.Options, p *Prepared) error {
	if p.Hidden || p.Alone {
		return nil
	}
	channel := r.history.Mention(fetch.Place{
		Channel: q.Channel, Trigger: q.ID, NoHistory: q.Place.NoHistory,
		Readable: func(other graph.ChannelID) bool { return r.mayUse(ctx, q, p.person, other) },
	})
	source := p.Past.Source(ctx, channel.Source(ctx))
	trigger := p.Graph.Trigger
	if q.Place.Starter != 0 { // the message that a thread started from has the thread's id
		trigger.References = append(slices.Clip(trigger.References), graph.Reference{
			Kind: graph.ReferenceStarter, Channel: q.Place.Starter, Message: graph.MessageID(q.Channel),
		})
	}
	options.Parent = q.Place.Parent
	if r.lines.model != nil {
		options.Reader = r.lines.reading(ctx, p.Account)
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
