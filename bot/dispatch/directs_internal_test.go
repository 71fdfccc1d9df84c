package dispatch

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"

	"heddle/bot/deferred"
	"heddle/graph"
)

// TestNoDirectMessageIsForgottenWhileTheStoreIsAway has more than enough else wait for a
// store that is away.
func TestNoDirectMessageIsForgottenWhileTheStoreIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(t)
		p.engine.away.Store(true)
		writes := deferred.New(slog.New(slog.DiscardHandler))
		kept := newDirects(writes, p.shared.Backlog)
		running, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); writes.Run(running) }()
		const people = 10
		for range 3 {
			for n := range people {
				kept.remember(graph.ChannelID(n + 1))
			}
			for range 2 * deferred.Most {
				writes.Add(func(context.Context) error { return nil })
			}
		}
		p.engine.away.Store(false)
		written := make(chan struct{})
		writes.Keep(func(context.Context) error { close(written); return nil })
		<-written
		if got, err := p.shared.Backlog.Directs(t.Context()); err != nil || len(got) != people {
			t.Errorf("%d direct messages are remembered, %v, want all %d and no error", len(got), err, people)
		}
		stop()
		<-ended
	})
}
