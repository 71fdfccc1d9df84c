// Package catchup tells people what was said while they were away. It reads a stretch of
// a channel, has package graph part it into its talks, and has the model describe those
// that nobody has had described yet:
//
//	stretch.go   what is read, within bounds, of what whoever asks may read
//	describe.go  the model's part: a bounded number of requests, whose answers are checked
//	known.go     descriptions that are stored, under what they were made from
//	list.go, talk.go, find.go  what people read
//
// Buttons name what they lead to, and nothing is kept for them: a press reads and parts
// again, with the rights of whoever presses. So they work after a restart, and from every
// process.
package catchup

import (
	"context"
	"log/slog"

	"heddle/bot/gate"
	"heddle/bot/guilds"
	"heddle/bot/limits"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/recall"
	"heddle/llm"
	"heddle/store"
)

// Deps is what New works with. All fields must be set.
type Deps struct {
	History   History
	Guilds    Guilds
	Members   Members
	People    People
	Gate      Gate
	Responses Responses
	Model     Model
	Outbox    Outbox
	Writes    Flusher
	Meanings  Meanings
	// Explain returns what people read about an error of the model.
	Explain func(error) phrases.Phrase
	Log     *slog.Logger
}

// Settings are the operator's choice.
type Settings struct {
	Affinity graph.Affinity // nil: replies and pauses alone separate talks
	Budget   int            // tokens of a request to the model; 0: not known
	// Paused reports whether an operator has paused heddle in a guild, or everywhere.
	Paused func(ctx context.Context, guild graph.GuildID) bool
}

// History is the history of channels; fetch.History is one.
type History interface {
	// Older passes the messages of a channel to each, newest first and folded.
	Older(ctx context.Context, back fetch.Back, each func(*graph.Message) bool) (fetch.Reached, error)
}

// Guilds describes channels; guilds.Cache does.
type Guilds interface {
	Place(channel graph.ChannelID, guild graph.GuildID) guilds.Place
	GuildOf(channel graph.ChannelID) graph.GuildID
}

// Members decides what people may read and how much they may ask; limits.Members does.
type Members interface {
	MayRead(ctx context.Context, guild graph.GuildID, channel graph.ChannelID, user graph.UserID) (bool, error)
	Roles(ctx context.Context, guild graph.GuildID, user graph.UserID) ([]graph.RoleID, error)
	Open(ctx context.Context, who limits.Who) *limits.Account
}

// People knows who opted out; gate.People does.
type People interface {
	Refresh(ctx context.Context) error
	Known() bool
	OptedOut(person graph.UserID) bool
}

// Gate decides whom heddle answers; gate.Gate does.
type Gate interface {
	Permits(by gate.Asker) bool
}

// Responses stores what the model said; store.Responses does.
type Responses interface {
	Save(ctx context.Context, response store.Response) error
	// Summary returns the newest summary with an id, and reports whether there is one.
	Summary(ctx context.Context, scope store.Scope, id store.SummaryID) (store.Recalled, bool, error)
}

// Meanings finds exchanges by their meaning; conversation.Meanings does.
type Meanings interface {
	// Like returns the exchanges of the question's channel that are similar in meaning,
	// each by its anchor, best first. It returns none if they are not known.
	Like(ctx context.Context, scope store.Scope, question *graph.Message) []recall.Scored
}

// Model answers; llm.Client does.
type Model interface {
	Stream(ctx context.Context, request llm.Request, each func(llm.Delta)) (llm.Answer, error)
	Model() string
}

// Outbox sends; outbox.Outbox does.
type Outbox interface {
	StartThread(ctx context.Context, channel graph.ChannelID, message graph.MessageID, title string) error
	Reply(ctx context.Context, to outbox.To, text string) ([]outbox.Sent, error)
}

// Flusher waits until earlier deletions have reached the store; deferred.Writes is one.
type Flusher interface {
	Flush(ctx context.Context)
}

// Catchup answers commands, and presses of buttons, about talks. Its methods may be
// called from any goroutine.
type Catchup struct {
	reader    *reader
	describer *describer
	meanings  Meanings
	gate      Gate
	people    People
	paused    func(ctx context.Context, guild graph.GuildID) bool
	outbox    Outbox
	guilds    Guilds
}

// New returns a Catchup.
func New(deps Deps, settings Settings) *Catchup {
	return &Catchup{
		reader: &reader{
			history: deps.History, guilds: deps.Guilds, members: deps.Members, people: deps.People, writes: deps.Writes,
			options: graph.Options{Affinity: settings.Affinity, TimeThreshold: graph.AutoThreshold},
		},
		describer: &describer{
			model: deps.Model, members: deps.Members, explain: deps.Explain, log: deps.Log, size: batchSize(settings.Budget),
			known: &known{deps.Responses, deps.People, deps.Model, deps.Log},
		},
		meanings: deps.Meanings, gate: deps.Gate, people: deps.People, paused: settings.Paused, outbox: deps.Outbox, guilds: deps.Guilds,
	}
}
