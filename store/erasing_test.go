package store_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/internal/wait"
	"heddle/store"
	"heddle/store/bolt"
	"heddle/store/storetest"
)

// gated is an engine that can be away, and whose updates of one scope can wait.
type gated struct {
	store.Engine

	away  atomic.Bool
	tried wait.Signal // a call failed as it is away
	scope store.Scope
	gate  chan struct{}
}

func (g *gated) Read(ctx context.Context, scope store.Scope, read func(store.Reader) error) error {
	if g.away.Load() {
		g.tried.Set()
		return store.ErrUnavailable
	}
	return g.Engine.Read(ctx, scope, read)
}

func (g *gated) Update(ctx context.Context, changes ...store.Change) error {
	if g.away.Load() {
		g.tried.Set()
		return store.ErrUnavailable
	}
	if g.gate != nil && changes[len(changes)-1].Scope == g.scope {
		<-g.gate
	}
	return g.Engine.Update(ctx, changes...)
}

// erasing is a running Erasing over a store, with its results.
type erasing struct {
	*store.Erasing

	t      *testing.T
	store  *store.Store
	engine *gated
	end    func() // closes it and waits for its end

	mu      sync.Mutex
	results []store.Erased
}

func newErasing(t *testing.T) *erasing {
	t.Helper()
	engine := &gated{tried: wait.NewSignal(), Engine: errtest.Must(bolt.Open(bolt.Options{Dir: t.TempDir()}))(t)}
	s := store.New(engine, store.Options{})
	e := &erasing{Erasing: store.NewErasing(s, slog.New(slog.DiscardHandler)), t: t, store: s, engine: engine}
	var running sync.WaitGroup
	e.end = sync.OnceFunc(func() {
		e.Close()
		running.Wait()
	})
	t.Cleanup(func() {
		e.end()
		errtest.None(t, s.Close())
	})
	running.Go(func() { e.Run(t.Context()) })
	running.Go(func() {
		for result := range e.Results() {
			e.mu.Lock()
			e.results = append(e.results, result)
			e.mu.Unlock()
		}
	})
	return e
}

// left returns how many of the answers to questions are stored in a scope.
func (e *erasing) left(scope store.Scope) (left int) {
	e.t.Helper()
	for _, err := range e.store.Archive.All(e.t.Context(), scope) {
		errtest.None(e.t, err)
		left++
	}
	return left
}

// save stores answers to the questions 1 to n of a channel.
func (e *erasing) save(scope store.Scope, channel graph.ChannelID, n graph.MessageID) {
	e.t.Helper()
	for question := graph.MessageID(1); question <= n; question++ {
		r := storetest.Example(scope, question)
		r.Channel, r.Sources[0].Channel = channel, channel
		errtest.None(e.t, e.store.Responses.Save(e.t.Context(), r))
	}
}

// TestAQuestionWaitsForTheErasuresOfItsGuildAlone erases one guild, whose erasure waits, and
// messages of another one and of a direct message.
func TestAQuestionWaitsForTheErasuresOfItsGuildAlone(t *testing.T) {
	e := newErasing(t)
	e.save("g1", 1, 3)
	e.save("g2", 2, 3)
	e.save("d5", 5, 1)
	e.engine.scope, e.engine.gate = "g1", make(chan struct{})
	e.Left(1)
	e.Deleted("g2", 2, 1)
	e.Deleted("d5", 5, 1)
	for _, scope := range []store.Scope{"g2", "g2.c7", "d5", "g3"} {
		if !e.Await(t.Context(), scope) {
			t.Errorf("a question in %s waits for the erasure of another guild", scope)
		}
	}
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if e.Await(short, "g1.c7") || e.left("g1") == 0 {
		t.Error("a question in a guild that is being erased waits for nothing, want it to wait")
	}
	close(e.engine.gate)
	if !e.Await(t.Context(), "g1") || e.left("g1") != 0 || e.left("g2") != 2 || e.left("d5") != 0 {
		t.Errorf("%d, %d and %d answers are left, want 0, 2 and 0", e.left("g1"), e.left("g2"), e.left("d5"))
	}
	e.end()
	var answers []graph.MessageID
	for _, result := range e.results {
		answers = append(answers, result.Answers[1].Messages...)
	}
	if !slices.Equal(answers, []graph.MessageID{1000, 1000}) {
		t.Errorf("the answers to the deleted questions are %v, want 1000 in both places", answers)
	}
}

// guildOf returns the scope of a guild and one of its channels.
func guildOf(n int) (store.Scope, graph.ChannelID) {
	return store.GuildScope(graph.GuildID(n + 1)), graph.ChannelID(n + 1)
}

