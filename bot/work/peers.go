package work

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"heddle/internal/wait"
)

// Registry knows the processes that share a store; store.Claims is one.
type Registry interface {
	// Join says that a process lives, for ttl from now, and returns how many others do.
	Join(ctx context.Context, process string, ttl time.Duration) (others int, err error)
}

// Alone reports whether no other process shared the store when it could last be asked.
// A process that is alone goes on answering while the store is away; of several, each
// answers only what it holds a lease for.
func (l *Leases) Alone() bool { return !l.others.Load() }

// Follow keeps Alone true to what a registry knows, until ctx ends.
func (l *Leases) Follow(ctx context.Context, log *slog.Logger, registry Registry) {
	process := rand.Text()
	for {
		if others, err := registry.Join(ctx, process, l.ttl); err == nil { // the store logs its outages
			l.note(ctx, log, others > 0)
		}
		if wait.For(ctx, l.ttl/3) != nil {
			return
		}
	}
}

// note notes whether other processes share the store, and logs it if that is new.
func (l *Leases) note(ctx context.Context, log *slog.Logger, others bool) {
	switch {
	case l.others.Swap(others) == others:
	case others:
		log.InfoContext(ctx, "other processes share the store: while it is away, only claims that are held are answered")
	default:
		log.InfoContext(ctx, "no other process shares the store any more")
	}
}
