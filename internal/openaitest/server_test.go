package openaitest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"heddle/internal/errtest"
	"heddle/internal/leaktest"
	"heddle/internal/openaitest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func start(t *testing.T, config openaitest.Config) *openaitest.Server {
	t.Helper()
	server := errtest.Must(openaitest.Start(config))(t)
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return server
}

func post(ctx context.Context, t *testing.T, server *openaitest.Server, body string) (*http.Response, error) {
	t.Helper()
	request := errtest.Must(http.NewRequestWithContext(ctx, http.MethodPost, server.URL()+"/chat/completions", strings.NewReader(body)))(t)
	return http.DefaultClient.Do(request)
}

func ask(t *testing.T, server *openaitest.Server, body string) string {
	t.Helper()
	response, err := post(t.Context(), t, server, body)
	errtest.None(t, err)
	answer, err := io.ReadAll(response.Body)
	errtest.None(t, errors.Join(err, response.Body.Close()))
	return string(answer)
}

const streamed = `{"model":"m","stream":true,"stream_options":{"include_usage":true},"logprobs":true,` +
	`"messages":[{"role":"user","content":"hi"},{"role":"user","content":[{"type":"text","text":"see"},` +
	`{"type":"image_url","image_url":{"url":"data:x","detail":"low"}}]}]}`

func TestAnswersComeWholeWhereNoStreamIsAsked(t *testing.T) {
	server := start(t, openaitest.Config{})
	server.Queue(openaitest.Answer("Hel", "lo"), openaitest.Call(openaitest.ToolCall{ID: "c1", Name: "search", Arguments: "{}"}))

	if answer := ask(t, server, `{"model":"m","messages":[]}`); !strings.Contains(answer, `"content":"Hello"`) {
		t.Errorf("the answer is %s, want %q in it", answer, `"content":"Hello"`)
	}
	if answer := ask(t, server, `{"model":"m","messages":[]}`); !strings.Contains(answer, `"name":"search"`) {
		t.Errorf("the call is %s, want %q in it", answer, `"name":"search"`)
	}
}

func TestCloseEndsAStalledAnswer(t *testing.T) {
	server := start(t, openaitest.Config{})
	reply := openaitest.Answer("never")
	reply.Wait = make(chan struct{})
	server.Queue(reply)

	failed := make(chan error, 1)
	go func() {
		response, err := post(context.WithoutCancel(t.Context()), t, server, streamed)
		if err == nil {
			_ = response.Body.Close()
		}
		failed <- err
	}()
	errtest.Must(server.Await(t.Context(), 1))(t)
	errtest.None(t, server.Close())
	if err := <-failed; err == nil {
		t.Error("a stalled answer was sent although the server closed")
	}
}

func TestModelsAreListed(t *testing.T) {
	server := start(t, openaitest.Config{Models: []string{"a", "b"}})
	request := errtest.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL()+"/models", http.NoBody))(t)
	response, err := http.DefaultClient.Do(request)
	errtest.None(t, err)
	list, err := io.ReadAll(response.Body)
	errtest.None(t, errors.Join(err, response.Body.Close()))
	if !strings.Contains(string(list), `"id":"a"`) || !strings.Contains(string(list), `"id":"b"`) {
		t.Errorf("the list is %s, want a and b in it", list)
	}
}
