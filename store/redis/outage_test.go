package redis_test

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sony/gobreaker/v2"

	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/internal/redistest"
	"heddle/internal/wait"
	"heddle/internal/waittest"
	"heddle/store"
	"heddle/store/redis"
	"heddle/store/seal"
	"heddle/store/storetest"
)

// shaky is a store over a server that a test can stop and start.
type shaky struct {
	*store.Store
	server *redistest.Server
	log    waittest.Log
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
	if down, up := s.log.Count("level=ERROR"), s.log.Count("the store works again"); down < 2 || up != down {
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
	if logged := s.log.Count("level=ERROR"); logged != 0 {
		t.Errorf("%d outages are logged, want 0", logged)
	}
}

// readOne reads a value.
func readOne(t *testing.T, db *redis.DB) error {
	t.Helper()
	return db.Read(t.Context(), "g1", func(read store.Reader) error {
		_, err := read.Get("x")
		return err
	})
}

func TestASilentServerIsNotAskedByEveryCall(t *testing.T) {
	t.Parallel()
	server := start(t)
	db := open(t, redis.Options{URL: server.URL(), Timeout: 100 * time.Millisecond, Pause: time.Hour})
	errtest.None(t, server.Pause())
	for range 3 {
		if err := readOne(t, db); errors.Is(err, gobreaker.ErrOpenState) {
			t.Fatalf("one of the first calls fails with %v, want it attempted", err)
		}
	}
	if err := readOne(t, db); !errors.Is(err, gobreaker.ErrOpenState) {
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
		"full":      {[][]string{{"CONFIG", "SET", "maxmemory", "1"}}, "the store is full"},
		"a replica": {[][]string{{"REPLICAOF", "127.0.0.1", "1"}, {"CONFIG", "SET", "replica-serve-stale-data", "yes"}}, "the store is unavailable"},
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
			if told, all := s.log.Count(test.told), s.log.Count(`msg="the store `); told != 1 || all != 1 {
				t.Errorf("the refusal is logged %d times, among %d lines about the store, want one line", told, all)
			}
		})
	}
}

// TestARefusedConnectionIsNoEmptyStore has servers that refuse heddle, or some of what it asks.
// Each way to read, and to write, fails with a sentence that says what to do; what is refused is
// never taken for something that is not stored. Writes alone are refused where reads are false.
func TestARefusedConnectionIsNoEmptyStore(t *testing.T) {
	t.Parallel()
	acl := func(rights string) [][]string {
		return [][]string{append([]string{"ACL", "SETUSER", "some", "on", ">right"}, strings.Fields(rights)...)}
	}
	for name, test := range map[string]struct {
		refuse [][]string // commands that have the server refuse
		as     string     // the user and the password in the address
		query  string     // what its query adds
		reads  bool       // whether reads are refused, too
		want   string
	}{
		"a wrong password":     {acl("+@all ~*"), "some:wrong", "", true, "check the user and the password"},
		"a wrong old password": {[][]string{{"CONFIG", "SET", "requirepass", "right"}}, ":wrong", "", true, "check the user and the password"},
		"no password":          {[][]string{{"CONFIG", "SET", "requirepass", "right"}}, "", "", true, "check the user and the password"},
		"no such database":     {nil, "", "&db=99", true, "name a lower one"},
		"no rights":            {acl("+ping"), "some:right", "", true, "lacks a right"},
		"no keys":              {acl("+@all ~other:*"), "some:right", "", true, "lacks a right"},
		"no reads":             {acl("+@all -get -zrange -zrevrange ~*"), "some:right", "", true, "lacks a right"},
		"a lost master":        {[][]string{{"REPLICAOF", "127.0.0.1", "1"}, {"CONFIG", "SET", "replica-serve-stale-data", "no"}}, "", "", true, "name that in REDIS_URL"},
		"no writes":            {acl("+@all -set ~*"), "some:right", "", false, "lacks a right"},
		"no watching":          {acl("+@all -watch ~*"), "some:right", "", false, "lacks a right"},
		"no transactions":      {acl("+@all -multi ~*"), "some:right", "", false, "lacks a right"},
		"no end of them":       {acl("+@all -exec ~*"), "some:right", "", false, "lacks a right"},
		"a replica":            {[][]string{{"REPLICAOF", "127.0.0.1", "1"}}, "", "", false, "the server is a replica"},
		"missing replicas":     {[][]string{{"CONFIG", "SET", "min-replicas-to-write", "1"}}, "", "", false, "start them"},
		"a full memory":        {[][]string{{"CONFIG", "SET", "maxmemory", "1"}}, "", "", false, "it is full"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := start(t)
			errtest.None(t, store.New(open(t, redis.Options{URL: server.URL()}), store.Options{Key: seal.NewKey()}).Ping(t.Context()))
			for _, command := range test.refuse {
				errtest.Must(server.Do(t.Context(), command...))(t)
			}
			address := strings.Replace(server.URL(), "://", "://"+test.as+"@", 1) + test.query
			engine := open(t, redis.Options{URL: address})
			s := store.New(engine, store.Options{})
			check := func(what string, err error) {
				if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), test.want) {
					t.Errorf("%s: %v, want %v that says %q", what, err, store.ErrUnavailable, test.want)
				}
			}
			check("a trial", s.Try(t.Context()))
			_, encrypted := store.IsEncrypted(t.Context(), engine)
			members := engine.Read(t.Context(), "g1", func(read store.Reader) error {
				_, err := read.Members("x")
				return err
			})
			walk := engine.Walk(t.Context(), func([]store.Entry) error { return nil })
			for what, err := range map[string]error{"a read": readOne(t, engine), "the look at a key": encrypted, "a set": members, "a walk": walk} {
				if test.reads {
					check(what, err)
				} else if err != nil {
					t.Errorf("%s: %v, want no error", what, err)
				}
			}
		})
	}
}

