package redis_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sony/gobreaker/v2"

	"heddle/internal/errtest"
	"heddle/internal/redistest"
	"heddle/internal/wait"
	"heddle/store"
	"heddle/store/redis"
	"heddle/store/storetest"
)

// lines is a log that a test can search.
type lines struct {
	mu   sync.Mutex
	text []string
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, string(p))
	return len(p), nil
}

func (l *lines) count(of string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(l.text), func(line string) bool { return !strings.Contains(line, of) }))
}

// shaky is a store over a server that a test can stop and start.
type shaky struct {
	*store.Store
	server *redistest.Server
	log    lines
}

func newShaky(t *testing.T, options redis.Options) *shaky {
	t.Helper()
	server := start(t)
	s := &shaky{server: server}
	options.URL, options.Pause = server.URL(), 20*time.Millisecond
	engine := open(t, options)
	s.Store = store.New(engine, store.Options{Log: slog.New(slog.NewTextHandler(&s.log, nil))})
	return s
}

// fails checks that every kind of call fails.
func (s *shaky) fails(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	_, lookup := storetest.ByPath(ctx, s.Store, storetest.Example("g1", 1))
	_, claim := s.Claims.Claim(ctx, store.TriggerClaim(1), time.Minute)
	_, used := s.Backlog.Used(ctx)
	for _, err := range []error{lookup, claim, used, s.Responses.Save(ctx, storetest.Example("g1", 1)), s.Ping(ctx)} {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Fatalf("a call returns %v, want %v", err, store.ErrUnavailable)
		}
	}
}

// works waits until calls work again.
func (s *shaky) works(t *testing.T) {
	t.Helper()
	const most = 5 * time.Minute
	for began := time.Now(); ; {
		err := s.Responses.Save(t.Context(), storetest.Example("g1", 1))
		if err == nil {
			return
		}
		if time.Since(began) > most || wait.For(t.Context(), 5*time.Millisecond) != nil {
			t.Fatalf("calls still fail after %s: %v", most, err)
		}
	}
}

func TestAServerThatIsAwayOrSilentFailsCallsSoonAndIsFoundAgain(t *testing.T) {
	t.Parallel()
	s := newShaky(t, redis.Options{Timeout: 200 * time.Millisecond}) // short, because calls are repeated until one is fast enough
	s.works(t)
	s.server.Kill()
	s.fails(t)
	errtest.None(t, s.server.Restart(t.Context()))
	s.works(t)
	errtest.None(t, s.server.Pause())
	s.fails(t)
	errtest.None(t, s.server.Resume())
	s.works(t)
	if down, up := s.log.count("level=ERROR"), s.log.count("the store works again"); down < 2 || up != down {
		t.Errorf("two outages are logged %d times and their ends %d times, want the same, 2 at least", down, up)
	}
}

// TestACallerWithoutPatienceLearnsNothingOfTheServer lets callers wait for a silent server
// for a shorter time than calls may take.
func TestACallerWithoutPatienceLearnsNothingOfTheServer(t *testing.T) {
	t.Parallel()
	s := newShaky(t, redis.Options{Timeout: time.Minute})
	s.works(t)
	errtest.None(t, s.server.Pause())
	for range 5 { // after three failures in a row no more calls would be tried
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		if err := s.Ping(ctx); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, store.ErrUnavailable) {
			t.Errorf("a call returns %v, want %v", err, context.DeadlineExceeded)
		}
		cancel()
	}
	errtest.None(t, s.server.Resume())
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("a call of a patient caller returns %v, want no error", err)
	}
	if logged := s.log.count("level=ERROR"); logged != 0 {
		t.Errorf("%d outages are logged, want 0", logged)
	}
}

func TestASilentServerIsNotAskedByEveryCall(t *testing.T) {
	t.Parallel()
	server := start(t)
	db := open(t, redis.Options{URL: server.URL(), Timeout: 100 * time.Millisecond, Pause: time.Hour})
	errtest.None(t, server.Pause())
	for range 3 {
		if _, err := db.Get(t.Context(), "g1", "x"); errors.Is(err, gobreaker.ErrOpenState) {
			t.Fatalf("one of the first calls fails with %v, want it attempted", err)
		}
	}
	if _, err := db.Get(t.Context(), "g1", "x"); !errors.Is(err, gobreaker.ErrOpenState) {
		t.Fatalf("the next call returns %v, want %v", err, gobreaker.ErrOpenState)
	}
	errtest.None(t, server.Resume())
}

func TestAServerThatRefusesWritesStillReads(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		refuse [][]string
		told   string
	}{
		"full":      {[][]string{{"CONFIG", "SET", "maxmemory", "1"}}, "is full"},
		"a replica": {[][]string{{"REPLICAOF", "127.0.0.1", "1"}, {"CONFIG", "SET", "replica-serve-stale-data", "yes"}}, "is unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShaky(t, redis.Options{})
			r := storetest.Example("g1", 1)
			errtest.None(t, s.Responses.Save(t.Context(), r))
			for _, command := range test.refuse {
				errtest.Must(s.server.Do(t.Context(), command...))(t)
			}
			if err := s.Responses.Save(t.Context(), storetest.Example("g1", 2)); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("saving returns %v, want %v", err, store.ErrUnavailable)
			}
			for range 3 {
				if found, err := storetest.ByPath(t.Context(), s.Store, r); err != nil || len(found) != 1 {
					t.Errorf("%d responses are found, want 1; the error is %v", len(found), err)
				}
				if err := s.Responses.Save(t.Context(), storetest.Example("g1", 2)); !errors.Is(err, store.ErrUnavailable) {
					t.Errorf("saving returns %v, want %v", err, store.ErrUnavailable)
				}
			}
			if told, all := s.log.count(test.told), s.log.count("the store "); told != 1 || all != 1 {
				t.Errorf("the refusal is logged %d times, among %d lines about the store, want one line", told, all)
			}
		})
	}
}
