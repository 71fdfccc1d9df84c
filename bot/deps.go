package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/bot/attachments"
	"heddle/bot/commands"
	"heddle/bot/conversation"
	"heddle/bot/dispatch"
	"heddle/bot/gate"
	"heddle/bot/gateway"
	"heddle/bot/limits"
	"heddle/bot/operating"
	"heddle/bot/outbox"
	"heddle/bot/overrides"
	"heddle/bot/tools"
	"heddle/fetch"
	"heddle/internal/discord"
	"heddle/llm"
	"heddle/store"
)

// Deps is what a Bot works with. REST, Gateway, History, Outbox, Model and Store must
// be set.
type Deps struct {
	REST     *discord.REST
	Gateway  Gateway
	History  *fetch.History
	Outbox   *outbox.Outbox
	Model    conversation.Model
	Store    *store.Store
	Limits   *limits.Limits         // nil: nothing is limited
	Files    attachments.Downloader // nil: no attachment is read
	Tools    []tools.Tool           // what the model may call, each by its own name
	Observer answer.Observer        // nil: nobody observes what answers are made from
	Log      *slog.Logger           // nil: nothing is logged
}

// Gateway keeps the bot connected; gateway.Gateway is one.
type Gateway interface {
	Run(ctx context.Context, handler gateway.Handler) error
}

// Settings are what an operator chooses.
type Settings struct {
	Conversation conversation.Settings
	Answer       answer.Settings
	Alternatives alternatives.Settings
	Dispatch     dispatch.Settings
	Gate         gate.Settings
	Commands     commands.Settings
	Overrides    overrides.Settings
	Operating    operating.Settings
	Tools        tools.Limits // of what tools may take for one answer
	// Lease is how long a claim holds without being renewed, and so how long a question
	// waits if its process dies. 0: 20 s.
	Lease time.Duration
	// Several is set if other processes share the store. While the store is away, this
	// process may not know of them.
	Several bool
	Grace   time.Duration // for answers in progress at shutdown; 0: 8 s
	// Flush is how long after Grace the end of an answer may still be sent. It is
	// short, as a service manager kills a process that is slow to stop. 0: 1.5 s.
	Flush time.Duration
}

func (s Settings) orDefaults() Settings {
	if s.Lease == 0 {
		s.Lease = 20 * time.Second
	}
	if s.Grace == 0 {
		s.Grace = 8 * time.Second
	}
	if s.Flush == 0 {
		s.Flush = 1500 * time.Millisecond
	}
	return s
}

func (d *Deps) setDefaults() {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	if d.Limits == nil {
		d.Limits = limits.New(d.Store.Budgets, limits.NewLedger(d.Store.Spending(), nil, d.Log), func(context.Context, *llm.Request) int { return 0 }, limits.Settings{}, d.REST.Now, d.Log)
	}
	if d.Observer == nil {
		d.Observer = answer.Unobserved{}
	}
}

var errMissing = errors.New("something it needs is missing")

// check returns an error that names everything that is missing.
func (d *Deps) check() error {
	var missing []string
	for _, needed := range []struct {
		name  string
		given bool
	}{
		{"REST", d.REST != nil},
		{"Gateway", d.Gateway != nil},
		{"History", d.History != nil},
		{"Outbox", d.Outbox != nil},
		{"Model", d.Model != nil},
		{"Store", d.Store != nil},
	} {
		if !needed.given {
			missing = append(missing, needed.name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("make a bot: %w: %s", errMissing, strings.Join(missing, ", "))
	}
	return nil
}