// TestAServerThatCannotSaveIsSaid has a server that takes no writes, as its disk failed.
func TestAServerThatCannotSaveIsSaid(t *testing.T) {
	t.Parallel()
	server := start(t)
	errtest.Must(server.Do(t.Context(), "CONFIG", "SET", "save", "3600 1"))(t)
	errtest.None(t, os.Mkdir(filepath.Join(filepath.Dir(server.Socket()), "dump.rdb"), 0o700)) // where the file should be
	errtest.Must(server.Do(t.Context(), "BGSAVE"))(t)
	errtest.None(t, server.Says(t.Context(), "persistence", "rdb_last_bgsave_status:err"))
	err := store.New(open(t, redis.Options{URL: server.URL()}), store.Options{}).Try(t.Context())
	if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "make room on its disk") {
		t.Errorf("a trial returns %v, want %v that says what to do", err, store.ErrUnavailable)
	}
}

// TestClaimsAreExclusive lets processes claim, renew, release and finish the same keys while
// the server, which stores each write before it answers, is paused, killed and restarted, and
// its clients are cut off. Nobody may get a claim while another process may rely on it, nor
// after the key is done.
func TestClaimsAreExclusive(t *testing.T) {
	t.Parallel()
	const contenders, contested = 4, 20
	server := redistest.Started(redistest.StartDurable(t.Context()))(t)
	breaking, mend := context.WithCancel(t.Context())
	var broken sync.WaitGroup
	broken.Go(func() {
		for wait.For(breaking, rand.N(40*time.Millisecond)) == nil {
			if err := breakOnce(breaking, server); err != nil {
				t.Error(err)
				return
			}
		}
	})
	held := 0
	for claim := range contested {
		c := &contest{key: store.TriggerClaim(graph.MessageID(claim + 1))}
		var group sync.WaitGroup
		for range contenders {
			engine := open(t, redis.Options{URL: server.URL(), Timeout: 200 * time.Millisecond, Pause: 10 * time.Millisecond})
			group.Go(func() { c.competes(t.Context(), store.New(engine, store.Options{}).Claims) })
		}
		group.Wait()
		c.check(t)
		held += len(c.spans)
	}
	mend()
	broken.Wait()
	if held < contested/2 {
		t.Errorf("claims were held %d times, want %d at least", held, contested/2)
	}
}

// breakOnce breaks the server for a moment, and repairs it.
func breakOnce(ctx context.Context, server *redistest.Server) error {
	pause := func() { _ = wait.For(ctx, rand.N(150*time.Millisecond)) } // if ctx ends, the repair follows at once
	switch rand.IntN(4) {
	case 0:
		if err := server.Pause(); err != nil {
			return err
		}
		pause()
		return server.Resume()
	case 1:
		server.Kill()
		pause()
		return server.Restart(context.WithoutCancel(ctx))
	default:
		if _, err := server.Do(ctx, "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"); ctx.Err() == nil {
			return err
		}
		return nil
	}
}

// contest is a claim that several processes compete for. mu guards the fields below it.
type contest struct {
	key store.ClaimKey

	mu    sync.Mutex
	spans []*span
	done  time.Time // when a process was told that the key is done
}

// span is a time in which a process relied on the claim. It began to ask for it at asked.
type span struct{ asked, from, until time.Time }

// competes tries to get a claim, and then uses it in one of the ways in which it ends. The
// leases are short enough that they expire while other processes wait.
func (c *contest) competes(ctx context.Context, claims *store.Claims) {
	const attempts, lasts = 10, 60 * time.Millisecond
	for tried := 0; tried < attempts; {
		asked := time.Now()
		lease, err := claims.Claim(ctx, c.key, lasts)
		if errors.Is(err, store.ErrDone) {
			return
		}
		if !errors.Is(err, store.ErrUnavailable) { // another attempt makes up for it
			tried++
		}
		if err != nil {
			_ = wait.For(ctx, time.Millisecond) // Claim finds out what ended it
			continue
		}
		s := &span{asked, time.Now(), lease.Until}
		c.change(func() { c.spans = append(c.spans, s) })
		for err == nil && rand.IntN(3) > 0 {
			if lease, err = claims.Renew(ctx, lease, lasts); err == nil {
				c.change(func() { s.until = lease.Until })
			}
		}
		end := func() { s.until = earlier(s.until, time.Now()) }
		switch rand.IntN(8) {
		case 0:
			c.change(end)
			if claims.Done(ctx, lease, "answered") == nil {
				c.change(func() { c.done = time.Now() })
			}
		case 1, 2, 3, 4:
			c.change(end)
			_ = claims.Release(ctx, lease) // if it fails, the lease ends by itself
		default: // the process forgets the lease
		}
	}
}

func (c *contest) change(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// check fails the test if something happened that must not.
func (c *contest) check(t *testing.T) {
	t.Helper()
	const grain = 2 * time.Millisecond // with which engines measure the ends of leases
	for i, a := range c.spans {
		if !c.done.IsZero() && a.asked.After(c.done) {
			t.Errorf("%s was claimed after it was done", c.key)
		}
		for _, b := range c.spans[i+1:] {
			from := a.from
			if b.from.After(from) {
				from = b.from
			}
			if both := earlier(a.until, b.until).Sub(from); both > grain {
				t.Errorf("two processes held %s for %s", c.key, both)
			}
		}
	}
}
