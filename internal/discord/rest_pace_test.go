package discord_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"heddle/internal/discord"
	"heddle/internal/errtest"
)

// window is a transport that simulates a server with a rate limit per window and
// channel, which it reports in its headers. It needs no network, so a whole exchange
// takes place in synctest's time.
type window struct {
	limit int
	every time.Duration
	takes time.Duration // duration of each request

	mu      sync.Mutex
	used    map[string]int
	until   map[string]time.Time
	refused int
	seen    []time.Time
}

func (w *window) RoundTrip(req *http.Request) (*http.Response, error) {
	select {
	case <-time.After(w.takes):
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.used == nil {
		w.used, w.until = map[string]int{}, map[string]time.Time{}
	}
	now := time.Now()
	w.seen = append(w.seen, now)
	key, _, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/api/v10/channels/"), "/")
	if !now.Before(w.until[key]) {
		w.used[key], w.until[key] = 0, now.Add(w.every)
	}
	w.used[key]++
	after := strconv.FormatFloat(w.until[key].Sub(now).Seconds(), 'f', 3, 64)
	status, left := http.StatusOK, w.limit-w.used[key]
	if left < 0 {
		w.refused++
		status, left = http.StatusTooManyRequests, 0
	}
	header := http.Header{}
	if w.every > 0 {
		header.Set("X-RateLimit-Bucket", "shared")
		header.Set("X-RateLimit-Limit", strconv.Itoa(w.limit))
		header.Set("X-RateLimit-Remaining", strconv.Itoa(left))
		header.Set("X-RateLimit-Reset-After", after)
	}
	return &http.Response{
		StatusCode: status, Header: header, Request: req,
		Body: io.NopCloser(strings.NewReader(`{"retry_after":` + after + `}`)),
	}, nil
}

// restOver returns a REST whose requests go through a transport.
func restOver(t *testing.T, transport http.RoundTripper) *discord.REST {
	t.Helper()
	return discord.NewREST(discord.RESTConfig{Token: "x", Transport: transport})
}

// reads reads a path, in any goroutine.
func reads(t *testing.T, rest *discord.REST, path string) {
	t.Helper()
	if _, err := rest.Get(t.Context(), path, nil); err != nil {
		t.Error(err)
	}
}

func TestHeadersArePacedBy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &window{limit: 5, every: 5 * time.Second, takes: 50 * time.Millisecond}
		rest, began := restOver(t, w), time.Now()
		errtest.Must(rest.Get(t.Context(), "/channels/1/messages", nil))(t)
		var all sync.WaitGroup
		for i := range 18 {
			path := "/channels/1/messages"
			if i%2 == 0 {
				path += "/123456789" // another route of the same bucket, which the pacer has to learn
			}
			all.Go(func() { reads(t, rest, path) })
		}
		all.Wait()
		if took := time.Since(began); took < 15*time.Second || took > 21*time.Second {
			t.Errorf("19 requests at 5 in 5 s took %v, want at least %v and at most %v", took, 15*time.Second, 21*time.Second)
		}
		if w.refused > 9 { // the first requests to a route whose limit is not known yet
			t.Errorf("%d requests were refused, want at most 9", w.refused)
		}
	})
}

func TestAKnownBucketIsNeverOverrun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &window{limit: 3, every: time.Second, takes: 10 * time.Millisecond}
		rest := restOver(t, w)
		for range 20 {
			errtest.Must(rest.Get(t.Context(), "/channels/1/messages", nil))(t)
		}
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { reads(t, rest, "/channels/1/messages") })
		}
		all.Wait()
		if w.refused != 0 {
			t.Errorf("%d requests were refused, want 0", w.refused)
		}
	})
}

func TestNoMoreThanFiftyASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &window{limit: 1000}
		rest := restOver(t, w)
		var all sync.WaitGroup
		for i := range 170 {
			all.Go(func() { reads(t, rest, "/channels/"+strconv.Itoa(i)+"/messages") })
		}
		all.Wait()
		for i := 50; i < len(w.seen); i++ {
			if gap := w.seen[i].Sub(w.seen[i-50]); gap < time.Second {
				t.Fatalf("51 requests within %v, want at least %v", gap, time.Second)
			}
		}
	})
}

func TestAServerThatStopsSendingHeadersIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited := func(h http.Header) (int, string) {
			h.Set("X-RateLimit-Limit", "1")
			h.Set("X-RateLimit-Remaining", "0")
			h.Set("X-RateLimit-Reset-After", "1")
			return http.StatusOK, "[]"
		}
		silent := func(http.Header) (int, string) { return http.StatusOK, "[]" }
		rest, began := restOver(t, &scripted{[]func(http.Header) (int, string){limited, silent, silent, silent, silent}}), time.Now()
		for range 5 {
			errtest.Must(rest.Get(t.Context(), "/channels/1/messages", nil))(t)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("took %v, want %v", took, time.Second)
		}
	})
}

func TestWhatCanWaitLeavesRoomForWhatCannot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rest, began := restOver(t, &window{limit: 5, every: 5 * time.Second}), time.Now()
		for n := range 50 {
			_, delay, _ := rest.Spread(http.MethodPatch, "/channels/999/messages/1")
			if wait := delay > 0; wait != (n >= 40) {
				t.Errorf("after %d requests in a second an edit that can wait should wait for %s, want a wait from 40 on", n, delay)
			}
			errtest.Must(rest.Get(t.Context(), "/channels/"+strconv.Itoa(n)+"/messages", nil))(t)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("50 requests that cannot wait took %s, want no wait", took)
		}
	})
}

// scripted is a transport that answers each request with the next of its responses.
type scripted struct {
	responses []func(http.Header) (status int, body string)
}

func (s *scripted) RoundTrip(req *http.Request) (*http.Response, error) {
	header := http.Header{}
	status, body := s.responses[0](header)
	s.responses = s.responses[1:]
	return &http.Response{StatusCode: status, Header: header, Request: req, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func TestARefusalSaysHowLongToWaitWhateverTheWindow(t *testing.T) {
	for name, headers := range map[string]func(http.Header){
		"without headers":          func(http.Header) {},
		"with headers":             window57,
		"with the end of a window": func(h http.Header) { window57(h); h.Set("X-RateLimit-Reset", "1000057") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answered := func(h http.Header) (int, string) { headers(h); return http.StatusOK, "[]" }
				refused := func(h http.Header) (int, string) {
					headers(h)
					return http.StatusTooManyRequests, `{"retry_after":1}`
				}
				rest, began := restOver(t, &scripted{[]func(http.Header) (int, string){answered, refused, answered}}), time.Now()
				for range 2 {
					errtest.Must(rest.Get(t.Context(), "/channels/1/messages", nil))(t)
				}
				if took := time.Since(began); took != time.Second {
					t.Errorf("a request that is refused for %v was repeated after %v", time.Second, took)
				}
			})
		})
	}
}

// window57 writes the headers of a window of 57 seconds that takes more requests.
func window57(h http.Header) {
	h.Set("X-RateLimit-Bucket", "abc")
	h.Set("X-RateLimit-Limit", "5")
	h.Set("X-RateLimit-Remaining", "3")
	h.Set("X-RateLimit-Reset-After", "57")
}

// TestCachedAnswersDoNotTellTheTime has a proxy repeat answers that Discord gave half an
// hour ago, with the date of that time, before and after one that comes from Discord.
func TestCachedAnswersDoNotTellTheTime(t *testing.T) {
	for name, mark := range map[string]string{"nirn-proxy": "X-Cached", "any cache": "Age"} {
		t.Run(name, func(t *testing.T) {
			const tolerance = time.Minute
			rest := serve(t, func(n int32, w http.ResponseWriter, _ *http.Request) {
				if n != 2 {
					w.Header().Set(mark, "1800")
					w.Header().Set("Date", time.Now().Add(-30*time.Minute).UTC().Format(http.TimeFormat))
				}
				_, _ = io.WriteString(w, "{}")
			})
			for n := range 3 {
				errtest.Must(rest.Get(t.Context(), "/gateway/bot", nil))(t)
				if late := time.Since(rest.Now()); late.Abs() > tolerance {
					t.Errorf("after %d answers Discord's clock is taken to be %s late, want it within %s", n+1, late, tolerance)
				}
			}
		})
	}
}
