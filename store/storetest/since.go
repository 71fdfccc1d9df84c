package storetest

import (
	"time"

	"heddle/store"
)

// since checks the time since which a store remembers, however often it is opened.
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
		b.Errorf("where it is damaged it remembers from %v on, want from now on, %v", at, err)
	}
	_, err = b.subject.Engine.Apply(b.ctx, store.Change{Scope: store.ScopeMeta, Ops: []store.Op{{Kind: store.OpDelete, Name: "since"}}})
	b.must(err)
	if at, err := b.store.Backlog.Since(b.ctx); err != nil || at.Before(began.Add(time.Hour)) {
		b.Errorf("where it is lost it remembers from %v on, want from now on, %v", at, err)
	}
}
