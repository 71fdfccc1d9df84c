package gateway

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// link is one connection of a session, from dialling to its end. It can be cut at any
// moment, and remembers the first reason.
type link struct {
	session *session
	// resumption is the payload that resumes the session after the event with the number
	// sequence. It is nil if the connection is to identify.
	resumption json.RawMessage
	sequence   int64
	ended      chan struct{} // closed once discordgo has noticed the end
	dead       chan struct{} // closed once the link is cut

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

// newLink prepares the next connection of s. The caller holds the lock of s.
func newLink(ctx context.Context, s *session) *link {
	cfg := &s.gateway.cfg
	ctx, cancel := context.WithCancel(ctx)
	l := &link{session: s, ended: make(chan struct{}), dead: make(chan struct{}), cancel: cancel}
	if s.alive {
		l.resumption, l.sequence = s.resumptionLocked(), s.sequence
	}
	l.dialing = func(network, addr string) (net.Conn, error) {
		return dialThrough(ctx, cfg.Proxy, network, addr)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.silence = time.AfterFunc(cfg.OpenTimeout, func() { l.kill(l.silent()) })
	return l
}

// silent returns the error for a server that has fallen silent, which depends on how
// far the connection is.
func (l *link) silent() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open {
		return errStalled
	}
	return errSilent
}

// resumes reports whether the connection resumes the session.
func (l *link) resumes() bool { return l.resumption != nil }

// dialPlain dials ws addresses for discordgo. It uses the link's context, because the
// one that discordgo passes never ends.
func (l *link) dialPlain(_ context.Context, network, addr string) (net.Conn, error) {
	return l.dial(network, addr, nil)
}

// dialTLS dials wss addresses for discordgo.
func (l *link) dialTLS(_ context.Context, network, addr string) (net.Conn, error) {
	return l.dial(network, addr, tlsFor(l.session.gateway.cfg.TLS, addr))
}

// dial connects, with TLS if config is given, and taps the connection.
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
		conn = tls.Client(conn, config) // the handshake comes with the first write
	}
	return newTap(conn, l), nil
}

// kill cuts the connection.
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

// release closes the connection and stops the timer, unless that was done before.
func (l *link) release() { l.kill(errEnded) }

// end is called when discordgo has noticed the end of the connection.
func (l *link) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.over = true
		close(l.ended)
	}
}

// deliver passes an event to the gateway's handler.
func (l *link) deliver(name string, data json.RawMessage) error {
	return l.session.gateway.deliver(l, name, data)
}

// handled notes that the event with this number was handled.
func (l *link) handled(sequence int64) { l.session.handled(l, sequence) }

// dropped counts a payload that could not be read.
func (l *link) dropped(name string) { l.session.gateway.drop(name) }

// hello is called on HELLO, which is answered at once by identifying or resuming. READY must follow within ReadyTimeout. hello fails if the turn to identify is over.
func (l *link) hello(interval time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.interval = interval
	if l.resumes() || l.open {
		return nil
	}
	if until := l.session.until; !until.IsZero() && time.Now().After(until) {
		return errLate
	}
	if l.why == nil {
		l.silence.Reset(l.session.gateway.cfg.ReadyTimeout)
	}
	return nil
}

// received is called on every payload. The events that were missed come before RESUMED.
// They may take long, as long as each comes within OpenTimeout of the one before.
func (l *link) received() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why == nil && !l.open && l.resumes() {
		l.silence.Reset(l.session.gateway.cfg.OpenTimeout)
	}
}

// opened is called on READY and RESUMED. From now on heartbeats must be answered.
func (l *link) opened() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = true
	l.watchLocked()
}

// acked is called when a heartbeat was answered.
func (l *link) acked() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open {
		l.watchLocked()
	}
}

// watchLocked starts the timer for the next heartbeat. discordgo sends it one interval
// from now, and Discord must answer it within another three tenths of an interval.
func (l *link) watchLocked() {
	interval := l.interval
	if interval == 0 { // HELLO has not come
		interval = time.Minute
	}
	if l.why == nil {
		l.silence.Reset(interval * 13 / 10)
	}
}

// linkState is how far a link is.
type linkState uint8

const (
	linkUnreached linkState = iota
	linkConnected           // a connection was made
	linkOpen                // events have flowed
)

func (l *link) state() linkState {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.open:
		return linkOpen
	case l.conn != nil:
		return linkConnected
	default:
		return linkUnreached
	}
}

// reason returns why the link was cut, or err if it was not.
func (l *link) reason(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why != nil && !errors.Is(l.why, errEnded) {
		return l.why
	}
	return err
}
