package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"heddle/graph"
	"heddle/store"
	"heddle/store/encrypted"
)

// Encrypted returns a function that opens the same engines with encryption on top.
func Encrypted(open func(t *testing.T) Subject) func(t *testing.T) Subject {
	return func(t *testing.T) Subject {
		t.Helper()
		return cipher(t, open).subject
	}
}

// BenchEncrypted is Bench with encryption on top of the engines.
func BenchEncrypted(b *testing.B, open func(b *testing.B) (store.Engine, func() int)) {
	b.Helper()
	Bench(b, func(b *testing.B) (store.Engine, func() int) {
		b.Helper()
		engine, size := open(b)
		inner, ok := engine.(encrypted.Inner)
		if !ok {
			b.Fatalf("%T cannot be encrypted, want an encrypted.Inner", engine)
		}
		return encrypted.New(inner, encrypted.Options{Master: encrypted.NewMaster()}), size
	})
}

// RunEncrypted tests encryption on top of an engine.
func RunEncrypted(t *testing.T, open func(t *testing.T) Subject) {
	t.Helper()
	for name, test := range map[string]func(enciphered){
		"no word can be read in the bytes":                        noCanary,
		"a value that was moved is damaged":                       movedValues,
		"a value is read under its own name alone":                movedAnywhere,
		"a scope that is forgotten cannot be read in old copies":  forgottenScope,
		"another process learns that a scope was forgotten":       forgottenElsewhere,
		"another key is refused, and so is none":                  otherKey,
		"what was stored before is encrypted":                     encryptedLater,
		"encrypting what was stored before survives interruption": encryptedInSteps,
		"what is erased while it is encrypted stays erased":       erasedMeanwhile,
		"a damaged key costs its scope alone":                     damagedKey,
		"a change of the key survives interruption":               rekeyedInSteps,
		"a store that comes back empty goes on":                   cameBackEmpty,
		"a store that comes back empty goes on for many at once":  cameBackEmptyForMany,
		"processes that begin a scope at once agree on its key":   begunAtOnce,
		"a process without a key ends writing once there is one":  encryptedElsewhere,
		"keys last as long as what they encrypt":                  keysLast,
	} {
		t.Run(name, func(t *testing.T) { test(cipher(t, open)) })
	}
}

// enciphered is a store with encryption, with the engine below it.
type enciphered struct {
	bench

	inner encrypted.Inner
	key   *encrypted.Master
}

func cipher(t *testing.T, open func(t *testing.T) Subject) enciphered {
	t.Helper()
	s := open(t)
	inner, ok := s.Engine.(encrypted.Inner)
	if !ok {
		t.Fatalf("%T cannot be encrypted, want an encrypted.Inner", s.Engine)
	}
	e := enciphered{bench{T: t, subject: s, ctx: t.Context()}, inner, encrypted.NewMaster()}
	e.subject.Readable = false
	e.subject.Engine = e.engine(e.key)
	e.store = store.New(e.subject.Engine, store.Options{Now: s.Now})
	return e
}

// engine returns an encrypting engine with a key on top of the engine below, as another
// process would open it.
func (e *enciphered) engine(key *encrypted.Master) store.Engine { //nolint:ireturn // as stores take it
	return encrypted.New(e.inner, encrypted.Options{Master: key, Now: e.subject.Now})
}

// process returns the store of another process over the same bytes.
func (e *enciphered) process(engine store.Engine) bench {
	other := e.bench
	other.store = store.New(engine, store.Options{Now: e.subject.Now})
	return other
}

// canary is a word that must not be readable in stored bytes.
const canary = "canary-7f3a"

