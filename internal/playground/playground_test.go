package playground_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/playground"
	"heddle/internal/terminal"
)

type worldView struct {
	Bot      struct{ ID graph.UserID }
	People   []struct{ ID graph.UserID }
	Channels []struct {
		ID, Parent graph.ChannelID
		Name       string
		Only       graph.UserID
	}
	Messages []message
	Guests   map[graph.UserID]string
}

type fault struct{ Error string }

func (s *stage) world(t *testing.T) worldView {
	t.Helper()
	var w worldView
	if status := s.call(t, "/api/world", nil, &w); status != http.StatusOK {
		t.Fatalf("the world is not given: %d, want %d", status, http.StatusOK)
	}
	return w
}

func TestRefusalsAreSentences(t *testing.T) {
	s := open(t)
	w := s.world(t)
	channel, ada := w.Channels[0].ID, w.People[0].ID
	for _, c := range []struct {
		name, path string
		change     map[string]any
	}{
		{"nothing to say", "/api/post", map[string]any{"channel": channel, "author": ada, "content": " "}},
		{"too much to say", "/api/post", map[string]any{"channel": channel, "author": ada, "content": strings.Repeat("x", 2001)}},
		{"unknown channel", "/api/post", map[string]any{"channel": "7", "author": ada, "content": "x"}},
		{"writing as the bot", "/api/post", map[string]any{"channel": channel, "author": w.Bot.ID, "content": "x"}},
		{"another's direct messages", "/api/post", map[string]any{"channel": w.Channels[len(w.Channels)-1].ID, "author": ada, "content": "x"}},
		{"unknown field", "/api/post", map[string]any{"surprise": 1}},
		{"message that is gone", "/api/edit", map[string]any{"channel": channel, "author": ada, "message": "9", "content": "x"}},
		{"edit to nothing", "/api/edit", map[string]any{"channel": channel, "author": ada, "message": w.Messages[2].ID, "content": ""}},
		{"a button that is not there", "/api/press", map[string]any{"channel": channel, "author": ada, "message": w.Messages[2].ID, "button": "x"}},
		{"a button elsewhere", "/api/press", map[string]any{"channel": "7", "author": ada, "message": "9", "button": "x"}},
		{"a word for an emoji", "/api/react", map[string]any{"channel": channel, "author": ada, "message": w.Messages[2].ID, "emoji": "good"}},
		{"a reaction to nothing", "/api/react", map[string]any{"channel": channel, "author": ada, "message": "9", "emoji": "👍"}},
		{"a reaction elsewhere", "/api/react", map[string]any{"channel": "7", "author": ada, "message": "9", "emoji": "👍"}},
		{"delete elsewhere", "/api/delete", map[string]any{"channel": "7", "author": ada, "message": "9"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var f fault
			if status := s.call(t, c.path, c.change, &f); status != http.StatusBadRequest || len(f.Error) < 10 {
				t.Errorf("status %d, error %q, want %d and a sentence", status, f.Error, http.StatusBadRequest)
			}
		})
	}
	for _, answer := range []string{channel.String() + "/12", "7/12", "7/x"} {
		var f fault
		if status := s.call(t, "/api/graph/"+answer, nil, &f); status == http.StatusOK || f.Error == "" {
			t.Errorf("context of %s gives %d, %q, want not %d and not \"\"", answer, status, f.Error, http.StatusOK)
		}
	}
}

func TestThePageAnswersToItselfAlone(t *testing.T) {
	s := open(t)
	for _, c := range []struct {
		name, method, host, origin, contentType string
		want                                    int
	}{
		{"the page", http.MethodGet, "", "", "", http.StatusOK},
		{"under localhost", http.MethodGet, strings.Replace(s.url, "http://127.0.0.1", "localhost", 1), "", "", http.StatusOK},
		{"under a name that was pointed here", http.MethodGet, "evil.example", "", "", http.StatusMisdirectedRequest},
		{"a form of another site", http.MethodPost, "", "https://evil.example", "application/json", http.StatusForbidden},
		{"a simple form", http.MethodPost, "", s.url, "text/plain", http.StatusUnsupportedMediaType},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := "/"
			if c.method == http.MethodPost {
				path = "/api/post"
			}
			request := errtest.Must(http.NewRequestWithContext(t.Context(), c.method, s.url+path, strings.NewReader("{}")))(t)
			request.Host = c.host
			if c.origin != "" {
				request.Header.Set("Origin", c.origin)
			}
			request.Header.Set("Content-Type", c.contentType)
			response, err := http.DefaultClient.Do(request)
			errtest.None(t, err)
			defer response.Body.Close()
			if response.StatusCode != c.want {
				t.Errorf("status %d, want %d", response.StatusCode, c.want)
			}
			if c.want == http.StatusOK && !strings.Contains(response.Header.Get("Content-Security-Policy"), "default-src 'none'; script-src 'self';") {
				t.Error("the page may load what is not its own")
			}
		})
	}
}

