package storetest

import (
	"time"

	"heddle/store"
)

// since checks Since for a store that is opened several times, damaged and lost.
func since(b bench) {
	began := b.subject.Now().Truncate(time.Millisecond)
	at, err := b.store.Backlog.Since(b.ctx)
	b.must(err)
	if at.Before(began) {
		b.Errorf("an empty store remembers from %v on, want %v", at, began)
	}
	b.subject.Advance(time.Hour)
	b.must(b.store.Ping(b.ctx))
	if again, err := b.store.Backlog.Since(b.ctx); err != nil || again.Before(began) || again.After(began.Add(30*time.Minute)) {
		b.Errorf("an hour later it remembers from %v on, want %v, %v", again, began, err)
	}
	b.put(store.Key{Scope: store.ScopeMeta, Name: "since"}, []byte("damaged"))
	if at, err := b.store.Backlog.Since(b.ctx); err != nil || at.Before(began.Add(time.Hour)) {
		b.Errorf("after damage the store remembers since %v, want since now, %v", at, err)
	}
	_, err = b.subject.Engine.Apply(b.ctx, store.Change{Scope: store.ScopeMeta, Ops: []store.Op{{Kind: store.OpDelete, Name: "since"}}})
	b.must(err)
	if at, err := b.store.Backlog.Since(b.ctx); err != nil || at.Before(began.Add(time.Hour)) {
		b.Errorf("after a loss the store remembers since %v, want since now, %v", at, err)
	}
}
