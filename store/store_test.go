package store_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/store"
	"heddle/store/bolt"
	"heddle/store/storetest"
)

func open(t *testing.T) *bolt.DB {
	t.Helper()
	return errtest.Must(bolt.Open(bolt.Options{Dir: t.TempDir()}))(t)
}

func TestScopesKeepChannelsApart(t *testing.T) {
	seen := make(map[store.Scope]bool)
	for _, scope := range []store.Scope{
		store.GuildScope(1), store.GuildScope(11), store.ChannelScope(1, 1), store.ChannelScope(1, 11),
		store.ChannelScope(11, 1), store.ChannelScope(0, 1), store.ChannelScope(0, 11),
	} {
		if seen[scope] {
			t.Errorf("two places share the scope %q, want one for each", scope)
		}
		seen[scope] = true
	}
}

func TestAnOutageIsLoggedOnceAndWithoutText(t *testing.T) {
	var log bytes.Buffer
	db := open(t)
	s := store.New(db, store.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	r := storetest.Example("g1", 1)
	errtest.None(t, s.Responses.Save(t.Context(), r))
	errtest.None(t, s.Close())
	for range 3 {
		if err := s.Responses.Save(t.Context(), r); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("saving returns %v, want %v", err, store.ErrUnavailable)
		}
	}
	if text := log.String(); strings.Count(text, "\n") != 1 || strings.Contains(text, r.Text) {
		t.Errorf("the log is %q, want one line without the answer's text", text)
	}
	if failed := s.Stats().Failed; failed != 3 {
		t.Errorf("%d failures are counted, want 3", failed)
	}
}

func TestPingMarksTheStoreAndRefusesThatOfAnotherVersion(t *testing.T) {
	db := open(t)
	s := store.New(db, store.Options{})
	for range 2 {
		errtest.None(t, s.Ping(t.Context()))
	}
	for _, schema := range []string{"1", "6", "8", "x", ""} {
		write := store.Write{Kind: store.WritePut, Name: "schema", Value: schema, TTL: time.Hour}
		change := store.Change{Scope: store.ScopeMeta, Make: func(store.Reader) ([]store.Write, error) { return []store.Write{write}, nil }}
		errtest.None(t, db.Update(t.Context(), change))
		if err := s.Ping(t.Context()); !errors.Is(err, store.ErrSchema) {
			t.Errorf("a store of schema %q returns %v, want %v", schema, err, store.ErrSchema)
		}
	}
}

// ending is the engine of a process that ends after a number of writes.
type ending struct {
	store.Engine

	left int
}

func (e *ending) Update(ctx context.Context, changes ...store.Change) error {
	if e.left == 0 {
		return store.ErrUnavailable
	}
	e.left--
	return e.Engine.Update(ctx, changes...)
}

// TestRunResumesAnInterruptedDeletion ends a process after it has erased an answer, but
// not yet what was made from it.
func TestRunResumesAnInterruptedDeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := open(t)
		s := store.New(engine, store.Options{})
		first, second := storetest.Example("g1", 1), storetest.Example("g1", 2)
		second.Sources = append(second.Sources, store.SourceRef{Message: first.Replies[0].ID, Channel: 7})
		for _, r := range []store.Response{first, second} {
			errtest.None(t, s.Responses.Save(t.Context(), r))
		}
		broken := store.New(&ending{engine, 2}, store.Options{})
		if _, err := broken.Deletions.Forget(t.Context(), "g1", 7, []graph.MessageID{1}); err == nil {
			t.Fatal("the deletion was not interrupted")
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := s.Run(ctx); err != nil {
			t.Error(err)
		}
		for _, r := range []store.Response{first, second} {
			if found, err := s.Responses.ByTrigger(t.Context(), "g1", r.Trigger); err != nil || len(found) != 0 {
				t.Errorf("for trigger %d %d responses are left, want none; the error is %v", r.Trigger, len(found), err)
			}
		}
	})
}

// sweeping is an engine with a number of entries to sweep.
type sweeping struct {
	store.Engine

	left int
}

func (s *sweeping) Sweep(context.Context) (int, error) {
	if s.left == 0 {
		return 0, nil
	}
	s.left--
	return 1, nil
}

func TestRunSweepsUntilItIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &sweeping{Engine: open(t), left: 3}
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
		defer stop()
		if err := store.New(engine, store.Options{}).Run(ctx); err != nil {
			t.Error(err)
		}
		if engine.left != 0 {
			t.Errorf("%d entries are left, want none", engine.left)
		}
	})
}

// TestForgettingAChannelGoesByDiscordsTime runs a store on machines whose clocks are
// ten minutes off. Forgetting a channel covers the messages that Discord has at that
// time, and no later ones.
func TestForgettingAChannelGoesByDiscordsTime(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"ahead": 10 * time.Minute, "behind": -10 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			discord := func() time.Time { return time.Now().Add(-ahead) }
			s := store.New(open(t), store.Options{Clock: discord})
			t.Cleanup(func() { _ = s.Close() })
			asked := func(at time.Time) error {
				r := storetest.Example("g1", 1)
				r.Trigger = graph.FirstMessageID(at)
				return s.Responses.Save(t.Context(), r)
			}
			r := storetest.Example("g1", 1)
			errtest.None(t, s.Deletions.Erase(t.Context(), store.Erasure{Channel: r.Channel, Scope: "g1"}))
			if err := asked(discord()); !errors.Is(err, store.ErrForgotten) {
				t.Errorf("saving an answer to an earlier question returns %v, want ErrForgotten", err)
			}
			if err := asked(discord().Add(2 * time.Minute)); err != nil {
				t.Errorf("saving an answer to a later question returns %v, want no error", err)
			}
			if since, err := s.Backlog.Since(t.Context()); err != nil || discord().Sub(since).Abs() > time.Minute {
				t.Errorf("the store remembers since %s, want now: %v", since, err)
			}
		})
	}
}