// everything stores one entry of each kind, with the canary in each.
func everything(b bench) {
	b.Helper()
	r := withTools(canary)
	r.Path[0].Parts, r.Tail, r.CacheKey, r.Notice = answered(canary).Parts, canary, canary, canary
	r.Files = []store.Artifact{{Name: canary}}
	r.PathHash = hash(r)
	b.save(r)
	summary := response(home, 30, said("Ann", "a long story of "+canary))
	summary.Summarises, summary.Replies = 1, nil
	b.save(summary, fromSummary(summary, 35, "and "+canary+"?"))
	b.save(response("d7", 40, said("Ann", canary)))
	b.must(b.store.Displays.Show(b.ctx, home, []graph.MessageID{r.Replies[0].ID}, b.only(r).ID))
	b.must(b.store.Displays.Offer(b.ctx, home, 1, store.Offer{Answer: 5}))
	b.must(b.store.Ratings.Rate(b.ctx, home, store.Rating{Message: r.Replies[0].ID, Person: 9, Good: true}))
	b.must(b.store.Backlog.Enqueue(b.ctx, store.Pending{Guild: 1, Channel: 2, Trigger: 3}))
	b.must(b.store.Backlog.Direct(b.ctx, 7))
	_, err := b.store.Measures.Rank(b.ctx, "m", 0.75)
	b.must(err)
	_, err = b.store.Responses.Seek(b.ctx, store.Want{Scope: home, PathHash: r.PathHash, Model: "another"}, time.Minute)
	b.must(err)
}

func noCanary(e enciphered) {
	e.must(e.store.Ping(e.ctx))
	everything(e.bench)
	dump := e.subject.Dump()
	for _, word := range []string{canary, "Ann", "stop", "hunter", "\x3f\x40\x00\x00", `"role"`} { // the last but one is 0.75 as it would be stored
		if bytes.Contains(dump, []byte(word)) {
			e.Errorf("%q can be read", word)
		}
	}
	for r, err := range e.store.Archive.All(e.ctx, home) {
		e.must(err)
		for _, hash := range append(r.Prompts, r.PathHash, r.RequestHash, r.ResponseHash, r.Root) {
			if bytes.Contains(dump, hash[:]) && hash != [32]byte{} {
				e.Errorf("a hash of %s can be read", r.ID)
			}
		}
		if bytes.Contains(dump, r.ID[:]) {
			e.Errorf("the id of %s can be read", r.ID)
		}
	}
	e.must(e.store.Deletions.ForgetGuild(e.ctx, 1))
	_, err := e.inner.Sweep(e.ctx)
	e.must(err)
	if bytes.Contains(e.subject.Dump(), []byte(canary)) {
		e.Error("the canary can be read after its deletion")
	}
}

// entries returns what the engine below holds.
func (e *enciphered) entries() []store.Entry {
	e.Helper()
	var all []store.Entry
	e.must(e.inner.Walk(e.ctx, func(some []store.Entry) error {
		all = append(all, some...)
		return nil
	}))
	return all
}

// set stores an entry in the engine below.
func (e *enciphered) set(entry store.Entry) {
	e.Helper()
	op := store.Op{Kind: store.OpAdd, Name: entry.Name, Value: entry.Member, TTL: entry.TTL}
	change := store.Change{Scope: entry.Scope, Ops: []store.Op{op}}
	if entry.Member == "" {
		op.Kind, op.Value = store.OpPut, string(entry.Value)
		change.Ops = []store.Op{{Kind: store.OpDelete, Name: entry.Name}, op}
	}
	_, err := e.inner.Apply(e.ctx, change)
	e.must(err)
}

