package bot

import (
	"context"
	"log/slog"
	"time"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/bot/commands"
	"heddle/bot/conversation"
	"heddle/bot/dispatch"
	"heddle/bot/gateway"
	"heddle/bot/guilds"
	"heddle/bot/limits"
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
	REST     *discord.REST
	Gateway  Gateway
	Guilds   *guilds.Cache
	History  *fetch.History
	Replies  *reply.Replies
	Model    *llm.Client
	Store    *store.Store
	Limits   *limits.Limits
	Files    *fetch.Files    // nil: no attachment is read
	Tools    []tools.Tool    // what the model may call, each by its own name
	Servers  *tools.Servers  // that lend it more
	Observer answer.Observer // nil: nobody observes what answers are made from
	Log      *slog.Logger
}

// Gateway keeps the bot connected; shards.Shards is one.
type Gateway interface {
	Run(ctx context.Context, handler gateway.Handler) error
	// Status returns how it is connected now.
	Status() gateway.Status
}

// Settings are what an operator chooses.
type Settings struct {
	Conversation conversation.Settings
	Answer       answer.Settings
	Alternatives alternatives.Settings
	Dispatch     dispatch.Settings
	Gate         questions.GateSettings
	Commands     commands.Settings
	Overrides    commands.OverrideSettings
	// Lease is how long a claim holds without being renewed, and so how long a question
	// waits if its process dies.
	Lease time.Duration
	// Several is set if other processes share the store. While the store is away, this
	// process may not know of them.
	Several bool
	Grace   time.Duration // for answers in progress at shutdown
}

// flush returns how long after Grace the end of an answer may still be sent. It is short, as
// a service manager kills a process that is slow to stop, unless Grace says that there is
// time.
func (s Settings) flush() time.Duration {
	const least = 1500 * time.Millisecond
	return max(least, s.Grace/4)
}
