package discord_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"heddle/internal/discord"
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
	key, _, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/api/v9/channels/"), "/")
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

func (w *window) rest(t *testing.T) *discord.REST {
	t.Helper()
	rest, err := discord.NewREST(discord.RESTConfig{Token: "x", HTTP: &http.Client{Transport: w}})
	if err != nil {
		t.Fatal(err)
	}
	return rest
}

func TestHeadersArePacedBy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &window{limit: 5, every: 5 * time.Second, takes: 50 * time.Millisecond}
		rest, began := w.rest(t), time.Now()
		if _, err := rest.Get(t.Context(), "/channels/1/messages", nil); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for i := range 18 {
			path := "/channels/1/messages"
			if i%2 == 0 {
				path += "/123456789" // another route of the same bucket, which the pacer has to learn
			}
			all.Go(func() {
				if _, err := rest.Get(t.Context(), path, nil); err != nil {
					t.Error(err)
				}
			})
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
		rest := w.rest(t)
		for range 20 {
			if _, err := rest.Get(t.Context(), "/channels/1/messages", nil); err != nil {
				t.Fatal(err)
			}
		}
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if _, err := rest.Get(t.Context(), "/channels/1/messages", nil); err != nil {
					t.Error(err)
				}
			})
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
		rest := w.rest(t)
		var all sync.WaitGroup
		for i := range 170 {
			all.Go(func() {
				if _, err := rest.Get(t.Context(), "/channels/"+strconv.Itoa(i)+"/messages", nil); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for i := 50; i < len(w.seen); i++ {
			if gap := w.seen[i].Sub(w.seen[i-50]); gap < time.Second {
				t.Fatalf("51 requests within %v, want at least %v", gap, time.Second)
			}
		}
	})
}

func TestAWaitThatWouldOutlastTheContextDoesNotBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &window{limit: 1, every: time.Minute}
		rest := w.rest(t)
		if _, err := rest.Get(t.Context(), "/channels/1/messages", nil); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		began := time.Now()
		_, err := rest.Get(ctx, "/channels/1/messages", nil)
		if !errors.Is(err, discord.ErrWaitTooLong) || !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 0 {
			t.Errorf("after %v: %v, want 0, %v and %v", time.Since(began), err, discord.ErrWaitTooLong, context.DeadlineExceeded)
		}
	})
}

// forgetful sends rate-limit headers once and never again.
type forgetful struct{ told bool }

func (f *forgetful) RoundTrip(req *http.Request) (*http.Response, error) {
	header := http.Header{}
	if !f.told {
		f.told = true
		header.Set("X-RateLimit-Limit", "1")
		header.Set("X-RateLimit-Remaining", "0")
		header.Set("X-RateLimit-Reset-After", "1")
	}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Request: req, Body: io.NopCloser(strings.NewReader("[]"))}, nil
}

func TestAServerThatStopsSendingHeadersIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rest, err := discord.NewREST(discord.RESTConfig{Token: "x", HTTP: &http.Client{Transport: &forgetful{}}})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for range 5 {
			if _, err := rest.Get(t.Context(), "/channels/1/messages", nil); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("took %v, want %v", took, time.Second)
		}
	})
}

// TestExpendableRequestsMakeRoomForOthers sends expendable requests and then others
// within one second. Expendable ones get at most half of the fifty requests of the
// second.
func TestExpendableRequestsMakeRoomForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &window{limit: 1000, takes: time.Millisecond}
		rest, began := w.rest(t), time.Now()
		expendable := func(n int) (sent, left int) {
			for i := range n {
				call := discord.Call{Method: http.MethodPost, Path: "/channels/" + strconv.Itoa(i+1) + "/typing", Expendable: true}
				switch _, err := rest.Do(t.Context(), call); {
				case err == nil:
					sent++
				case errors.Is(err, discord.ErrCrowdedOut):
					left++
				default:
					t.Fatal(err)
				}
			}
			return sent, left
		}
		if sent, left := expendable(30); sent != 25 || left != 5 {
			t.Errorf("of 30 expendable requests %d were sent and %d left out, want 25 and 5", sent, left)
		}
		for i := range 25 {
			if _, err := rest.Get(t.Context(), "/channels/"+strconv.Itoa(i+1)+"/messages", nil); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took >= time.Second {
			t.Errorf("the others waited: all took %v, want less than %v", took, time.Second)
		}
		<-time.After(time.Second)
		if sent, left := expendable(1); sent != 1 || left != 0 {
			t.Errorf("a second later %d were sent and %d left out, want 1 and 0", sent, left)
		}
	})
}

// TestAnExpendableRequestNeverWaits uses up a bucket and then sends an expendable
// request.
func TestAnExpendableRequestNeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &window{limit: 2, every: 5 * time.Second, takes: time.Millisecond}
		rest, began := w.rest(t), time.Now()
		for range 2 {
			if _, err := rest.Get(t.Context(), "/channels/1/messages", nil); err != nil {
				t.Fatal(err)
			}
		}
		_, err := rest.Do(t.Context(), discord.Call{Method: http.MethodGet, Path: "/channels/1/messages", Expendable: true})
		if !errors.Is(err, discord.ErrCrowdedOut) || time.Since(began) > time.Second {
			t.Errorf("after %v it ends with %v, want at most %v and %v", time.Since(began), err, time.Second, discord.ErrCrowdedOut)
		}
	})
}

// TestAwaitRoomWaitsOnceHalfIsUsed calls AwaitRoom before each of many requests. It
// waits once half of the fifty requests of the second are used, and no longer than it
// may.
func TestAwaitRoomWaitsOnceHalfIsUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &window{limit: 1000, takes: time.Millisecond}
		rest := w.rest(t)
		request := func(n int) {
			for range n {
				if _, err := rest.Get(t.Context(), "/channels/1", nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		waits := func(most time.Duration) time.Duration {
			began := time.Now()
			rest.AwaitRoom(t.Context(), most)
			return time.Since(began)
		}
		for n := range 25 {
			if took := waits(time.Minute); took != 0 {
				t.Fatalf("request %d waits for %s, want 0", n, took)
			}
			request(1)
		}
		if took := waits(200 * time.Millisecond); took != 200*time.Millisecond {
			t.Errorf("after half of the requests, one more waits for %s, want %s", took, 200*time.Millisecond)
		}
		if took := waits(time.Minute); took == 0 || took > time.Second {
			t.Errorf("one more waits for %s in all, want more than 0 and at most %s", took, time.Second)
		}
		request(25)
		ctx, stop := context.WithCancel(t.Context())
		stop()
		rest.AwaitRoom(ctx, time.Minute) // it returns when ctx ends
	})
}
