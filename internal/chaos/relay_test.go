package chaos_test

import (
	"context"
	"net"
	"path/filepath"
	"sync"
	"testing"

	"heddle/internal/redistest"
)

// relay stands between a process and its Redis, and stops at one request.
type relay struct {
	turnstile

	listener net.Listener
	to       string // Redis' socket
	after    bool   // the request that is stopped reaches Redis, and its answer is lost
}

func newRelay(ctx context.Context, t *testing.T, to string) (*relay, error) {
	t.Helper()
	dir, err := redistest.ShortDir("relay")
	if err != nil {
		return nil, err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "unix", filepath.Join(dir, "s"))
	if err != nil {
		return nil, err
	}
	r := &relay{turnstile: newTurnstile(), listener: listener, to: to}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { r.serve(ctx, from) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		serving.Wait()
	})
	return r, nil
}

// url is where a process finds its Redis.
func (r *relay) url() string { return "unix://" + r.listener.Addr().String() }

func (r *relay) serve(ctx context.Context, from net.Conn) {
	defer func() { _ = from.Close() }()
	var dialer net.Dialer
	to, err := dialer.DialContext(ctx, "unix", r.to)
	if err != nil {
		return
	}
	defer func() { _ = to.Close() }()
	var mute sync.Mutex // locked once answers are lost
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
