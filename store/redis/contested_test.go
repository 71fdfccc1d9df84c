package redis_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/redistest"
	"heddle/internal/wait"
	"heddle/store"
	"heddle/store/redis"
)

// TestClaimsAreExclusive lets processes claim, renew, release and finish the same keys while
// the server, which stores each write before it answers, is paused, killed and restarted, and
// its clients are cut off. Nobody may get a claim while another process may rely on it, nor
// after the key is done.
func TestClaimsAreExclusive(t *testing.T) {
	t.Parallel()
	const contenders, contested = 4, 20
	server := started(redistest.StartDurable(t.Context()))(t)
	breaking, mend := context.WithCancel(t.Context())
	var broken sync.WaitGroup
	broken.Go(func() {
		for wait.For(breaking, rand.N(40*time.Millisecond)) == nil {
			if err := breakOnce(breaking, server); err != nil {
				t.Error(err)
				return
			}
		}
	})
	held := 0
	for claim := range contested {
		c := &contest{key: store.TriggerClaim(graph.MessageID(claim + 1))}
		var group sync.WaitGroup
		for range contenders {
			engine := open(t, redis.Options{URL: server.URL(), Timeout: 200 * time.Millisecond, Pause: 10 * time.Millisecond})
			group.Go(func() { c.competes(t.Context(), store.New(engine, store.Options{}).Claims) })
		}
		group.Wait()
		c.check(t)
		held += len(c.spans)
	}
	mend()
	broken.Wait()
	if held < contested/2 {
		t.Errorf("claims were held %d times, want %d at least", held, contested/2)
	}
}

// breakOnce breaks the server for a moment, and repairs it.
func breakOnce(ctx context.Context, server *redistest.Server) error {
	pause := func() { _ = wait.For(ctx, rand.N(150*time.Millisecond)) } // if ctx ends, the repair follows at once
	switch rand.IntN(4) {
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
		if _, err := server.Do(ctx, "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"); ctx.Err() == nil {
			return err
		}
		return nil
	}
}

// contest is a claim that several processes compete for. mu guards the fields below it.
type contest struct {
	key store.ClaimKey

	mu    sync.Mutex
	spans []*span
	done  time.Time // when a process was told that the key is done
}

// span is a time in which a process relied on the claim. It began to ask for it at asked.
type span struct{ asked, from, until time.Time }

// competes tries to get a claim, and then uses it in one of the ways in which it ends. The
// leases are short enough that they expire while other processes wait.
func (c *contest) competes(ctx context.Context, claims *store.Claims) {
	const attempts, lasts = 10, 60 * time.Millisecond
	for tried := 0; tried < attempts; {
		asked := time.Now()
		lease, err := claims.Claim(ctx, c.key, lasts)
		if errors.Is(err, store.ErrDone) {
			return
		}
		if !errors.Is(err, store.ErrUnavailable) { // another attempt makes up for it
			tried++
		}
		if err != nil {
			_ = wait.For(ctx, time.Millisecond) // Claim finds out what ended it
			continue
		}
		s := &span{asked, time.Now(), lease.Until}
		c.change(func() { c.spans = append(c.spans, s) })
		for err == nil && rand.IntN(3) > 0 {
			if lease, err = claims.Renew(ctx, lease, lasts); err == nil {
				c.change(func() { s.until = lease.Until })
			}
		}
		end := func() { s.until = earlier(s.until, time.Now()) }
		switch rand.IntN(8) {
		case 0:
			c.change(end)
			if claims.Done(ctx, lease, "answered") == nil {
				c.change(func() { c.done = time.Now() })
			}
		case 1, 2, 3, 4:
			c.change(end)
			_ = claims.Release(ctx, lease) // if it fails, the lease ends by itself
		default: // the process forgets the lease
		}
	}
}

func (c *contest) change(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// check fails the test if something happened that must not.
func (c *contest) check(t *testing.T) {
	t.Helper()
	const grain = 2 * time.Millisecond // with which engines measure the ends of leases
	for i, a := range c.spans {
		if !c.done.IsZero() && a.asked.After(c.done) {
			t.Errorf("%s was claimed after it was done", c.key)
		}
		for _, b := range c.spans[i+1:] {
			from := a.from
			if b.from.After(from) {
				from = b.from
			}
			if both := earlier(a.until, b.until).Sub(from); both > grain {
				t.Errorf("two processes held %s for %s", c.key, both)
			}
		}
	}
}
