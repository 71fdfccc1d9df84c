package llm_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"heddle/graph/path"
	"heddle/internal/errtest"
	"heddle/internal/leaktest"
	"heddle/internal/openaitest"
	"heddle/llm"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// setup returns a server and a client that waits long for the server, and does not
// pause between attempts.
func setup(tb testing.TB, change func(*llm.Config)) (*openaitest.Server, *llm.Client) {
	tb.Helper()
	return setupOver(tb, openaitest.Config{}, change)
}

func setupOver(tb testing.TB, serving openaitest.Config, change func(*llm.Config)) (*openaitest.Server, *llm.Client) {
	tb.Helper()
	server := errtest.Must(openaitest.Start(serving))(tb)
	config := llm.Config{BaseURL: server.URL(), APIKey: "key", Model: "test-model", Backoff: time.Nanosecond}
	if change != nil {
		change(&config)
	}
	client := errtest.Must(llm.New(config))(tb)
	tb.Cleanup(func() {
		client.Close()
		if err := server.Close(); err != nil {
			tb.Error(err)
		}
	})
	return server, client
}

func said(speaker string, texts ...string) path.Turn {
	turn := path.Turn{Role: path.RoleUser, Speaker: speaker}
	for _, text := range texts {
		turn.Parts = append(turn.Parts, path.Text(text))
	}
	return turn
}

func question() llm.Request {
	return llm.Request{Path: path.Path{Turns: []path.Turn{
		{Role: path.RoleSystem, Parts: []path.Part{path.Text(llm.System("Be kind."))}},
		said("Ada", "hello"),
	}}}
}

// stream asks and checks that the pieces add up to the answer's text.
func stream(ctx context.Context, tb testing.TB, client *llm.Client, request llm.Request) (llm.Answer, error) {
	tb.Helper()
	var pieces strings.Builder
	request.Again = pieces.Reset
	answer, err := client.Stream(ctx, request, func(piece string) { pieces.WriteString(piece) })
	if pieces.String() != answer.Text {
		tb.Errorf("the pieces are %q, want the answer's text %q", &pieces, answer.Text)
	}
	return answer, err
}

func mustStream(tb testing.TB, client *llm.Client, request llm.Request) llm.Answer {
	tb.Helper()
	return errtest.Must(stream(tb.Context(), tb, client, request))(tb)
}

// failure makes a request, and fails the test unless it fails with the given kind.
func failure(tb testing.TB, client *llm.Client, want llm.Kind) (llm.Answer, *llm.Error) {
	tb.Helper()
	answer, err := stream(tb.Context(), tb, client, question())
	var typed *llm.Error
	if !errors.As(err, &typed) || typed.Kind != want {
		tb.Fatalf("the error is %v (%T), want one of the kind %q", err, err, want)
	}
	return answer, typed
}

func lastRequest(tb testing.TB, server *openaitest.Server) openaitest.Request {
	tb.Helper()
	requests := server.Requests()
	if len(requests) == 0 {
		tb.Fatal("no request came")
	}
	return requests[len(requests)-1]
}

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