// settled waits until the deletions of a guild are carried out. A first attempt may find out
// that the store is away.
func (e *erasing) settled(scope store.Scope) {
	e.t.Helper()
	for !e.Settle(e.t.Context(), scope) {
		if e.t.Context().Err() != nil {
			e.t.Fatalf("waited in vain until the deletions in %s are carried out", scope)
		}
	}
}

// bounded fails the test if more messages wait than may.
func (e *erasing) bounded() {
	e.t.Helper()
	if waiting := e.Waiting(); waiting > 1<<20 {
		e.t.Errorf("%d messages wait, want a million at most", waiting)
	}
}

// TestDeletionsWaitInBoundedMemoryWhileTheStoreIsAway adds two million edits and a thousand
// deletions in many guilds, none in the last, and in the first also its channel and more
// deletions than a guild may hold.
func TestDeletionsWaitInBoundedMemoryWhileTheStoreIsAway(t *testing.T) {
	const guilds, edits, deletions = 251, 2_000_000, 4
	e := newErasing(t)
	var scopes []store.Scope
	for n := range guilds {
		scope, channel := guildOf(n)
		if scopes = append(scopes, scope); n%50 == 0 {
			e.save(scope, channel, deletions+1)
		}
	}
	e.engine.away.Store(true)
	for i := range edits {
		e.Edited(scopes[i%guilds], store.Edit{Channel: graph.ChannelID(i%guilds + 1), Message: graph.MessageID(1000 + i), At: time.Unix(int64(i), 0)})
	}
	e.bounded()
	first, channel := guildOf(0)
	e.Lost(first, channel)
	for n := range guilds - 1 {
		scope, channel := guildOf(n)
		for message := range graph.MessageID(deletions) {
			e.Deleted(scope, channel, 1+message)
		}
	}
	for message := range graph.MessageID(5000) {
		e.Deleted(first, channel, 10+message)
	}
	e.bounded()
	if e.Await(t.Context(), first) {
		t.Error("a question waits for nothing while the store is away, want it to be told")
	}
	e.engine.away.Store(false)
	for n := range guilds - 1 {
		e.settled(scopes[n])
		if left, want := e.left(scopes[n]), min(n, 1); n%50 == 0 && left != want {
			t.Errorf("%d answers are left in guild %d, want %d", left, n, want)
		}
	}
	e.end()
	overflown := make(map[store.Scope]bool)
	for _, result := range e.results {
		overflown[result.Scope] = overflown[result.Scope] || result.Overflown
	}
	if len(overflown) != guilds || !overflown[first] || !overflown[scopes[guilds-1]] {
		t.Errorf("%d guilds have results, want all %d, to be checked", len(overflown), guilds)
	}
}

// TestErasingTriesEverythingOnceMoreAtTheEnd closes an Erasing whose store is away, and one
// whose store is back.
func TestErasingTriesEverythingOnceMoreAtTheEnd(t *testing.T) {
	for back, want := range map[bool]int{true: 0, false: 2} {
		e := newErasing(t)
		e.save("g1", 100, 2)
		e.engine.away.Store(true)
		e.Deleted("g1", 100, 1)
		e.Await(t.Context(), "g1")
		e.Deleted("g1", 100, 2)
		e.engine.away.Store(!back)
		e.end()
		e.engine.away.Store(false)
		if left := e.left("g1"); left != want {
			t.Errorf("%d answers are left after the end, want %d", left, want)
		}
	}
}

// TestAnEditWaitsForTheStore adds an edit that is tried while the store is away, and another one
// and a deletion after that.
func TestAnEditWaitsForTheStore(t *testing.T) {
	e := newErasing(t)
	e.save("g1", 100, 2)
	e.engine.away.Store(true)
	e.Edited("g1", store.Edit{Channel: 100, Message: 1, At: time.Now()})
	if wait.Until(t.Context(), e.engine.tried, time.Minute) != nil || t.Context().Err() != nil {
		t.Fatal("waited in vain until the store was tried")
	}
	e.Edited("g1", store.Edit{Channel: 100, Message: 2, At: time.Now()})
	e.Deleted("g1", 100, 2)
	e.engine.away.Store(false)
	e.settled("g1")
	if e.left("g1") != 1 {
		t.Errorf("%d answers are left, want 1", e.left("g1"))
	}
	e.end()
	before := e.left("g1")
	later := store.New(e.engine, store.Options{Clock: func() time.Time { return time.Now().Add(time.Hour) }})
	errtest.None(t, later.Deletions.Finish(t.Context()))
	if before != 1 || e.left("g1") != 0 {
		t.Errorf("%d answers from an older version are left an hour later, want none", e.left("g1"))
	}
}
