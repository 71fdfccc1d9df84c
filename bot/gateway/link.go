package gateway

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// link is one connection of a session, from dialling to its end. It can be cut
// from outside at any moment, with the reason kept.
type link struct {
	ended chan struct{} // discordgo has noticed the end
	dead  chan struct{} // cut from outside

	mu       sync.Mutex
	conn     net.Conn
	why      error
	over     bool
	silence  *time.Timer   // cuts the link when Discord is silent
	interval time.Duration // of heartbeats; 0 before HELLO
	open     bool          // READY or RESUMED has come
	cancel   context.CancelFunc
	dialing  func(network, addr string) (net.Conn, error)
}

func newLink(ctx context.Context, cfg *Config) *link {
	ctx, cancel := context.WithCancel(ctx)
	l := &link{ended: make(chan struct{}), dead: make(chan struct{}), cancel: cancel}
	l.dialing = func(network, addr string) (net.Conn, error) {
		return dialThrough(ctx, cfg.Proxy, network, addr)
	}
	l.silence = time.AfterFunc(cfg.OpenTimeout, func() { l.kill(l.silent()) })
	return l
}

// silent is what silence means at the moment.
func (l *link) silent() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open {
		return errStalled
	}
	return errSilent
}

// dial connects, with TLS where config is given, and taps the connection.
func (l *link) dial(network, addr string, config *tls.Config) (net.Conn, error) {
	conn, err := l.dialing(network, addr)
	if err != nil {
		return nil, fmt.Errorf("reach the gateway: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why != nil {
		_ = conn.Close()
		return nil, l.why
	}
	l.conn = conn
	if config != nil {
		conn = tls.Client(conn, config) // its handshake comes with the first write
	}
	return newTap(conn, l), nil
}

// kill cuts the connection. The first reason is kept.
func (l *link) kill(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why != nil {
		return
	}
	l.why = why
	l.silence.Stop()
	l.cancel()
	if l.conn != nil {
		_ = l.conn.Close()
	}
	close(l.dead)
}

// release frees what a link holds, whatever became of it.
func (l *link) release() { l.kill(errEnded) }

// end notes that discordgo has noticed the end.
func (l *link) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.over = true
		close(l.ended)
	}
}

// awaitEnd waits until discordgo has noticed the end, for at most d.
func (l *link) awaitEnd(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-l.ended:
		return true
	case <-timer.C:
		return false
	}
}

// hello starts the watch over heartbeats.
func (l *link) hello(interval time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.interval = interval
}

// opened ends the time for opening and begins that of heartbeats.
func (l *link) opened() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = true
	l.watchLocked()
}

// acked notes that a heartbeat was answered.
func (l *link) acked() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open {
		l.watchLocked()
	}
}

// watchLocked allows two heartbeats without an answer.
func (l *link) watchLocked() {
	const missed = 2
	interval := l.interval
	if interval == 0 { // HELLO was not seen
		interval = time.Minute
	}
	if l.why == nil {
		l.silence.Reset(missed*interval + interval/2)
	}
}

// reason is why the link was cut, or else err.
func (l *link) reason(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why != nil && !errors.Is(l.why, errEnded) {
		return l.why
	}
	return err
}
