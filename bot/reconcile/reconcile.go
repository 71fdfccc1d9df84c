// Package reconcile makes up for what heddle did not hear while it was away. Messages that
// stored answers were made from may have been deleted or edited meanwhile, and heddle may
// have been removed from guilds. After every gap in the events, one of all processes looks
// them up on Discord, the newest first and a hundred with each read, and reports what it
// finds as if the event had come.
package reconcile

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
	"heddle/store"
)

// Of the reads of a check, the first come at once, and the others so far apart: 30 a
// minute, beside what answers need.
const (
	atOnce = 10
	apart  = 2 * time.Second
)

// retry is how long a check waits for a store that is away, or for another process.
const retry = 2 * time.Second

// Archive lists what is stored; store.Archive does.
type Archive interface {
	Scopes(ctx context.Context) ([]store.Scope, error)
	All(ctx context.Context, scope store.Scope) iter.Seq2[store.Response, error]
	// Shown returns, for each of some responses, the messages that show it.
	Shown(ctx context.Context, scope store.Scope, responses []store.Response) ([][]graph.MessageID, error)
	// Unsaved returns where answers of this process stand that the store does not have.
	Unsaved(ctx context.Context) ([]store.Response, error)
}

// Claims lets one process check; store.Claims does.
type Claims interface {
	Claim(ctx context.Context, key store.ClaimKey, ttl time.Duration) (store.Lease, error)
}

// Checks knows which checks came to their end; store.Backlog does.
type Checks interface {
	Checked(ctx context.Context) (time.Time, error)
	SetChecked(ctx context.Context, began time.Time) error
}

// REST reads from Discord; discord.REST is one.
type REST interface {
	Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error)
	// Now returns Discord's time, on which the clocks of all processes agree.
	Now() time.Time
}

// Remover deletes messages of heddle's; outbox.Outbox does.
type Remover interface {
	Remove(ctx context.Context, channel graph.ChannelID, message graph.MessageID) error
}

// Guilds knows in which guilds heddle is; guilds.Cache does.
type Guilds interface {
	KnowsGuild(guild graph.GuildID) bool
}

// Flusher waits for writes; deferred.Writes is one.
type Flusher interface {
	Flush(ctx context.Context)
}

// Events takes what should have come as events. Its methods do not wait, and may be
// called from any goroutine.
type Events interface {
	// Deleted takes messages that are gone.
	Deleted(deleted discord.Delete)
	// Edited takes a message of which another version was used, and when it was edited.
	Edited(channel graph.ChannelID, message graph.MessageID, edited time.Time)
	// LostChannel takes a channel that is gone.
	LostChannel(channel graph.ChannelID)
	// Left takes a guild that heddle is no longer in.
	Left(guild graph.GuildID)
}

// Deps is what a Reconciler works with. All fields must be set.
type Deps struct {
	Archive Archive
	Claims  Claims
	Checks  Checks
	Leases  *work.Leases
	REST    REST
	Remover Remover
	Guilds  Guilds
	Events  Events
	Writes  Flusher // by which Events stores
	Log     *slog.Logger
}

// Reconciler checks what is stored against Discord.
type Reconciler struct {
	deps Deps
	more chan struct{} // holds a token while a gap waits to be checked

	mu  sync.Mutex
	gap gap // the latest
}

// gap is a time before which events may have been missed.
type gap struct {
	end    time.Time
	member map[graph.GuildID]bool // the guilds that heddle is in
}

// New returns a Reconciler. Run checks.
func New(deps Deps) *Reconciler {
	return &Reconciler{deps: deps, more: make(chan struct{}, 1)}
}

// Gap notes that events may have been missed until now, and the guilds that heddle is in.
func (r *Reconciler) Gap(guilds []discord.Guild) {
	member := make(map[graph.GuildID]bool, len(guilds))
	for _, guild := range guilds {
		member[guild.ID] = true
	}
	r.mu.Lock()
	r.gap = gap{r.deps.REST.Now(), member}
	r.mu.Unlock()
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// Run checks after every gap until ctx ends.
func (r *Reconciler) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.more:
		}
		r.mu.Lock()
		after := r.gap
		r.mu.Unlock()
		for !r.once(ctx, after) {
			if wait.For(ctx, retry) != nil {
				return
			}
		}
	}
}

// once checks what is stored unless another process has done so since the gap. It reports
// false if that has to be tried again.
func (r *Reconciler) once(ctx context.Context, after gap) bool {
	log := r.deps.Log
	checked, err := r.deps.Checks.Checked(ctx)
	if err == nil && !checked.Before(after.end.Truncate(time.Millisecond)) {
		log.DebugContext(ctx, "the sources of stored answers were checked by another process")
		return r.checkUnsaved(ctx, after)
	}
	var lease store.Lease
	if err == nil {
		lease, err = r.deps.Claims.Claim(ctx, store.CheckClaim(), r.deps.Leases.TTL())
	}
	if errors.Is(err, store.ErrHeld) {
		return false
	}
	if err != nil {
		log.DebugContext(ctx, "sources cannot be checked against Discord yet, this is tried again", "error", err)
		return false
	}
	defer r.deps.Leases.Keep(ctx, log, lease)()
	began := r.deps.REST.Now()
	check := check{Reconciler: r, after: after}
	if err := check.run(ctx); err != nil {
		if ctx.Err() == nil && !errors.Is(err, store.ErrUnavailable) { // the store logs its outages
			log.WarnContext(ctx, "sources of stored answers could not all be checked against Discord, this is tried again", "error", err)
		}
		return false
	}
	log.InfoContext(ctx, "the sources of stored answers were checked against Discord",
		"reads", check.reads, "deleted", check.deleted, "edited", check.edited, "left", check.left)
	r.deps.Writes.Flush(ctx)
	if err := r.deps.Checks.SetChecked(ctx, began); err != nil {
		log.DebugContext(ctx, "that sources were checked could not be stored, another process may check them too", "error", err)
	}
	return true
}

// checkUnsaved checks what only this process knows of, and reports whether it could.
func (r *Reconciler) checkUnsaved(ctx context.Context, after gap) bool {
	unsaved, err := r.deps.Archive.Unsaved(ctx)
	if err == nil {
		var found stored
		found.addUnsaved(unsaved)
		check := check{Reconciler: r, after: after}
		err = check.look(ctx, found)
	}
	if err != nil && ctx.Err() == nil {
		r.deps.Log.WarnContext(ctx, "the questions of answers that are not stored could not all be checked against Discord, this is tried again", "error", err)
	}
	return err == nil
}
