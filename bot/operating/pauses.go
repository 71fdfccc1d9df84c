package operating

import (
	"context"
	"log/slog"
	"time"

	"heddle/bot/commands"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/lru"
)

// PauseStore keeps where heddle is paused; store.Pauses does.
type PauseStore interface {
	Paused(ctx context.Context, guild graph.GuildID) (everywhere, here bool, err error)
	// Pause pauses heddle in a guild, or everywhere if it is zero, and Resume ends that.
	Pause(ctx context.Context, guild graph.GuildID) error
	Resume(ctx context.Context, guild graph.GuildID) error
}

// freshFor is how long a value that was read is used before it is read again. A change by
// another process takes effect here after this time at the latest.
const freshFor = time.Second

// mostHeld is how many guilds are held in memory.
const mostHeld = 4096

// Pauses knows where heddle is paused. Its methods may be called from any goroutine.
type Pauses struct {
	store  PauseStore
	paused *lru.Fresh[graph.GuildID, bool]
	log    *slog.Logger
}

// NewPauses returns Pauses that are kept in a store.
func NewPauses(kept PauseStore, log *slog.Logger) *Pauses {
	return &Pauses{store: kept, paused: lru.NewFresh[graph.GuildID, bool](mostHeld, freshFor), log: log}
}

// In reports whether heddle is paused in a guild, or everywhere. If that cannot be read,
// In returns what was read last.
func (p *Pauses) In(ctx context.Context, guild graph.GuildID) bool {
	paused, err := p.paused.Get(guild, func() (bool, error) {
		everywhere, here, err := p.store.Paused(ctx, guild)
		return everywhere || here, err
	})
	if err != nil {
		p.log.DebugContext(ctx, "whether heddle is paused could not be read, what was known before holds", "guild", guild, "error", err)
	}
	return paused
}

// The options of /heddle pause.
const (
	optionWhat  = "what"
	optionWhere = "where"

	whatResume = "resume"
	whereAll   = "everywhere"
)

// command pauses heddle in the guild in which it is used, or everywhere, or resumes it.
func (p *Pauses) command(ctx context.Context, use *commands.Use) (commands.Reply, error) {
	where, _ := use.Option(optionWhere)
	guild, done := use.Guild, phrases.PausedHere
	if where == whereAll || guild == 0 {
		guild, done = 0, phrases.PausedAll
	}
	do := p.store.Pause
	what, _ := use.Option(optionWhat)
	if what == whatResume {
		do, done = p.store.Resume, phrases.Resumed
	}
	if err := do(ctx, guild); err != nil {
		return commands.Reply{}, err
	}
	p.log.InfoContext(ctx, "an operator pauses or resumes heddle", "what", what, "guild", guild, "by", use.User.ID)
	p.paused.Forget()
	if what == whatResume && p.In(ctx, use.Guild) { // here it ended, everywhere it did not, or the other way round
		done = phrases.StillPaused
	}
	return use.Say(done, nil), nil
}
