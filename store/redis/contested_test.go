package redis_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"heddle/internal/redistest"
	"heddle/internal/wait"
	"heddle/store"
	"heddle/store/redis"
	"heddle/store/storetest"
)

// TestLeasesAreLinearizable lets processes compete for claims, each over a link of its
// own. Meanwhile links are slowed down, cut or left half open, and Redis is paused,
// killed and restarted.
func TestLeasesAreLinearizable(t *testing.T) {
	t.Parallel()
	server, err := redistest.StartDurableTCP(t.Context())
	if errors.Is(err, redistest.ErrMissing) && !redistest.Required() {
		t.Logf("left out: %v", err)
		return
	}
	must(t, err)
	t.Cleanup(func() { must(t, server.Close()) })
	var links []*redistest.Link
	storetest.LeasesAreLinearizable(t, storetest.Contested{
		Repeats: 4 * time.Millisecond, // the client's shortest pause before it tries again
		Open: func(t *testing.T) store.Engine {
			t.Helper()
			link, err := redistest.NewLink(server)
			must(t, err)
			t.Cleanup(link.Close)
			links = append(links, link)
			return open(t, redis.Options{URL: link.URL(), Timeout: 200 * time.Millisecond, Pause: 10 * time.Millisecond})
		},
		Breaks: func(ctx context.Context) {
			random := rand.New(rand.NewPCG(rand.Uint64(), 0))
			for wait.For(ctx, time.Duration(random.IntN(40))*time.Millisecond) == nil {
				if err := breakOnce(ctx, random, server, links[random.IntN(len(links))]); err != nil {
					t.Error(err)
					return
				}
			}
		},
	})
}

// breakOnce breaks a link or the server for a moment, and repairs it.
func breakOnce(ctx context.Context, random *rand.Rand, server *redistest.Server, link *redistest.Link) error {
	pause := func() { _ = wait.For(ctx, time.Duration(random.IntN(150))*time.Millisecond) } // if ctx ends, the repair follows at once
	switch random.IntN(8) {
	case 0:
		if err := server.Pause(); err != nil {
			return err
		}
		pause()
		return server.Resume()
	case 1:
		server.Kill()
		pause()
		return server.Restart(context.WithoutCancel(ctx))
	default:
		mend, err := link.Trouble(ctx, random)
		if err != nil {
			return err
		}
		pause()
		mend()
		return nil
	}
}
