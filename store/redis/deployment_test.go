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

// keeps fails the test if a store cannot save a response and find it again.
func keeps(t *testing.T, url string) {
	t.Helper()
	s := store.New(open(t, redis.Options{URL: url}), store.Options{})
	r := storetest.Example("g1", 1)
	must(t, s.Ping(t.Context()))
	must(t, s.Responses.Save(t.Context(), r))
	if found, err := storetest.ByPath(t.Context(), s, r); err != nil || len(found) != 1 {
		t.Errorf("%d responses are found, want 1; the error is %v", len(found), err)
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
		t.Errorf("the server has %q entries, %v, want some", answer, err)
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
		"rediss://heddle:hunter2@" + server.Addr(), // the certificate is not trusted
		"rediss://heddle:hunter3@" + server.Addr() + "?skip_verify=true",
		"redis://heddle:hunter2@" + server.Addr(),
	} {
		s := store.New(open(t, redis.Options{URL: wrong, Timeout: 500 * time.Millisecond}), store.Options{})
		if err := s.Ping(t.Context()); !errors.Is(err, store.ErrUnavailable) || strings.Contains(err.Error(), "hunter") {
			t.Errorf("with the address %s the ping returns %v, want %v without the password", wrong, err, store.ErrUnavailable)
		}
	}
}

// TestThreeProcessesAskOnce lets a hundred callers in three processes seek the same
// response. The first leader dies.
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
		t.Fatal("Seek finds a response in an empty store, want none")
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
		t.Errorf("%d callers ask the model and %d get its answer, want 1 and 99", asked.Load(), given.Load())
	}
}
