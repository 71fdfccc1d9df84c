package tools

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ping returns nil if the server of a session shows any sign of life.
func ping(ctx context.Context, session *mcp.ClientSession) error {
	limited, cancel := context.WithTimeout(ctx, pinging)
	defer cancel()
	err := session.Ping(limited, nil)
	failure, answered := errors.AsType[answerError](err)
	refusal, refused := errors.AsType[*jsonrpc.Error](err)
	switch {
	case isLost(session, err):
		return errLost
	case answered && failure.status < http.StatusInternalServerError && failure.status != http.StatusUnauthorized:
		return nil
	case !answered && refused && refusal.Code != unsent:
		return nil
	}
	return err //nolint:wrapcheck // problem tells it
}

// connection is a session, with what ends it.
type connection struct {
	session *mcp.ClientSession
	cancel  context.CancelFunc
	running *sync.WaitGroup // what ends with the session
}

// ended returns a channel that gets the reason for which the session has ended.
func (c *connection) ended() <-chan error {
	ended := make(chan error, 1)
	c.running.Go(func() { ended <- c.session.Wait() })
	return ended
}

// end ends a session. It waits no longer than farewell for a server that does not answer.
func (c *connection) end() {
	ended := make(chan struct{})
	c.running.Go(func() {
		defer close(ended)
		_ = c.session.Close() // it is gone anyway
		c.cancel()
	})
	select {
	case <-ended:
		c.running.Wait()
	case <-time.After(farewell):
		c.cancel()
	}
}

// way is how a server may be spoken to.
type way struct {
	version string // of the protocol; "": the newest
	legacy  bool
}

// reach connects the server. A server that refuses the usual way is asked in the others: some
// speak the newest version alone, and some the ways of 2024.
func (s *server) reach(ctx context.Context) (*connection, error) {
	const usual = "2025-11-25" // servers that know a newer one only are rarer than those that do not answer to it
	ways := []way{{version: usual}, {}, {usual, true}}
	switch {
	case s.URL == "":
		ways = ways[:2]
	case s.Legacy:
		ways = ways[2:]
	}
	var first error
	for _, w := range ways {
		c, err := s.connect(ctx, w)
		if err == nil {
			return c, nil
		}
		first = cmp.Or(first, err)
		failure, answered := errors.AsType[answerError](err)
		refusal, refused := errors.AsType[*jsonrpc.Error](err)
		elsewise := answered && failure.status >= http.StatusBadRequest && failure.status < http.StatusInternalServerError &&
			!slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests}, failure.status)
		if !elsewise && (answered || !refused || refusal.Code == unsent) {
			break
		}
	}
	return nil, fmt.Errorf("connect: %w", first)
}

// connect connects the server in one way.
func (s *server) connect(ctx context.Context, w way) (*connection, error) {
	// The context lives as long as the session, as a stream of events needs.
	lasting, cancel := context.WithCancel(ctx)
	patience := time.AfterFunc(reaching, cancel)
	running := new(sync.WaitGroup)
	transport, err := s.transport(ctx, w, running)
	if err != nil {
		cancel()
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "heddle", Version: "1"}, &mcp.ClientOptions{
		Capabilities:           new(mcp.ClientCapabilities), // it may ask nothing of heddle
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { s.changed.Set() },
	})
	session, err := client.Connect(lasting, transport, &mcp.ClientSessionOptions{ProtocolVersion: w.version})
	if err != nil {
		if !patience.Stop() {
			err = context.DeadlineExceeded
		}
		cancel()
		running.Wait()
		return nil, err //nolint:wrapcheck // reach does
	}
	c := &connection{session, cancel, running}
	if !patience.Stop() {
		c.end()
		return nil, context.DeadlineExceeded
	}
	return c, nil
}

// transport returns how the server is spoken to.
//
//nolint:ireturn // the SDK has one for each way
func (s *server) transport(ctx context.Context, w way, running *sync.WaitGroup) (mcp.Transport, error) {
	client := courier{s.Header, w.legacy, running}.client()
	switch {
	case s.URL == "":
		return startProcess(ctx, s.Server)
	case w.legacy:
		return &mcp.SSEClientTransport{Endpoint: s.URL, HTTPClient: client}, nil
	default:
		return &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client}, nil
	}
}

// problem returns what is wrong with a server in heddle's words, as it may be logged: what a
// server says, and its address, may hold anything.
func problem(err error) string {
	failure, answered := errors.AsType[answerError](err)
	refusal, refused := errors.AsType[*jsonrpc.Error](err)
	_, unknown := errors.AsType[*net.DNSError](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case err == nil, errors.Is(err, mcp.ErrConnectionClosed), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return "it closed the connection"
	case answered:
		return failure.problem
	case errors.Is(err, errLost):
		return errLost.Error()
	case refused && refusal.Code != unsent:
		return fmt.Sprintf("it refused, with the code %d", refusal.Code)
	case errors.Is(err, context.DeadlineExceeded):
		return "it did not answer in time"
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return "its command is not found"
	case errors.Is(err, fs.ErrPermission):
		return "its command may not be run"
	case unknown:
		return "its host is not known"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens at its address"
	case untrusted:
		return "its certificate is not trusted"
	}
	return "what it sends cannot be read"
}
