package llm_test

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"heddle/internal/openaitest"
	"heddle/llm"
)

// pipes is a network in memory. With it whole exchanges take place in synctest's time,
// in which durations are exact.
type pipes struct {
	dialed chan net.Conn
	closed chan struct{}
	close  func()
	dials  atomic.Int32
}

func newPipes() *pipes {
	p := &pipes{dialed: make(chan net.Conn), closed: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.closed) })
	return p
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.dialed:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.close(); return nil }

func (p *pipes) Addr() net.Addr { return p }

func (p *pipes) Network() string { return "pipe" }

func (p *pipes) String() string { return "pipe" }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	p.dials.Add(1)
	client, server := net.Pipe()
	select {
	case p.dialed <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// setupPiped is setup over a network in memory, within synctest.
func setupPiped(t *testing.T, change func(*llm.Config)) (*openaitest.Server, *llm.Client) {
	t.Helper()
	return newPipes().setup(t, change)
}

func (p *pipes) setup(t *testing.T, change func(*llm.Config)) (*openaitest.Server, *llm.Client) {
	t.Helper()
	server, client := setupOver(t, openaitest.Config{Listener: p}, change)
	client.DialWith(p.dial)
	return server, client
}