// movedValues swaps the values of random pairs of entries. Reads afterwards must return
// what was stored, or nothing.
func movedValues(e enciphered) {
	e.must(e.store.Ping(e.ctx))
	true1, true2 := response(home, 1, said("Ann", "one")), response(home, 2, said("Bob", "two"))
	e.save(true1, true2, response("d7", 3, said("Cyd", "three")))
	e.whole(true1, true2)
	var values []store.Entry
	for _, entry := range e.entries() {
		if entry.Member == "" && entry.Scope[0] != '_' && entry.Name != store.KeyName {
			values = append(values, entry)
		}
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test's
	for range 30 {
		one, other := values[random.IntN(len(values))], values[random.IntN(len(values))]
		if one.Scope == other.Scope && one.Name == other.Name {
			continue
		}
		swapped := one
		swapped.Value = other.Value
		e.set(swapped)
		for _, r := range []store.Response{true1, true2} {
			found, err := e.byPath(r)
			e.must(err)
			if len(found) > 0 && found[0].Text != r.Text {
				e.Fatalf("%q is read as %q", r.Text, found[0].Text)
			}
			for _, turns := range found {
				got, err := e.store.Responses.Turns(e.ctx, turns)
				if err == nil && fmt.Sprint(got) != fmt.Sprint(r.Path) {
					e.Fatalf("%v is read as %v", r.Path, got)
				}
			}
		}
		e.set(one)
	}
	e.whole(true1, true2)
	if e.store.Stats().Damaged == 0 {
		e.Error("no damaged entry was counted")
	}
}

// movedAnywhere moves every value to every other place and reads it there.
func movedAnywhere(e enciphered) {
	e.must(e.store.Ping(e.ctx))
	var keys []store.Key
	for _, scope := range []store.Scope{home, "d7", "_own", "_too"} {
		for _, name := range []string{"t1", "t2", "record"} {
			keys = append(keys, store.Key{Scope: scope, Name: name})
		}
	}
	for _, key := range keys {
		e.put(key, []byte("value of "+string(key.Scope)+key.Name))
	}
	stored := e.entries()
	for _, from := range stored {
		for _, to := range stored {
			if from.Member != "" || to.Member != "" || from.Name == store.KeyName || to.Name == store.KeyName ||
				to.Scope == store.ScopeMeta || from.Scope == store.ScopeMeta || from.Key == to.Key {
				continue
			}
			moved := to
			moved.Value = from.Value
			e.set(moved)
			values, err := e.subject.Engine.Get(e.ctx, keys...)
			e.must(err)
			refused := 0
			for i, value := range values {
				if want := "value of " + string(keys[i].Scope) + keys[i].Name; string(value) != want && len(value) != 0 {
					e.Fatalf("%q is read in place of %q", value, want)
				} else if len(value) == 0 {
					refused++
				}
			}
			if refused != 1 {
				e.Errorf("%d values are refused, want 1", refused)
			}
			e.set(to)
		}
	}
}

// forgottenScope forgets a scope, and then restores all of its entries except the keys.
func forgottenScope(e enciphered) {
	e.must(e.store.Ping(e.ctx))
	guild, direct := response(home, 1, said("Ann", "secret")), response("d7", 2, said("Ann", "secret"))
	direct.Channel = 7
	e.save(guild, direct)
	before := e.entries()
	e.must(e.store.Deletions.ForgetGuild(e.ctx, 1))
	e.must(e.store.Deletions.ForgetChannel(e.ctx, "d7", 7))
	for _, entry := range e.entries() {
		if entry.Name == store.KeyName && entry.Scope != store.ScopeMeta {
			e.Errorf("the key of %s is still there", entry.Scope)
		}
	}
	for _, entry := range before {
		if entry.Name != store.KeyName {
			e.set(entry)
		}
	}
	late := e.process(e.engine(e.key))
	late.gone(guild, direct)
	late.save(response(home, 1<<62, said("Bob", "anew")))
	late.gone(guild, direct)
}

func forgottenElsewhere(e enciphered) {
	e.must(e.store.Ping(e.ctx))
	other := e.process(e.engine(e.key))
	first := response(home, 1, said("Ann", "secret"))
	e.save(first)
	other.whole(first)
	e.must(e.store.Deletions.ForgetGuild(e.ctx, 1))
	other.gone(first)
	const later = 1 << 62
	second, third := response(home, later, said("Ann", "one")), response(home, later+1, said("Ann", "two"))
	other.save(second) // under a new key, although the process has cached the old one
	e.save(third)
	e.whole(second, third)
	other.whole(second, third)
	if err := other.store.Responses.Save(e.ctx, first); !errors.Is(err, store.ErrForgotten) {
		e.Errorf("saving what was forgotten elsewhere returns %v, want %v", err, store.ErrForgotten)
	}
}

func otherKey(e enciphered) {
	e.must(e.store.Ping(e.ctx))
	r := response(home, 1, said("Ann", "hi"))
	e.save(r)
	for name, engine := range map[string]store.Engine{
		"another key": e.engine(encrypted.NewMaster()), "no key": encrypted.NewUnencrypted(e.inner, e.subject.Now),
	} {
		other := e.process(engine)
		err := other.store.Ping(e.ctx)
		if !errors.Is(err, store.ErrKey) || !errors.Is(err, store.ErrUnavailable) {
			e.Errorf("with %s, opening the store returns %v, want ErrKey and ErrUnavailable", name, err)
		}
		if err := other.store.Responses.Save(e.ctx, r); !errors.Is(err, store.ErrKey) {
			e.Errorf("with %s, saving returns %v, want %v", name, err, store.ErrKey)
		}
	}
	e.whole(r)
}

// cameBackEmpty removes all entries of the engine below a running process.
func cameBackEmpty(e enciphered) {
	e.must(e.store.Ping(e.ctx))
	first, second := response(home, 1, said("Ann", "hi")), response(home, 50, said("Bob", "and?"))
	e.save(first)
	empties(e)
	e.save(second)
	e.whole(second)
	e.subject.Advance(2 * time.Minute) // after this time the process looks for the store's own key again
	e.whole(second)
	e.process(e.engine(e.key)).whole(second)
}

// empties removes all entries of the engine below.
func empties(e enciphered) {
	e.Helper()
	for _, entry := range e.entries() {
		op := store.Op{Kind: store.OpDelete, Name: entry.Name}
		_, err := e.inner.Apply(e.ctx, store.Change{Scope: entry.Scope, Ops: []store.Op{op}})
		e.must(err)
	}
}

// cameBackEmptyForMany removes all entries below several running processes, which then all
// save several responses at once.
func cameBackEmptyForMany(e enciphered) {
	const processes, calls = 4, 4
	all := make([]bench, processes)
	for i := range all {
		all[i] = e.process(e.engine(e.key))
		all[i].save(response(home, graph.MessageID(i+1), said("Ann", fmt.Sprint("before ", i))))
	}
	empties(e)
	var group errgroup.Group
	saved := make([]store.Response, processes*calls)
	for i := range saved {
		saved[i] = response(home, graph.MessageID(10*i+50), said("Ann", fmt.Sprint("hi ", i)))
		group.Go(func() error { return all[i%processes].store.Responses.Save(e.ctx, saved[i]) })
	}
	e.must(group.Wait())
	e.whole(saved...)
	e.process(e.engine(e.key)).whole(saved...)
}

// begunAtOnce lets many processes begin the same store and scope at the same time.
func begunAtOnce(e enciphered) {
	const processes = 8
	var group errgroup.Group
	all := make([]store.Response, processes)
	for i := range all {
		all[i] = response(home, graph.MessageID(10*i+1), said("Ann", fmt.Sprint("hi ", i)))
		own := e.process(e.engine(e.key))
		group.Go(func() error {
			if err := own.store.Ping(e.ctx); err != nil {
				return fmt.Errorf("ping: %w", err)
			}
			return own.store.Responses.Save(e.ctx, all[i])
		})
	}
	e.must(group.Wait())
	e.whole(all...)
	e.process(e.engine(e.key)).whole(all...)
}

func encryptedElsewhere(e enciphered) {
	late := e.process(encrypted.NewUnencrypted(e.inner, e.subject.Now))
	late.must(late.store.Ping(e.ctx))
	late.save(response(home, 1, said("Ann", "hi")))
	e.must(e.store.Ping(e.ctx))
	e.subject.Advance(2 * time.Minute)
	if err := late.store.Responses.Save(e.ctx, response(home, 2, said("Ann", "and?"))); !errors.Is(err, store.ErrKey) {
		e.Errorf("saving returns %v, want %v", err, store.ErrKey)
	}
	e.whole(response(home, 1, said("Ann", "hi")))
}

func keysLast(e enciphered) {
	e.must(e.store.Ping(e.ctx))
	for day := range 10 {
		r := response(home, graph.MessageID(1+day), said("Ann", "hi"))
		e.save(r)
		e.subject.Advance(29 * 24 * time.Hour)
		e.whole(r)
	}
	e.subject.Advance(100 * 24 * time.Hour)
	_, err := e.inner.Sweep(e.ctx)
	e.must(err)
	for _, entry := range e.entries() {
		if entry.Scope == home {
			e.Errorf("%.1q is still there", entry.Name)
		}
	}
}
