package work_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"heddle/bot/work"
	"heddle/internal/discord"
	"heddle/internal/roomtest"
	"heddle/internal/wait"
	"heddle/store"
	"heddle/store/bolt"
)

// responds is a Discord that gives every request one response, and notes when it came.
type responds struct {
	status int

	mu   sync.Mutex
	came []time.Time
}

func (r *responds) RoundTrip(request *http.Request) (*http.Response, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.came = append(r.came, time.Now())
	return &http.Response{StatusCode: r.status, Header: http.Header{}, Request: request, Body: io.NopCloser(strings.NewReader("{}"))}, nil
}

// most returns the most requests that came within a second.
func (r *responds) most() (most int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := 0
	for i, at := range r.came {
		for at.Sub(r.came[first]) >= time.Second {
			first++
		}
		most = max(most, i+1-first)
	}
	return most
}

// processes starts three processes that share a store, and returns what each makes requests
// with once they know of one another.
func processes(ctx context.Context, t *testing.T, discords http.RoundTripper) []*discord.REST {
	t.Helper()
	shared := store.New(roomtest.Must(bolt.Open(bolt.Options{Dir: t.TempDir()}))(t), store.Options{Shared: true})
	t.Cleanup(func() { _ = shared.Close() })
	var all []*discord.REST
	for range 3 {
		rest := roomtest.Must(discord.NewREST(discord.RESTConfig{Token: "x", HTTP: &http.Client{Transport: discords}}))(t)
		go work.NewLeases(shared.Claims, ttl).Follow(ctx, rest, slog.New(slog.DiscardHandler))
		all = append(all, rest)
	}
	_ = wait.For(ctx, 2*ttl)
	return all
}

func TestProcessesDivideDiscordsLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited := &responds{status: http.StatusOK}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var asking sync.WaitGroup
		for _, rest := range processes(ctx, t, limited) {
			for range 100 {
				asking.Go(func() { _, _ = rest.Get(ctx, "/users/@me", nil) })
			}
		}
		asking.Wait()
		if n := limited.most(); len(limited.came) != 300 || n > 50 || n < 40 {
			t.Errorf("three processes made %d requests, %d of them within a second, want 300, at most 50 within a second and not far fewer", len(limited.came), n)
		}
	})
}

func TestProcessesDivideTheRefusalsBeforeTheyHoldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refusing := &responds{status: http.StatusForbidden}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		for _, rest := range processes(ctx, t, refusing) {
			for err := error(nil); !errors.Is(err, discord.ErrTooManyRefusals); {
				// The interactions' routes are exempt from the limit of a second.
				_, err = rest.Get(ctx, "/interactions/1/token/callback", nil)
			}
		}
		if n := len(refusing.came); n < 1900 || n > 2000 {
			t.Errorf("three processes held back after %d refusals, want 2000 at most and not far fewer", n)
		}
	})
}
