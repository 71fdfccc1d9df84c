package reconcile_test

import (
	"context"
	"testing"
	"time"

	"heddle/bot/reconcile"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/roomtest"
	"heddle/store"
)

// behind is a REST client of a process whose clock is behind that of others.
type behind struct {
	*discord.REST

	by time.Duration
}

func (b behind) Now() time.Time { return b.REST.Now().Add(-b.by) }

// nothing ignores what a check finds.
type nothing struct{}

func (nothing) Deleted(discord.Delete)                             {}
func (nothing) Edited(graph.ChannelID, graph.MessageID, time.Time) {}
func (nothing) LostChannel(graph.ChannelID)                        {}
func (nothing) Left(graph.GuildID)                                 {}

// checks gets a token for every check that is completed.
type checks struct {
	*store.Backlog

	completed chan struct{}
}

func (c checks) SetChecked(ctx context.Context, began time.Time) error {
	defer func() { c.completed <- struct{}{} }()
	return c.Backlog.SetChecked(ctx, began)
}

// TestAGapIsCheckedByEveryClock ends a gap of one process right after another one has
// begun a check, by clocks that differ by a second. What was deleted in between is found
// only if both check.
func TestAGapIsCheckedByEveryClock(t *testing.T) {
	t.Parallel()
	h := roomtest.New(t)
	for _, by := range []time.Duration{0, time.Second} {
		completed := make(chan struct{}, 1)
		r := reconcile.New(reconcile.Deps{
			Archive: h.Store.Archive, Claims: h.Store.Claims, Checks: checks{h.Store.Backlog, completed}, Leases: h.Leases, REST: behind{h.REST, by},
			Remover: h.Outbox, Guilds: h.Guilds, Events: nothing{}, Writes: h.Writes, Log: h.Log,
		})
		r.Gap(nil)
		running, stop := context.WithCancel(h.Context())
		over := make(chan struct{})
		go func() { defer close(over); r.Run(running) }()
		select {
		case <-completed:
		case <-h.Context().Done():
			t.Errorf("by a clock %s behind, nothing was checked; logged was\n%s", by, h.Logged())
		}
		stop()
		<-over
	}
}
