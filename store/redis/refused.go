package redis

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"time"
)

// refusedError is why Redis refuses connections. It wraps nothing, as go-redis returns
// only what an error of a new connection wraps.
type refusedError struct{ reason string }

func (e refusedError) Error() string { return "it refuses connections: " + e.reason }

// dialer connects to Redis without TLS.
type dialer struct {
	net      net.Dialer
	patience time.Duration // for what Redis says to a new connection
}

func newDialer(patience time.Duration) *dialer {
	return &dialer{net: net.Dialer{Timeout: patience}, patience: patience}
}

// dial connects to Redis.
func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := d.net.DialContext(ctx, network, address)
	if plain, ok := c.(plainConn); ok {
		return &conn{plainConn: plain, dialer: d}, err
	}
	return c, err
}

// plainConn is a connection without TLS. go-redis looks by a system call whether it
// still stands.
type plainConn interface {
	net.Conn
	syscall.Conn
}

// conn is a connection that tells why Redis refuses it, be it that too many clients are
// connected, or that Redis is in protected mode and this is another machine. Redis says
// so before it is asked anything, and closes. go-redis asks at once, so it finds a
// broken pipe, or takes the refusal for the answer to its first command, which old
// servers do not know either, and goes on.
type conn struct {
	plainConn
	dialer *dialer
	heard  bool // Redis has said something other than a refusal
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.plainConn.Read(b)
	if c.heard {
		return n, err
	}
	if refusal := refusalOf(string(b[:n])); refusal != nil {
		return 0, refusal
	}
	c.heard = n > 0
	return n, c.reason(err)
}

func (c *conn) Write(b []byte) (int, error) {
	n, err := c.plainConn.Write(b)
	return n, c.reason(err)
}

// reason returns why Redis closed a connection on which it was not heard, or else err.
// It connects once more and waits for what Redis says.
func (c *conn) reason(err error) error {
	if c.heard || !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
		return err
	}
	at := c.RemoteAddr()
	again, failed := c.dialer.net.Dial(at.Network(), at.String())
	if failed != nil {
		return err
	}
	defer again.Close() //nolint:errcheck // nothing was written
	if again.SetReadDeadline(time.Now().Add(c.dialer.patience)) != nil {
		return err
	}
	said := make([]byte, 512)
	n, _ := again.Read(said)
	if refusal := refusalOf(string(said[:n])); refusal != nil {
		return refusal
	}
	return err
}

// refusalOf returns the error that a refusal says, or nil if it is none.
func refusalOf(said string) error {
	for _, refusal := range []string{"-DENIED ", "-ERR max number of clients "} {
		if strings.HasPrefix(said, refusal) {
			reason, _, _ := strings.Cut(strings.TrimSpace(said[1:]), ". ")
			return refusedError{reason}
		}
	}
	return nil
}