func TestOnlyLoopbackAddressesAreServed(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":8080", "192.0.2.1:80", "example.com:80", "nonsense"} {
		err := playground.Run(t.Context(), playground.Options{Address: address})
		if err == nil || !strings.Contains(err.Error(), address) {
			t.Errorf("listening on %s: %v, want an error that names the address", address, err)
		}
	}
}

func TestABusyAddressIsSaid(t *testing.T) {
	s := open(t)
	address := strings.TrimPrefix(s.url, "http://")
	err := playground.Run(t.Context(), playground.Options{Address: address})
	if _, input := errors.AsType[*terminal.InputError](err); !input || !strings.Contains(err.Error(), "another program uses "+address) {
		t.Errorf("a busy address: %v", err)
	}
}

// TestThePageIsSmall compresses what the page is made of.
func TestThePageIsSmall(t *testing.T) {
	files := errtest.Must(filepath.Glob("web/*"))(t)
	var size bytes.Buffer
	compressed := gzip.NewWriter(&size)
	for _, name := range append(files, "body.html") {
		content := errtest.Must(os.ReadFile(name))(t)
		_, _ = compressed.Write(content) // a buffer takes everything
	}
	_ = compressed.Close()
	if most := 60_000; size.Len() > most {
		t.Errorf("the page takes %d bytes, want at most %d", size.Len(), most)
	}
}

func TestABotThatFailsEndsThePlayground(t *testing.T) {
	broken := errors.New("no such token")
	err := playground.Run(t.Context(), playground.Options{
		Address: "127.0.0.1:0",
		Start:   func(context.Context, playground.Connection) error { return broken },
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

func TestARealModelIsHandedOn(t *testing.T) {
	want := playground.Model{URL: "https://models.example/v1", Key: "k", Name: "m"}
	var out strings.Builder
	var got playground.Connection
	err := playground.Run(t.Context(), playground.Options{
		Model: want, Stdout: &out, Address: "127.0.0.1:0",
		Start: func(_ context.Context, c playground.Connection) error { got = c; return nil },
	})
	if err != nil || got.Model != want || got.Token == "" || got.Recent == nil {
		t.Errorf("the bot got %+v, %v, want Model %v, Token not \"\" and no error", got, err, want)
	}
	if !strings.HasPrefix(out.String(), "http://127.0.0.1:") || !strings.Contains(out.String(), want.URL) || strings.Contains(out.String(), "stand-in") {
		t.Errorf("printed %q, want %q at its start, %q in it and no %q in it", out.String(), "http://127.0.0.1:", want.URL, "stand-in")
	}
}

// TestAnOllamaTakesThePlaceOfTheDemo finds an Ollama, whose first model only embeds, and has
// its second one answer. The bot begins anew with it.
func TestAnOllamaTakesThePlaceOfTheDemo(t *testing.T) {
	ollama := errtest.Must(openaitest.Start(openaitest.Config{Models: []string{"nomic-embed-text", "llama3.2"}}))(t)
	t.Cleanup(func() { ollama.Close() })
	begun := make(chan playground.Model, 2)
	url, end := run(t, playground.Options{Address: "127.0.0.1:0", Ollama: ollama.URL(), Start: func(ctx context.Context, c playground.Connection) error {
		begun <- c.Model
		<-ctx.Done()
		return nil
	}})
	defer end()
	s := &stage{url: url}
	if first := <-begun; first.Name == "llama3.2" {
		t.Errorf("at first %v answers, want the demo", first)
	}
	var offered struct{ Model string }
	if s.call(t, "/api/model", nil, &offered); offered.Model != "llama3.2" {
		t.Errorf("%q is offered, want %q", offered.Model, "llama3.2")
	}
	if status := s.call(t, "/api/model", map[string]any{}, &struct{}{}); status != http.StatusOK {
		t.Fatalf("it is refused with %d, want %d", status, http.StatusOK)
	}
	if got, want := <-begun, (playground.Model{URL: ollama.URL(), Name: "llama3.2"}); got != want {
		t.Errorf("then %v answers, want %v", got, want)
	}
	var world struct {
		Model   string
		Offline bool
	}
	if s.call(t, "/api/world", nil, &world); world.Model != "llama3.2" || world.Offline {
		t.Errorf("the page is told %+v, want llama3.2 and no demo", world)
	}
	ollama.Close()
	var f fault
	if status := s.call(t, "/api/model", map[string]any{}, &f); status != http.StatusBadRequest || !strings.Contains(f.Error, "Ollama does not answer") {
		t.Errorf("without an Ollama: %d, %q, want %d and a sentence", status, f.Error, http.StatusBadRequest)
	}
}
