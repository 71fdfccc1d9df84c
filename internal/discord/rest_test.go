package discord_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"heddle/internal/discord"
	"heddle/internal/errtest"
)

// serve starts a server and returns a REST that uses it. answer gets the number of the
// request, from 1.
func serve(t *testing.T, answer func(n int32, w http.ResponseWriter, req *http.Request)) *discord.REST {
	t.Helper()
	var n atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		answer(n.Add(1), w, req)
	}))
	t.Cleanup(server.Close)
	return discord.NewREST(discord.RESTConfig{BaseURL: server.URL, Token: "secret"})
}

func TestBaseURLIsCompleted(t *testing.T) {
	for given, want := range map[string]string{
		"":                           "https://discord.com/api/v10",
		"https://discord.com/api":    "https://discord.com/api/v10",
		"http://127.0.0.1:80/":       "http://127.0.0.1:80/api/v10",
		"http://proxy/api/v9/":       "http://proxy/api/v9",
		"http://proxy/some/where":    "http://proxy/some/where/api/v10",
		"http://proxy/some/api":      "http://proxy/some/api/v10",
		"https://spacebar.chat/v9":   "https://spacebar.chat/v9",
		"https://host/deep/er/v8///": "https://host/deep/er/v8",
	} {
		if got := discord.NewREST(discord.RESTConfig{BaseURL: given}).BaseURL(); got != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
}

func TestGetAsksAsTheBot(t *testing.T) {
	rest := serve(t, func(_ int32, w http.ResponseWriter, req *http.Request) {
		if got := req.Header.Get("Authorization"); got != "Bot secret" {
			t.Errorf("authorization is %q, want %q", got, "Bot secret")
		}
		if !strings.HasPrefix(req.UserAgent(), "DiscordBot (") {
			t.Errorf("user agent is %q, want %q at its start", req.UserAgent(), "DiscordBot (")
		}
		_, _ = io.WriteString(w, `{"path":"`+req.URL.RequestURI()+`"}`)
	})
	got, err := rest.Get(t.Context(), "/channels/1/messages", map[string][]string{"limit": {"100"}})
	if err != nil || string(got) != `{"path":"/api/v10/channels/1/messages?limit=100"}` {
		t.Fatalf("got %s, %v, want the requested path and query", got, err)
	}
}

func TestRefusalIsTyped(t *testing.T) {
	rest := serve(t, func(_ int32, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"message":"Unknown\nMessage","code":"10008","errors":{"content":"what a person wrote"}}`)
	})
	_, err := rest.Get(t.Context(), "/channels/123456789/messages/987654321", nil)
	var refusal *discord.Error
	if !errors.As(err, &refusal) || !discord.IsNotFound(err) || !discord.HasCode(err, discord.CodeUnknownMessage) {
		t.Fatalf("got %v, want Discord's refusal of an unknown message", err)
	}
	if want := "GET /channels/{id}/messages/{id}: HTTP 404, code 10008 (unknown message)"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestOnlyWhatMayBeRepeatedIsRetried(t *testing.T) {
	unwell := func(status int) func(int32, http.ResponseWriter, *http.Request) {
		return func(n int32, w http.ResponseWriter, _ *http.Request) {
			if n == 1 {
				w.WriteHeader(status)
				_, _ = io.WriteString(w, "<html>")
				return
			}
			_, _ = io.WriteString(w, `"done"`)
		}
	}
	cut := func(n int32, w http.ResponseWriter, _ *http.Request) {
		if n == 1 {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, `"done"`)
	}
	get := discord.Call{Method: http.MethodGet, Path: "/users/@me"}
	create := discord.Call{Method: http.MethodPost, Path: "/channels/1/messages", Body: map[string]string{}}
	withNonce := create
	withNonce.Repeatable = true
	for name, test := range map[string]struct {
		call   discord.Call
		answer func(int32, http.ResponseWriter, *http.Request)
		done   bool
	}{
		"a read is repeated after 500":                        {get, unwell(500), true},
		"a read is repeated after 408":                        {get, unwell(408), true},
		"a read is repeated after a cut answer":               {get, cut, true},
		"a read is repeated after a page of another server":   {get, unwell(200), true},
		"a read is not repeated after 400":                    {get, unwell(400), false},
		"a create without nonce is not repeated after 502":    {create, unwell(502), false},
		"a create without nonce is not repeated after a cut":  {create, cut, false},
		"a create with nonce is repeated after 502":           {withNonce, unwell(502), true},
		"any create is repeated after 429, header and number": {create, unwell(429), true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := serve(t, test.answer).Do(t.Context(), test.call)
			if done := err == nil && string(got) == `"done"`; done != test.done {
				t.Errorf("done is %v: %s, %v, want %v", done, got, err, test.done)
			}
		})
	}
}

func TestRateLimitBeyondTheContextReturnsAtOnce(t *testing.T) {
	rest := serve(t, func(_ int32, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"retry_after":3600}`)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	_, err := rest.Get(ctx, "/channels/1/messages", nil)
	var refusal *discord.Error
	if !errors.As(err, &refusal) || refusal.Status != http.StatusTooManyRequests || refusal.RetryAfter != time.Hour {
		t.Fatalf("got %v, want a refusal with a wait of an hour", err)
	}
	if delay := rest.Delay(http.MethodGet, "/channels/1/messages"); delay < 30*time.Minute {
		t.Errorf("the next read would be sent in %v, want at least %v", delay, 30*time.Minute)
	}
	if delay := rest.Delay(http.MethodPost, "/channels/1/messages"); delay != 0 {
		t.Errorf("a send waits %v for a read's limit, want 0", delay)
	}
}

func TestAWaitForABucketEndsWithItsContext(t *testing.T) {
	rest := serve(t, func(_ int32, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-RateLimit-Limit", "1")
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset-After", "3600")
		_, _ = io.WriteString(w, "{}")
	})
	errtest.Must(rest.Get(t.Context(), "/channels/1/messages", nil))(t)
	short, end := context.WithTimeout(t.Context(), 30*time.Minute)
	defer end()
	if _, err := rest.Get(short, "/channels/1/messages", nil); !errors.Is(err, discord.ErrWaitTooLong) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a wait that would outlast the context ends with %v, want %v and %v", err, discord.ErrWaitTooLong, context.DeadlineExceeded)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := rest.Get(ctx, "/channels/1/messages", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if _, err := rest.Get(t.Context(), "/channels/2/messages", nil); err != nil {
		t.Errorf("another channel waits too: %v", err)
	}
}

