package llm_test

import (
	"context"
	"errors"
	"strings"
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
	if !errors.As(err, &typed) || !errors.Is(err, &llm.Error{Kind: want}) {
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
