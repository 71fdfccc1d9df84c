package redis_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"heddle/internal/redistest"
	"heddle/store"
	"heddle/store/redis"
	"heddle/store/storetest"
)

// keeps fails the test if a store does not keep a response.
func keeps(t *testing.T, url string) {
	t.Helper()
	s := store.New(open(t, redis.Options{URL: url}), store.Options{})
	r := storetest.Example("g1", 1)
	must(t, s.Ping(t.Context()))
	must(t, s.Responses.Save(t.Context(), r))
	if found, err := storetest.ByPath(t.Context(), s, r); err != nil || len(found) != 1 {
		t.Errorf("%d responses are found, %v", len(found), err)
	}
}

func TestASentinelLeadsToTheServer(t *testing.T) {
	t.Parallel()
	sentinel, err := redistest.StartSentinel(t.Context())
	if errors.Is(err, redistest.ErrMissing) && !redistest.Required() {
		t.Logf("left out: %v", err)
		return
	}
	must(t, err)
	t.Cleanup(func() { must(t, sentinel.Close()) })
	keeps(t, sentinel.URL())
	if answer, err := sentinel.Watched().Do(t.Context(), "DBSIZE"); err != nil || answer == ":0" {
		t.Errorf("the server holds %q, %v", answer, err)
	}
}

func TestTLSAndPasswords(t *testing.T) {
	t.Parallel()
	certified := httptest.NewTLSServer(http.NotFoundHandler())
	defer certified.Close()
	server := miniredis.NewMiniRedis()
	must(t, server.StartTLS(certified.TLS))
	t.Cleanup(server.Close)
	server.RequireUserAuth("heddle", "hunter2")
	keeps(t, "rediss://heddle:hunter2@"+server.Addr()+"?skip_verify=true")
	for _, wrong := range []string{
		"rediss://heddle:hunter2@" + server.Addr(), // nobody signed the certificate
		"rediss://heddle:hunter3@" + server.Addr() + "?skip_verify=true",
		"redis://heddle:hunter2@" + server.Addr(),
	} {
		s := store.New(open(t, redis.Options{URL: wrong, Timeout: 500 * time.Millisecond}), store.Options{})
		if err := s.Ping(t.Context()); !errors.Is(err, store.ErrUnavailable) || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%s ends with %v", wrong, err)
		}
	}
}

// TestThreeProcessesAskOnce makes a hundred callers seek the same over three
// connections of their own, as three processes would, and kills the first leader.
func TestThreeProcessesAskOnce(t *testing.T) {
	t.Parallel()
	server := start(t)
	if server == nil {
		return
	}
	r := storetest.Example("g1", 1)
	want := store.Want{Scope: r.Scope, PathHash: r.PathHash, Model: r.Model}
	var stores []*store.Store
	for range 3 {
		stores = append(stores, store.New(open(t, redis.Options{URL: server.URL()}), store.Options{}))
	}
	dead, err := stores[0].Responses.Seek(t.Context(), want, 50*time.Millisecond)
	must(t, err)
	if dead.Found {
		t.Fatal("something is found in an empty store")
	}
	var asked, given atomic.Int32
	var group sync.WaitGroup
	for i := range 100 {
		s := stores[i%len(stores)]
		group.Go(func() {
			sought, err := s.Responses.Seek(t.Context(), want, time.Hour)
			switch {
			case err != nil:
				t.Error(err)
			case sought.Found:
				given.Add(1)
			default:
				asked.Add(1)
				err = errors.Join(s.Responses.Save(t.Context(), r), s.Claims.Release(t.Context(), sought.Lead))
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if asked.Load() != 1 || given.Load() != 99 {
		t.Errorf("%d ask the model and %d are given what comes of it", asked.Load(), given.Load())
	}
}
