package bolt

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"heddle/store"
)

// Update implements store.Engine. The changes of one call are written in one
// transaction of bbolt. A single change that has nothing to write, or only leases, waits
// for no write.
func (d *DB) Update(ctx context.Context, changes ...store.Change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j := &job{changes: changes}
	made := false
	if len(changes) == 1 {
		var err error
		if made, err = d.lend(ctx, j); err != nil {
			return err
		}
	}
	if !made {
		if err := d.write(ctx, j); err != nil {
			return failure(err)
		}
	}
	if j.panicked != nil {
		panic(j.panicked)
	}
	return j.refused
}

// errUnchanged ends a transaction in which nothing was written.
var errUnchanged = errors.New("nothing was written")

// write runs a job in a transaction, once it has the turn. Whatever becomes of ctx then, the
// write is made.
func (d *DB) write(ctx context.Context, j *job) error {
	release, err := d.turn.wait(ctx)
	if err != nil {
		return err
	}
	defer release()
	var at *table
	err = d.update(func(tx *bbolt.Tx) error {
		at = newTable(tx, d.now(), *d.leases.Load())
		if err := j.run(at); err != nil {
			return err
		}
		if !at.wrote {
			return errUnchanged
		}
		return nil
	})
	if err != nil && !errors.Is(err, errUnchanged) {
		return err
	}
	d.keep(at)
	d.erased = d.erased || at.erased
	return nil
}

// keep makes the changes of a transaction to leases, once it is written.
func (d *DB) keep(at *table) {
	for before := d.leases.Load(); !d.leases.CompareAndSwap(before, at.after(*before)); {
		before = d.leases.Load()
	}
}

// lend runs a job without the turn, and reports whether that made its change: it does unless
// something has to be written. It looks at leases before what is stored, and begins again if they
// change: whoever ends a lease has written before that.
func (d *DB) lend(ctx context.Context, j *job) (made bool, err error) {
	for {
		before := d.leases.Load()
		var at *table
		err := d.view(ctx, func(t *table) error {
			at, t.held = t, *before
			_ = j.run(t) // a fault shows again with the turn
			return nil
		})
		switch {
		case err != nil:
			return false, err
		case at.wrote || at.fault != nil:
			return false, nil //nolint:nilerr // bbolt writes nothing in a reading transaction
		case len(at.taken) == 0, d.leases.CompareAndSwap(before, at.after(*before)):
			return true, nil
		}
	}
}

// run runs a job. It returns an error only if bbolt failed. A panic of the job is kept
// for its caller, because guard would take it for a damaged file.
func (j *job) run(at *table) (failed error) {
	j.refused, j.panicked, at.fault = nil, nil, nil
	defer func() {
		if reason := recover(); reason != nil {
			j.panicked = reason
		}
		if at.fault != nil {
			failed, j.panicked = at.fault, nil
		}
	}()
	for _, change := range j.changes {
		if j.refused = at.make(change); j.refused != nil {
			break
		}
	}
	return nil
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
	if store.IsLease(w.Name) {
		var l lease // one that is over, if w deletes it
		if w.Kind == store.WritePut {
			l = lease{w.Value, t.now.Add(w.TTL)}
		}
		t.taken[string(valueKey(scope, w.Name))] = l
		return nil
	}
	switch w.Kind {
	case store.WritePut, store.WriteKeep:
		return t.put(inValues, valueKey(scope, w.Name), w.Value, w.TTL, w.Kind == store.WriteKeep)
	case store.WriteAdd:
		return t.put(inMembers, memberKey(scope, w.Name, w.Member), "", w.TTL, false)
	case store.WriteRemove:
		return t.delete(inMembers, memberKey(scope, w.Name, w.Member))
	case store.WriteDelete:
		t.erased = true
		if err := t.delete(inValues, valueKey(scope, w.Name)); err != nil {
			return err
		}
		return t.clear(scope, w.Name)
	}
	return nil
}

// Read implements store.Engine. Leases are not among what is read.
func (d *DB) Read(ctx context.Context, scope store.Scope, read func(store.Reader) error) error {
	return d.view(ctx, func(at *table) error { return read(&scoped{at, scope}) })
}

// scoped is a store.Reader of one scope within a transaction.
type scoped struct {
	at    *table
	scope store.Scope
}

// Get implements store.Reader.
func (s *scoped) Get(names ...string) (values [][]byte, err error) {
	err = s.at.try(func() error {
		values = s.at.values(s.scope, names)
		return nil
	})
	return values, err
}

// Members implements store.Reader.
func (s *scoped) Members(limit int, sets ...string) (members [][]string, err error) {
	err = s.at.try(func() error {
		members = s.at.sets(s.scope, limit, sets)
		return nil
	})
	return members, err
}

// job is a call of Update.
type job struct {
	changes  []store.Change
	refused  error // the error of a change
	panicked any   // what a change panicked with
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
