package alternatives

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/roomtest"
	"heddle/internal/wait"
	"heddle/store"
)

const (
	ttl     = 3 * time.Second
	channel = graph.ChannelID(5)
	head    = graph.MessageID(7)
)

// locksOf returns the locks of one process that shares a store.
func locksOf(shared *store.Store) *locks {
	return newLocks(shared.Claims, work.NewLeases(shared.Claims, ttl))
}

// lock locks the answer that begins with head.
func lock(t *testing.T, l *locks) (release func()) {
	t.Helper()
	release, err := l.lock(t.Context(), slog.New(slog.DiscardHandler), channel, head)
	if err != nil {
		t.Fatal(err)
	}
	return release
}

func TestALockIsWaitedForUntilAnotherProcessReleasesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := roomtest.OpenStore(t)
		mine, theirs := locksOf(shared), locksOf(shared)
		release := lock(t, theirs)
		const changing = ttl / 2
		go func() {
			_ = wait.For(t.Context(), changing)
			release()
		}()
		began := time.Now()
		releaseMine := lock(t, mine)
		if took := time.Since(began); took < changing || took > changing+lockPause {
			t.Errorf("a lock that was held for %s was taken after %s, want that long and at most %s more", changing, took, lockPause)
		}
		releaseMine()
	})
}

func TestALockThatIsHeldForLongIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := roomtest.OpenStore(t)
		defer lock(t, locksOf(shared))() // it is renewed for as long as it is held
		mine := locksOf(shared)
		began := time.Now()
		_, err := mine.lock(t.Context(), slog.New(slog.DiscardHandler), channel, head)
		if !errors.Is(err, store.ErrHeld) || mine.holds(channel) {
			t.Errorf("locking fails with %v, and counts as held: %t; want %v and false", err, mine.holds(channel), store.ErrHeld)
		}
		if took := time.Since(began); took < ttl-lockPause || took > ttl+lockPause {
			t.Errorf("the lock was given up after %s, want %s", took, ttl)
		}
		release, err := mine.lock(t.Context(), slog.New(slog.DiscardHandler), channel, head+1)
		if err != nil {
			t.Fatalf("another answer cannot be locked: %v", err)
		}
		release()
	})
}

// slow is a store far away: each look-up takes a while, or until its context ends.
type slow struct {
	*store.Claims
	*store.Responses

	takes time.Duration
}

func (s slow) Claim(ctx context.Context, key store.ClaimKey, ttl time.Duration) (store.Lease, error) {
	if err := wait.For(ctx, s.takes); err != nil {
		return store.Lease{}, err
	}
	return s.Claims.Claim(ctx, key, ttl)
}

func (s slow) Recall(ctx context.Context, scope store.Scope, replies []graph.MessageID) (map[graph.MessageID]store.Recalled, error) {
	if err := wait.For(ctx, s.takes); err != nil {
		return nil, err
	}
	return s.Responses.Recall(ctx, scope, replies)
}

// TestALockIsHeldEvenIfTimeRunsOutDuringAnAttempt proves that callers learn why they
// waited in vain: an edit is tried again only then.
func TestALockIsHeldEvenIfTimeRunsOutDuringAnAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := roomtest.OpenStore(t)
		defer lock(t, locksOf(shared))()
		const takes = 80 * time.Millisecond // 3 s are 23 attempts and pauses, and a part of an attempt
		mine := newLocks(slow{Claims: shared.Claims, takes: takes}, work.NewLeases(shared.Claims, ttl))
		if _, err := mine.lock(t.Context(), slog.New(slog.DiscardHandler), channel, head); !errors.Is(err, store.ErrHeld) {
			t.Errorf("locking fails with %v, want %v", err, store.ErrHeld)
		}
	})
}

func TestTheLockOfAProcessThatDiedIsTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := roomtest.OpenStore(t)
		dead, err := shared.Claims.Claim(t.Context(), store.DisplayClaim(head), ttl/2)
		if err != nil {
			t.Fatal(err)
		}
		release := lock(t, locksOf(shared))
		if err := shared.Claims.Release(t.Context(), dead); err != nil { // it was not dead after all
			t.Fatal(err)
		}
		if _, err := shared.Claims.Claim(t.Context(), store.DisplayClaim(head), ttl); !errors.Is(err, store.ErrHeld) {
			t.Errorf("a process that lost the lock released it: %v, want %v", err, store.ErrHeld)
		}
		release()
		if _, err := shared.Claims.Claim(t.Context(), store.DisplayClaim(head), ttl); err != nil {
			t.Errorf("the lock was not released: %v", err)
		}
	})
}

func TestALockEndsNoEarlierThanItsHolderEvenAtShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := roomtest.OpenStore(t)
		mine := locksOf(shared)
		ctx, stop := context.WithCancel(t.Context())
		release, err := mine.lock(ctx, slog.New(slog.DiscardHandler), channel, head)
		if err != nil {
			t.Fatal(err)
		}
		stop()
		_ = wait.For(t.Context(), 10*ttl)
		if _, err := shared.Claims.Claim(t.Context(), store.DisplayClaim(head), ttl); !errors.Is(err, store.ErrHeld) {
			t.Errorf("the lock ended with its context: %v, want %v", err, store.ErrHeld)
		}
		release()
	})
}

func TestNobodyWaitsForALockAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := roomtest.OpenStore(t)
		defer lock(t, locksOf(shared))()
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			_ = wait.For(t.Context(), time.Second)
			stop()
		}()
		began := time.Now()
		if _, err := locksOf(shared).lock(ctx, slog.New(slog.DiscardHandler), channel, head); err == nil {
			t.Error("a lock that is held was taken, want an error")
		}
		if took := time.Since(began); took > time.Second+lockPause {
			t.Errorf("the wait ended after %s, want at most %s", took, time.Second+lockPause)
		}
	})
}

func TestAnOutageIsNotWaitedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := roomtest.OpenStore(t)
		if err := shared.Close(); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err := locksOf(shared).lock(t.Context(), slog.New(slog.DiscardHandler), channel, head)
		if !errors.Is(err, store.ErrUnavailable) || time.Since(began) != 0 {
			t.Errorf("locking fails with %v after %s, want %v and 0", err, time.Since(began), store.ErrUnavailable)
		}
	})
}

func TestLocksAreCountedByChannel(t *testing.T) {
	t.Parallel()
	l := newLocks(nil, nil)
	one, two, other := l.begin(channel), l.begin(channel), l.begin(channel+1)
	one()
	if !l.holds(channel) || !l.holds(channel+1) {
		t.Error("a lock that is held is not counted")
	}
	two()
	if l.holds(channel) || !l.holds(channel+1) {
		t.Error("a lock that was released is counted, want only the other channel's")
	}
	if other(); len(l.held) != 0 {
		t.Errorf("channels without locks are remembered: %v, want none", l.held)
	}
}
