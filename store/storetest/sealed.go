package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"golang.org/x/sync/errgroup"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/errtest"
	"heddle/store"
	"heddle/store/seal"
)

// Encrypted returns a function that opens the same engines for stores with a key.
func Encrypted(open func(t *testing.T) Subject) func(t *testing.T) Subject {
	return func(t *testing.T) Subject {
		t.Helper()
		s := open(t)
		s.Key = seal.NewKey()
		return s
	}
}

// RunEncrypted tests what a key adds to a store over an engine.
func RunEncrypted(t *testing.T, open func(t *testing.T) Subject) {
	t.Helper()
	for name, test := range map[string]func(bench){
		"no word can be read in the bytes":                       noCanary,
		"another key is refused, and so is none":                 otherKey,
		"a store that comes back empty goes on for many at once": cameBackEmptyForMany,
	} {
		t.Run(name, func(t *testing.T) { test(newBench(t, Encrypted(open)(t))) })
	}
}

// canary is a word that must not be readable in stored bytes.
const canary = "canary-7f3a"

// everything stores one entry of each kind, with the canary in each.
func everything(b bench) {
	b.Helper()
	r := withTools(canary)
	r.Path[0].Parts, r.Tail, r.CacheKey, r.Notice = answered(canary).Parts, canary, canary, canary
	r.Files = []path.Artifact{{Name: canary}}
	r.PathHash = hash(r)
	b.save(r)
	summary := response(home, 30, said("Ann", "a long story of "+canary))
	summary.Summarises, summary.Replies = 1, nil
	b.save(summary, fromSummary(summary, 35, "and "+canary+"?"))
	b.save(response(lone, 40, said("Ann", canary)))
	errtest.None(b, b.store.Responses.Show(b.ctx, home, []graph.MessageID{r.Replies[0].ID}, b.only(r).ID))
	errtest.None(b, b.store.Ratings.Rate(b.ctx, home, store.Rating{Message: r.Replies[0].ID, Person: 9, Good: true}))
	errtest.None(b, b.store.Names.Add(b.ctx, 1, 9, []store.Called{{Since: 3, Name: canary}}))
	errtest.None(b, b.store.Backlog.Take(b.ctx, store.Pending{Guild: 1, Channel: 2, Trigger: 3}))
	errtest.None(b, b.store.Backlog.Use(b.ctx, store.UsedChannel{Channel: 7}))
	errtest.Must(b.store.Responses.Rank(b.ctx, "m", 0.75))(b)
	errtest.None(b, b.store.Budgets.Spend(b.ctx, b.subject.Now(), store.Spent{Answers: 1, Prompt: 20}, store.Spender{Person: 9}))
}

func noCanary(b bench) {
	everything(b)
	dump := b.subject.Dump()
	for _, word := range []string{canary, "Ann", "stop", "hunter", "\x3f\x40\x00\x00", `"role"`} { // the last but one is 0.75 as it would be stored
		if bytes.Contains(dump, []byte(word)) {
			b.Errorf("%q can be read", word)
		}
	}
	for r, err := range b.store.Archive.Verify(b.ctx, home) {
		errtest.None(b, err)
		for _, hash := range append(r.Prompts, r.PathHash, r.RequestHash, r.ResponseHash, r.Root) {
			if bytes.Contains(dump, hash[:]) && hash != [32]byte{} {
				b.Errorf("a hash of %s can be read", r.ID)
			}
		}
		if bytes.Contains(dump, r.ID[:]) {
			b.Errorf("the id of %s can be read", r.ID)
		}
	}
}

// entries returns what the engine holds.
func (b bench) entries() []store.Entry {
	b.Helper()
	var all []store.Entry
	errtest.None(b, b.subject.Engine.Walk(b.ctx, func(some []store.Entry) error {
		all = append(all, some...)
		return nil
	}))
	return all
}

// writes makes writes in the engine.
func (b bench) writes(scope store.Scope, writes ...store.Write) {
	b.Helper()
	errtest.None(b, b.subject.Engine.Update(b.ctx, store.Change{Scope: scope, Make: func(store.Reader) ([]store.Write, error) { return writes, nil }}))
}

// process returns the store of another process with a key over the same bytes.
func (b bench) process(key *seal.Key) bench {
	b.subject.Key = key
	return newBench(b.T, b.subject)
}

func otherKey(b bench) {
	r := response(home, 1, said("Ann", "hi"))
	b.save(r)
	for name, key := range map[string]*seal.Key{"another key": seal.NewKey(), "no key": nil} {
		other := b.process(key)
		err := other.store.Ping(b.ctx)
		if !errors.Is(err, store.ErrKey) || !errors.Is(err, store.ErrUnavailable) {
			b.Errorf("with %s, opening the store returns %v, want ErrKey and ErrUnavailable", name, err)
		}
		b.ends(fmt.Sprintf("with %s, saving", name), other.store.Responses.Save(b.ctx, r), store.ErrKey)
	}
	b.whole(r)
}

// empties removes all entries of the engine.
func empties(b bench) {
	b.Helper()
	for _, entry := range b.entries() {
		b.writes(entry.Scope, store.Write{Kind: store.WriteDelete, Name: entry.Name})
	}
}

// cameBackEmptyForMany removes all entries below several running processes, which then all
// save several responses at once.
func cameBackEmptyForMany(b bench) {
	const processes, calls = 4, 4
	all := make([]bench, processes)
	for i := range all {
		all[i] = b.process(b.subject.Key)
		all[i].save(response(home, graph.MessageID(i+1), said("Ann", fmt.Sprint("before ", i))))
	}
	empties(b)
	var group errgroup.Group
	saved := make([]store.Response, processes*calls)
	for i := range saved {
		saved[i] = response(home, graph.MessageID(10*i+50), said("Ann", fmt.Sprint("hi ", i)))
		group.Go(func() error { return all[i%processes].store.Responses.Save(b.ctx, saved[i]) })
	}
	errtest.None(b, group.Wait())
	b.whole(saved...)
	b.process(b.subject.Key).whole(saved...)
}
