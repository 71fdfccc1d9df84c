package chaos_test

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"heddle/internal/wait"
)

// relay forwards the requests of a process to its Redis, and stops at a given one.
type relay struct {
	turnstile

	listener net.Listener
	to       string       // Redis' socket
	after    bool         // the request at which it stops reaches Redis, and the answer is lost
	delay    atomic.Int64 // of each request, a time.Duration
}

func newRelay(ctx context.Context, t *testing.T, to string) (*relay, error) {
	t.Helper()
	r := &relay{turnstile: newTurnstile(), to: to}
	var err error
	r.listener, err = listens(ctx, t, r.serve)
	return r, err
}

// url returns the REDIS_URL for the process.
func (r *relay) url() string { return "unix://" + r.listener.Addr().String() + "?read_timeout=300ms" }

func (r *relay) serve(ctx context.Context, from net.Conn) {
	defer func() { _ = from.Close() }()
	var dialer net.Dialer
	to, err := dialer.DialContext(ctx, "unix", r.to)
	if err != nil {
		return
	}
	defer func() { _ = to.Close() }()
	var mute sync.Mutex // locked for good once answers are lost
	var answering sync.WaitGroup
	defer answering.Wait()
	defer func() { _ = to.Close() }()
	answering.Go(func() {
		buffer := make([]byte, 64<<10)
		for {
			n, err := to.Read(buffer)
			if err != nil {
				return
			}
			mute.Lock()
			_, err = from.Write(buffer[:n])
			mute.Unlock()
			if err != nil {
				return
			}
		}
	})
	muted := false
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			break
		}
		if wait.For(ctx, time.Duration(r.delay.Load())) != nil {
			break
		}
		passes, first := r.pass()
		if !passes && !muted {
			mute.Lock()
			muted = true
		}
		if passes || first && r.after {
			if _, err := to.Write(buffer[:n]); err != nil {
				break
			}
		}
	}
	if muted {
		_ = from.Close()
		mute.Unlock()
	}
}
