package bot

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"heddle/bot/answer"
	"heddle/bot/catchup"
	"heddle/bot/commands"
	"heddle/bot/conversation"
	"heddle/bot/gateway"
	"heddle/bot/guilds"
	"heddle/bot/limits"
	"heddle/bot/phrases"
	"heddle/bot/questions"
	"heddle/bot/reply"
	"heddle/bot/tools"
	"heddle/fetch"
	"heddle/internal/discord"
	"heddle/llm"
	"heddle/store"
)

// Deps is what a Bot works with. All fields must be set, but those that say what nil stands for.
type Deps struct {
	REST    *discord.REST
	Gateway *gateway.Shards
	Guilds  *guilds.Cache
	History *fetch.History
	Replies *reply.Replies
	Model   *llm.Client
	Store   *store.Store
	Limits  *limits.Limits
	Files   *fetch.Files   // nil: no attachment is read
	Tools   []tools.Tool   // what the model may call, each by its own name
	Servers *tools.Servers // that lend it more
	Recent  *answer.Recent // what answers are made from; nil: nobody looks
	Log     *slog.Logger
}

// Settings are what an operator chooses.
type Settings struct {
	Conversation conversation.Settings
	Answer       answer.Settings
	Questions    questions.Settings
	Gate         questions.GateSettings
	Commands     commands.Settings
	Overrides    conversation.OverrideSettings
	// Lease is how long a claim holds without being renewed, and so how long a question
	// waits if its process dies.
	Lease time.Duration
	// Several is set if other processes share the store. While the store is away, this
	// process may not know of them.
	Several bool
	// Deaf is the shortest silence of a shard after which it is checked whether something was missed.
	Deaf  time.Duration
	Grace time.Duration // for answers in progress at shutdown
}

// flush returns how long after Grace the end of an answer may still be sent. It is short, as
// a service manager kills a process that is slow to stop, unless Grace says that there is
// time.
func (s Settings) flush() time.Duration {
	const least = 1500 * time.Millisecond
	return max(least, s.Grace/4)
}

// New makes a bot. It connects to nothing yet.
func New(deps Deps, settings Settings) *Bot {
	chosen := conversation.NewOverrides(deps.Store, settings.Overrides, deps.Log)
	settings.Conversation.Overrides = chosen
	settings.Answer.Contact, settings.Commands.Lease = settings.Commands.Contact, settings.Lease
	b := &Bot{
		deps: deps, settings: settings,
		guilds: deps.Guilds, people: guilds.NewPeople(deps.Store, deps.History, deps.Log), leases: answer.NewLeases(deps.Store.Claims, settings.Lease, settings.Several),
		writes: store.NewErasing(deps.Store, deps.Log),
	}
	deps.History.LeaveOut(phrases.WithoutNotices)
	deps.History.Withhold(b.people.OptedOut)
	b.names = guilds.NewNames(deps.Guilds, b.people, deps.Store, deps.Log)
	fetch.SetNames(deps.History, b.names)
	b.files = conversation.NewFiles(deps.Files, b.people, deps.Log)
	b.gate = questions.NewGate(b.people, deps.Replies, settings.Gate)

	loop := tools.NewLoop(deps.Model, deps.Tools, deps.Servers, tools.Limits{}, deps.Log)
	b.preparer = b.newPreparer()
	missed := b.newCatchup()
	b.answers = b.newAnswers(missed, loop)
	talks := &commands.Talks{Catchup: missed, Gate: b.gate, Overrides: chosen, Replies: deps.Replies, Contact: settings.Commands.Contact}
	checks := &commands.Checks{Gate: b.gate, Overrides: chosen, Loop: loop, Model: deps.Model}
	b.commands = b.newCommands(chosen, slices.Concat(checks.Commands(), talks.Commands()))
	return b
}

func (b *Bot) newPreparer() *conversation.Preparer {
	return conversation.New(conversation.Deps{
		History: b.deps.History, Store: b.deps.Store, Model: b.deps.Model, Replies: b.deps.Replies,
		Files: b.files, Guilds: b.guilds, Limits: b.deps.Limits, People: b.people, Writes: b.writes, Log: b.deps.Log,
	}, b.settings.Conversation)
}

func (b *Bot) newAnswers(missed *catchup.Catchup, loop *tools.Loop) *answer.Answerer {
	return answer.New(answer.Deps{
		Preparer: b.preparer, History: b.deps.History, Store: b.deps.Store, REST: b.deps.REST, Replies: b.deps.Replies, Leases: b.leases, Loop: loop,
		Guilds: b.guilds, Catchup: missed, Writes: b.writes,
		Recent: b.deps.Recent, Flush: b.settings.flush(), Log: b.deps.Log,
	}, b.settings.Answer)
}

func (b *Bot) newCatchup() *catchup.Catchup {
	return catchup.New(catchup.Deps{
		Preparer: b.preparer, Guilds: b.guilds, People: b.people, Responses: b.deps.Store.Responses, Model: b.deps.Model,
		Writes: b.writes, Log: b.deps.Log,
	}, catchup.Settings{Affinity: b.settings.Conversation.Expand.Affinity, Budget: b.settings.Conversation.Budget})
}

func (b *Bot) newCommands(chosen *conversation.Overrides, more []commands.Command) *commands.Commands {
	return commands.New(commands.Deps{
		REST: b.deps.REST, Replies: b.deps.Replies, Store: b.deps.Store, Guilds: b.guilds, History: b.deps.History,
		Answers: b.answers, Gate: b.gate, Limits: b.deps.Limits, Overrides: chosen, Log: b.deps.Log,
	}, b.settings.Commands, more...)
}

// receive starts the bot's work under ctx, and returns what the gateway's events are for.
func (b *Bot) receive(ctx context.Context) *receiver {
	deps := questions.Deps{
		Store: b.deps.Store, Leases: b.leases, Writes: b.writes, Guilds: b.guilds, Gate: b.gate,
		History: b.deps.History, REST: b.deps.REST, Answers: b.answers, Log: b.deps.Log,
	}
	deps.Checker = questions.NewChecker(deps, b.deps.Replies)
	return &receiver{
		Bot: b, checker: deps.Checker, questions: questions.Start(ctx, deps, b.settings.Questions),
		ratings: &commands.Ratings{Store: b.deps.Store.Ratings, Guilds: b.guilds, History: b.deps.History},
	}
}
