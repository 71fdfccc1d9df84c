package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"heddle/graph"
	"heddle/store"
	"heddle/store/encrypted"
)

// failing is an engine whose process ends after some changes.
type failing struct {
	encrypted.Inner

	left int
}

var errEnded = errors.New("the process has ended")

func (f *failing) Apply(ctx context.Context, changes ...store.Change) ([]int, error) {
	if f.left--; f.left < 0 {
		return nil, errEnded
	}
	return f.Inner.Apply(ctx, changes...)
}

func encryptedLater(e enciphered) {
	plain := e.process(e.inner)
	plain.must(plain.store.Ping(e.ctx))
	everything(plain)
	forget(plain, []graph.MessageID{40})
	before := dumpOf(plain)
	e.must(e.store.Ping(e.ctx))
	is(e.bench, dumpOf(e.bench), before)
	_, err := e.inner.Sweep(e.ctx)
	e.must(err)
	if bytes.Contains(e.subject.Dump(), []byte(canary)) {
		e.Error("the canary can be read after the change of the key")
	}
	if err := e.process(encrypted.NewUnencrypted(e.inner, e.subject.Now)).store.Ping(e.ctx); !errors.Is(err, store.ErrKey) {
		e.Errorf("without the key, the store returns %v, want %v", err, store.ErrKey)
	}
}

// dumpOf returns all responses of some scopes as text, with the ways by which they are
// found.
func dumpOf(b bench) map[string]string {
	b.Helper()
	all := make(map[string]string)
	for _, scope := range []store.Scope{home, "d7"} {
		for r, err := range b.store.Archive.All(b.ctx, scope) {
			b.must(err)
			turns, _ := b.store.Responses.Turns(b.ctx, r)
			asked, err := b.store.Responses.ByTrigger(b.ctx, scope, r.Trigger)
			b.must(err)
			all[r.ID.String()] = fmt.Sprintf("%+v %+v %d", r, turns, len(asked))
		}
		report, err := b.store.Archive.Verify(b.ctx, scope)
		b.must(err)
		all["report of "+string(scope)] = fmt.Sprintf("%+v", report)
	}
	return all
}

func encryptedInSteps(e enciphered) {
	plain := e.process(e.inner)
	plain.must(plain.store.Ping(e.ctx))
	everything(plain)
	before := dumpOf(plain)
	for steps := 0; ; steps++ {
		ending := encrypted.New(&failing{e.inner, steps}, encrypted.Options{Master: e.key, Now: e.subject.Now})
		err := e.process(ending).store.Ping(e.ctx)
		if err == nil {
			break
		}
		if !errors.Is(err, errEnded) {
			e.Fatal(err)
		}
	}
	is(e.bench, dumpOf(e.bench), before)
}

// racing is an engine that calls a function between a read and the next change.
type racing struct {
	encrypted.Inner

	between func([]store.Entry)
}

func (r *racing) Walk(ctx context.Context, f func([]store.Entry) error) error {
	const some = 100
	return r.Inner.Walk(ctx, func(entries []store.Entry) error {
		for part := range slices.Chunk(entries, some) {
			r.between(part)
			if err := f(part); err != nil {
				return err
			}
		}
		return nil
	})
}

func erasedMeanwhile(e enciphered) {
	plain := e.process(e.inner)
	plain.must(plain.store.Ping(e.ctx))
	everything(plain)
	erase := func(entries []store.Entry) {
		for _, entry := range entries {
			if entry.Scope[0] != '_' && entry.Member == "" && entry.Name[0] >= 'a' && entry.Name != store.KeyName {
				_, err := e.inner.Apply(e.ctx, store.Change{Scope: entry.Scope, Ops: []store.Op{{Kind: store.OpDelete, Name: entry.Name}}})
				e.must(err)
			}
		}
	}
	late := encrypted.New(&racing{e.inner, erase}, encrypted.Options{Master: e.key, Now: e.subject.Now})
	e.must(e.process(late).store.Ping(e.ctx))
	for _, entry := range e.entries() {
		if entry.Member == "" && entry.Scope[0] != '_' && entry.Name != store.KeyName {
			e.Errorf("an entry of kind %.1q exists again in %s", entry.Name, entry.Scope)
		}
	}
}

func damagedKey(e enciphered) {
	e.must(e.store.Ping(e.ctx))
	lost, kept := response(home, 1, said("Ann", "hi")), response("d7", 2, said("Ann", "hi"))
	e.save(lost, kept)
	for _, entry := range e.entries() {
		if entry.Scope == home && entry.Name == store.KeyName {
			entry.Value[len(entry.Value)-1] ^= 1
			e.set(entry)
		}
	}
	other := e.process(e.engine(e.key))
	other.gone(lost)
	other.whole(kept)
	other.save(lost)
	other.whole(lost)
}

func rekeyedInSteps(e enciphered) {
	e.must(e.store.Ping(e.ctx))
	r, direct := response(home, 1, said("Ann", "hi")), response("d7", 2, said("Ann", "hi"))
	e.save(r, direct)
	next := encrypted.NewMaster()
	for steps := 0; ; steps++ {
		err := encrypted.Rekey(e.ctx, &failing{e.inner, steps}, e.key, next, nobodyElse)
		if err == nil {
			break
		}
		if !errors.Is(err, errEnded) {
			e.Fatal(err)
		}
		if steps == 0 {
			continue // nothing was done
		}
		for _, key := range []*encrypted.Master{e.key, next} {
			if err := e.process(e.engine(key)).store.Ping(e.ctx); !errors.Is(err, store.ErrKey) {
				e.Errorf("after %d steps, the store returns %v, want %v", steps, err, store.ErrKey)
			}
		}
		if err := encrypted.Rekey(e.ctx, e.inner, e.key, encrypted.NewMaster(), nobodyElse); !errors.Is(err, store.ErrKey) {
			e.Errorf("after %d steps, a change to a third key returns %v, want %v", steps, err, store.ErrKey)
		}
	}
	e.must(encrypted.Rekey(e.ctx, e.inner, e.key, next, nobodyElse))
	if err := e.process(e.engine(e.key)).store.Ping(e.ctx); !errors.Is(err, store.ErrKey) {
		e.Errorf("with the old key, the store returns %v, want %v", err, store.ErrKey)
	}
	anew := e.process(e.engine(next))
	anew.whole(r, direct)
	anew.save(response(home, 50, said("Bob", "and?")))
	if err := e.store.Responses.Save(e.ctx, response(home, 60, said("Cyd", "me?"))); !errors.Is(err, store.ErrUnavailable) {
		e.Errorf("a process with the old key saves with %v, want %v", err, store.ErrUnavailable)
	}
}

// nobodyElse is the argument alone of encrypted.Rekey for a store that nobody else has
// open.
func nobodyElse(context.Context) error { return nil }