func TestOddRateLimitHeadersDoNoHarm(t *testing.T) {
	for _, value := range []string{"", "many", "NaN", "-1", "1e999", "0"} {
		rest := serve(t, func(_ int32, w http.ResponseWriter, _ *http.Request) {
			for _, name := range []string{"Limit", "Remaining", "Reset", "Reset-After"} {
				w.Header().Set("X-RateLimit-"+name, value)
			}
			_, _ = io.WriteString(w, "[]")
		})
		for range 3 {
			if _, err := rest.Get(t.Context(), "/channels/1/messages", nil); err != nil {
				t.Errorf("%q: %v", value, err)
			}
		}
	}
}

func TestTooManyRefusalsStopAsking(t *testing.T) {
	var asked atomic.Int32
	rest := serve(t, func(n int32, w http.ResponseWriter, _ *http.Request) {
		asked.Store(n)
		w.WriteHeader(http.StatusForbidden)
	})
	err := error(nil)
	for i := 0; i < 3000 && !errors.Is(err, discord.ErrTooManyRefusals); i++ {
		// Routes of interactions are exempt from the global limit, so the test need not
		// wait for it.
		_, err = rest.Get(t.Context(), "/interactions/1/token/callback", nil)
	}
	if !errors.Is(err, discord.ErrTooManyRefusals) || asked.Load() > 2500 {
		t.Errorf("after %d requests: %v, want at most 2500 and %v", asked.Load(), err, discord.ErrTooManyRefusals)
	}
	if strings.Contains(err.Error(), "/token/") {
		t.Errorf("an interaction's token is in %q, want no %q in it", err, "/token/")
	}
}

func TestUploadIsAFormAndSurvivesARetry(t *testing.T) {
	rest := serve(t, func(n int32, w http.ResponseWriter, req *http.Request) {
		file, header, err := req.FormFile("files[0]")
		if err != nil {
			t.Errorf("attempt %d: %v", n, err)
			return
		}
		data, _ := io.ReadAll(file)
		if n == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_ = json.NewEncoder(w).Encode([]string{req.FormValue("payload_json"), header.Filename, string(data)})
	})
	got, err := rest.Do(t.Context(), discord.Call{
		Method: http.MethodPost, Path: "/channels/1/messages", Body: map[string]int{"a": 1}, Repeatable: true,
		Files: []discord.File{{Name: "a.txt", Type: "text/plain", Data: []byte("data")}},
	})
	if want := `["{\"a\":1}","a.txt","data"]` + "\n"; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestAHistoryReadDoesNotHoldASendBack(t *testing.T) {
	reading, sent := make(chan struct{}), make(chan struct{})
	rest := serve(t, func(_ int32, w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodGet {
			close(reading)
			<-sent
		}
		_, _ = io.WriteString(w, "[]")
	})
	done := make(chan error, 1)
	go func() {
		_, err := rest.Get(t.Context(), "/channels/1/messages", nil)
		done <- err
	}()
	<-reading
	if _, err := rest.Do(t.Context(), discord.Call{Method: http.MethodPost, Path: "/channels/1/messages"}); err != nil {
		t.Error(err)
	}
	close(sent)
	if err := <-done; err != nil {
		t.Error(err)
	}
}
