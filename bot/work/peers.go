package work

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"

	"heddle/internal/wait"
)

// Alone reports whether no other process shared the store when it was last reached.
// While the store is away, a process that is alone keeps answering. A process that is
// not alone answers only questions for which it holds a lease.
func (l *Leases) Alone() bool { return !l.several && !l.others.Load() }

// apart is how many times in a row the registry must list no other process before this
// process counts as alone. Once is not enough: if the registry lost its data, other
// processes join it again only within a third of a lease.
const apart = 4

// nameOfProcess returns a unique name of this process. It contains the host and the
// process id, so that an operator can find the process.
func nameOfProcess() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d/%s", host, os.Getpid(), rand.Text())
}

// Follow joins the processes that share the store and keeps Alone up to date until ctx ends.
func (l *Leases) Follow(ctx context.Context, log *slog.Logger) {
	process, seen := nameOfProcess(), 0 // seen counts down to 0, at which this process is alone
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), StoreTimeout)
		defer cancel()
		if err := l.claims.Leave(ending, process); err != nil {
			log.DebugContext(ending, "this process could not leave the list of processes, its entry expires by itself", "error", err)
		}
	}()
	for {
		if others, err := l.claims.Join(ctx, process, l.ttl); err == nil { // the store logs its outages
			if seen = max(0, seen-1); others > 0 {
				seen = apart
			}
			l.note(ctx, log, seen > 0)
		}
		if wait.For(ctx, l.ttl/3) != nil {
			return
		}
	}
}

// note records whether other processes share the store, and logs a change.
func (l *Leases) note(ctx context.Context, log *slog.Logger, others bool) {
	switch {
	case l.others.Swap(others) == others:
	case others:
		log.InfoContext(ctx, "other processes share the store; during an outage of it this process answers only what it has already claimed")
	default:
		log.InfoContext(ctx, "no other process shares the store any more; during an outage of it this process keeps answering")
	}
}
