package alternatives

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/wait"
	"heddle/store"
)

// lockPause is the pause before another attempt to get something that another goroutine
// or process has locked or is about to store.
const lockPause = 50 * time.Millisecond

// claims lets one process at a time do something, and lets it be done only once.
// store.Claims does.
type claims interface {
	// Claim fails with store.ErrHeld or store.ErrDone if somebody else does or did it.
	Claim(ctx context.Context, key store.ClaimKey, ttl time.Duration) (store.Lease, error)
	// IsDone reports whether a key has its done-mark, and with what outcome.
	IsDone(ctx context.Context, key store.ClaimKey) (outcome string, done bool, err error)
}

// locks locks answers while the messages that show them change, so that presses by two
// people, even in two processes, are handled one after the other.
//
// mu guards held; it is never held over I/O.
type locks struct {
	claims claims
	leases *work.Leases

	mu   sync.Mutex
	held map[graph.ChannelID]int // the number of answers that this process has locked
}

func newLocks(claims claims, leases *work.Leases) *locks {
	return &locks{claims: claims, leases: leases, held: make(map[graph.ChannelID]int)}
}

// lock locks the answer that begins with a message until release is called. It fails with
// store.ErrHeld if somebody holds the lock for longer than a lease lasts, which only a
// process that is alive can do.
func (l *locks) lock(ctx context.Context, log *slog.Logger, channel graph.ChannelID, head graph.MessageID) (release func(), err error) {
	patient, cancel := context.WithTimeout(ctx, l.leases.TTL())
	defer cancel()
	var held error
	for {
		lease, err := l.claims.Claim(patient, store.DisplayClaim(head), l.leases.TTL())
		switch {
		case err == nil:
			end, free := l.begin(channel), l.leases.Keep(ctx, log, lease)
			return func() { free(); end() }, nil
		case errors.Is(err, store.ErrHeld):
			held = err
		case held == nil || patient.Err() == nil:
			return nil, fmt.Errorf("lock an answer: %w", err)
		} // otherwise time ran out during the last attempt while somebody held the lock
		if wait.For(patient, lockPause) != nil {
			return nil, fmt.Errorf("lock an answer: %w", held)
		}
	}
}

// begin counts a lock in a channel until the returned end is called.
func (l *locks) begin(channel graph.ChannelID) (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[channel]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.held[channel]--; l.held[channel] == 0 {
			delete(l.held, channel)
		}
	}
}

// holds reports whether this process has locked an answer in a channel.
func (l *locks) holds(channel graph.ChannelID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held[channel] > 0
}
