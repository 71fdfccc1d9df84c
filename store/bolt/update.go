package bolt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"go.etcd.io/bbolt"

	"heddle/store"
)

// Update implements store.Engine. The changes of one call are written in one transaction of
// bbolt, together with those of other calls that wait for the write before. A single change
// that has nothing to write, or only leases, waits for no write.
func (d *DB) Update(ctx context.Context, changes ...store.Change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(changes) == 1 {
		if made, err := d.lend(ctx, changes[0]); made {
			return err
		}
	}
	own := &call{changes: changes, done: make(chan struct{})}
	d.waiting.add(own)
	select {
	case d.turn <- struct{}{}:
	case <-own.done:
		if !own.alone {
			return own.err
		}
		release, err := d.turn.wait(ctx)
		if err != nil {
			return err
		}
		defer release()
		return d.write(own)
	case <-ctx.Done():
		if d.waiting.drop(own) {
			return ctx.Err()
		}
		if <-own.done; own.alone {
			return ctx.Err()
		}
		return own.err
	}
	defer func() { <-d.turn }()
	return d.lead(own)
}

// call is a call of Update that waits for the turn.
type call struct {
	changes []store.Change

	done  chan struct{} // closed once another call has made the changes, or has tried to
	alone bool          // the changes are not made; the call makes them by itself
	err   error
}

// waiting holds the calls that wait for the turn. mu guards calls.
type waiting struct {
	mu    sync.Mutex
	calls []*call
}

func (w *waiting) add(c *call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, c)
}

// drop removes a call, and reports whether it waited.
func (w *waiting) drop(c *call) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := len(w.calls)
	w.calls = slices.DeleteFunc(w.calls, func(other *call) bool { return other == c })
	return len(w.calls) < before
}

// mostTogether bounds the calls that share a write, as the first of them waits for all.
const mostTogether = 16

// take removes the calls that share the next write, and returns them.
func (w *waiting) take() []*call {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := min(len(w.calls), mostTogether)
	taken := slices.Clone(w.calls[:n])
	w.calls = slices.Delete(w.calls, 0, n)
	return taken
}

// lead makes the changes of a call that has the turn, in one transaction with those of the
// calls that wait for it. If one of them panics or bbolt fails, each makes its own alone.
func (d *DB) lead(own *call) error {
	if !d.waiting.drop(own) { // the call before made its changes
		if !own.alone {
			return own.err
		}
		return d.write(own)
	}
	others := d.waiting.take()
	if len(others) == 0 {
		return d.write(own)
	}
	err := func() (err error) {
		defer func() {
			if recover() != nil {
				err = errAlone
			}
		}()
		return d.write(append([]*call{own}, others...)...)
	}()
	for _, other := range others {
		other.alone = err != nil
		close(other.done)
	}
	if err != nil {
		return d.write(own)
	}
	return own.err
}

// errAlone means that a change panicked among those of others.
var errAlone = errors.New("a change panicked")

// write makes the changes of calls in a transaction. The caller must have the turn. It fails if
// none of them is made, or with the error of the only call. What panics in a change is not
// guarded: it is its caller's, and no damage.
func (d *DB) write(calls ...*call) error {
	var tx *bbolt.Tx
	var at *table
	err := d.use(func() (err error) {
		if tx, err = d.db.Begin(true); err == nil {
			at = newTable(tx, d.now(), *d.leases.Load())
		}
		return err
	})
	if err != nil {
		return failure(err)
	}
	defer func() { _ = d.use(tx.Rollback) }() // it does nothing after a commit
	for _, c := range calls {
		c.err = nil
		for _, change := range c.changes {
			if c.err = at.make(change); c.err != nil {
				break
			}
		}
	}
	switch {
	case at.fault != nil:
		err = d.use(func() error { return at.fault })
	case at.wrote:
		err = d.use(tx.Commit)
	}
	if err != nil {
		return failure(err)
	}
	d.keep(at)
	d.erased = d.erased || at.erased
	if len(calls) == 1 {
		return calls[0].err
	}
	return nil
}

// keep makes the changes of a transaction to leases, once it is written.
func (d *DB) keep(at *table) {
	for before := d.leases.Load(); !d.leases.CompareAndSwap(before, at.after(*before)); {
		before = d.leases.Load()
	}
}

// lend makes a change without the turn, and reports whether it did: it does unless something has
// to be written, or bbolt fails. It looks at leases before what is stored, and begins again if
// they change: whoever ends a lease has written before that.
func (d *DB) lend(ctx context.Context, change store.Change) (made bool, refused error) {
	for {
		before := d.leases.Load()
		var at *table
		failed := d.view(ctx, func(t *table) error {
			at, t.held = t, *before
			refused = t.make(change)
			return nil
		})
		switch {
		case failed != nil || at.wrote || at.fault != nil: // bbolt writes nothing in a reading transaction
			return false, nil
		case len(at.taken) == 0, d.leases.CompareAndSwap(before, at.after(*before)):
			return true, refused
		}
	}
}

// make makes one change.
func (t *table) make(change store.Change) error {
	writes, err := change.Make(&scoped{t, change.Scope})
	if err != nil {
		return err
	}
	for i := range writes {
		if err := t.try(func() error { return t.write(change.Scope, &writes[i]) }); err != nil {
			return fmt.Errorf("write an entry: %w", err)
		}
	}
	return nil
}

// try calls f, and keeps an error or a fault of bbolt, which ends the transaction.
func (t *table) try(f func() error) error {
	if err := guard(f); err != nil {
		t.fault = err
		return err
	}
	return nil
}

// write carries out one step of a change.
func (t *table) write(scope store.Scope, w *store.Write) error {
	key := keyOf(scope, w.Name, w.Member)
	if store.IsLease(w.Name) {
		var l lease // one that is over, if w deletes it
		if w.Kind == store.WritePut {
			l = lease{w.Value, t.now.Add(w.TTL)}
		}
		t.taken[string(key)] = l
		return nil
	}
	switch w.Kind {
	case store.WritePut, store.WriteKeep, store.WriteAdd:
		return t.put(key, w.Value, w.TTL, w.Kind == store.WriteKeep)
	case store.WriteRemove:
		return t.delete(key)
	case store.WriteDelete:
		t.erased = true
		return t.clear(key)
	}
	return nil
}

// Read implements store.Engine.
func (d *DB) Read(ctx context.Context, scope store.Scope, read func(store.Reader) error) error {
	held := *d.leases.Load() // first, as in lend
	return d.view(ctx, func(at *table) error {
		at.held = held
		return read(&scoped{at, scope})
	})
}

// scoped is a store.Reader of one scope within a transaction.
type scoped struct {
	at    *table
	scope store.Scope
}

// Get implements store.Reader.
func (s *scoped) Get(names ...string) ([][]byte, error) {
	values := make([][]byte, len(names))
	err := s.at.try(func() error {
		for i, name := range names {
			values[i] = s.at.value(name, keyOf(s.scope, name, ""))
		}
		return nil
	})
	return values, err
}

// Members implements store.Reader.
func (s *scoped) Members(sets ...string) ([][]string, error) {
	members := make([][]string, len(sets))
	err := s.at.try(func() error {
		for i, set := range sets {
			members[i] = s.at.members(keyOf(s.scope, set, ""))
		}
		return nil
	})
	return members, err
}

// turn is the right to write. Only one call has it at a time.
type turn chan struct{}

// wait returns when the caller has the turn, with the function that gives it up. If ctx
// ends first, wait returns the error of ctx.
func (t turn) wait(ctx context.Context) (release func(), err error) {
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
