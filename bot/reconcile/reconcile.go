// Package reconcile makes up for events that heddle missed. While heddle was away,
// messages that stored answers were made from may have been deleted or edited, and
// heddle may have been removed from guilds. After every gap in the events one process
// looks all of them up on Discord, the newest first and up to a hundred with each
// request. It reports what it finds as if the event had come.
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

// A check makes its first requests at once, and the others at 30 a minute, to leave
// Discord's rate limits to answers.
const (
	atOnce = 10
	apart  = 2 * time.Second
)

// retry is the pause before a check is tried again, because the store is away or
// another process is checking. It grows to longestRetry, as every check starts over.
const retry, longestRetry = 2 * time.Second, time.Minute

// Archive lists what is stored; store.Archive is one.
type Archive interface {
	Scopes(ctx context.Context) ([]store.Scope, error)
	All(ctx context.Context, scope store.Scope) iter.Seq2[store.Response, error]
	// Shown returns, for each of some responses, the messages that show it.
	Shown(ctx context.Context, scope store.Scope, responses []store.Response) ([][]graph.MessageID, error)
	// Unsaved returns the answers of this process that the store does not have, with
	// their questions and messages only.
	Unsaved(ctx context.Context) ([]store.Response, error)
}

// Claims makes sure that only one process checks at a time; store.Claims is one.
type Claims interface {
	Claim(ctx context.Context, key store.ClaimKey, ttl time.Duration) (store.Lease, error)
}

// Checks remembers which checks were completed; store.Backlog is one.
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

// Remover deletes messages of heddle's; outbox.Outbox is one.
type Remover interface {
	Remove(ctx context.Context, channel graph.ChannelID, message graph.MessageID) error
}

// Guilds knows in which guilds heddle is; guilds.Cache is one.
type Guilds interface {
	KnowsGuild(guild graph.GuildID) bool
}

// Flusher waits for background writes; deferred.Writes is one.
type Flusher interface {
	Flush(ctx context.Context)
}

// Events receives what heddle missed. Its methods return at once, and may be called
// from any goroutine.
type Events interface {
	// Deleted receives messages that were deleted.
	Deleted(deleted discord.Delete)
	// Edited receives a message that was edited since an answer was made from it, and
	// the time of the edit.
	Edited(channel graph.ChannelID, message graph.MessageID, edited time.Time)
	// LostChannel receives a channel that was deleted.
	LostChannel(channel graph.ChannelID)
	// Left receives a guild that heddle is no longer in.
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
	Writes  Flusher // the writes that Events makes
	Log     *slog.Logger
}

// Reconciler checks what is stored against Discord.
type Reconciler struct {
	deps Deps
	more wait.Signal // a gap waits to be checked

	mu  sync.Mutex
	gap gap // the latest gap
}

// gap is an interruption of the events. Events from before its end may have been
// missed.
type gap struct {
	end    time.Time
	member map[graph.GuildID]bool // the guilds that heddle is in
}

// New returns a Reconciler, which checks nothing before Run is called.
func New(deps Deps) *Reconciler {
	return &Reconciler{deps: deps, more: wait.NewSignal()}
}

// Gap records that events may have been missed until now, and the guilds that heddle is
// in.
func (r *Reconciler) Gap(guilds []discord.Guild) {
	member := make(map[graph.GuildID]bool, len(guilds))
	for _, guild := range guilds {
		member[guild.ID] = true
	}
	r.mu.Lock()
	r.gap = gap{r.deps.REST.Now(), member}
	r.mu.Unlock()
	r.more.Set()
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
		for pause := retry; !r.once(ctx, after); pause = min(pause*3/2, longestRetry) {
			if wait.For(ctx, pause) != nil {
				return
			}
		}
	}
}

// once checks what is stored, unless another process has done so since the gap. It
// reports false if it has to be called again.
func (r *Reconciler) once(ctx context.Context, after gap) bool {
	log := r.deps.Log
	checked, err := r.deps.Checks.Checked(ctx)
	if err == nil && !checked.Before(after.end.Truncate(time.Millisecond)) {
		log.DebugContext(ctx, "another process has checked the sources of stored answers, nothing is left to do")
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
		log.DebugContext(ctx, "the sources of stored answers cannot be checked against Discord yet, trying again", "error", err)
		return false
	}
	defer r.deps.Leases.Keep(ctx, log, lease)()
	began := r.deps.REST.Now().Add(-discord.ClockError) // a gap may have ended by another clock
	check := check{Reconciler: r, after: after}
	if err := check.run(ctx); err != nil {
		if ctx.Err() == nil && !errors.Is(err, store.ErrUnavailable) { // the store logs its outages
			log.WarnContext(ctx, "not all sources of stored answers could be checked against Discord, trying again", "error", err)
		}
		return false
	}
	log.InfoContext(ctx, "the sources of stored answers were checked against Discord",
		"reads", check.reads, "deleted", check.deleted, "edited", check.edited, "left", check.left)
	r.deps.Writes.Flush(ctx)
	if err := r.deps.Checks.SetChecked(ctx, began); err != nil {
		log.DebugContext(ctx, "the end of a check of sources could not be stored, another process may repeat the check", "error", err)
	}
	return true
}

// checkUnsaved checks the answers that only this process knows, and reports whether it
// succeeded.
func (r *Reconciler) checkUnsaved(ctx context.Context, after gap) bool {
	unsaved, err := r.deps.Archive.Unsaved(ctx)
	if err == nil {
		var found stored
		found.addUnsaved(unsaved)
		check := check{Reconciler: r, after: after}
		err = check.look(ctx, found)
	}
	if err != nil && ctx.Err() == nil {
		r.deps.Log.WarnContext(ctx, "not all questions of answers that are not stored could be checked against Discord, trying again", "error", err)
	}
	return err == nil
}
