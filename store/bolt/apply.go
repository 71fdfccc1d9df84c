package bolt

import (
	"context"
	"fmt"
	"maps"
	"time"

	"go.etcd.io/bbolt"

	"heddle/store"
)

// lease is a claim held in memory.
type lease struct {
	owner string
	until time.Time
}

// Apply implements store.Engine. Changes of one call are written together.
func (d *DB) Apply(ctx context.Context, changes ...store.Change) ([]int, error) {
	if err := ctx.Err(); err != nil {
		return nil, err //nolint:wrapcheck // the caller's own
	}
	j := &job{changes: changes, failed: make([]int, len(changes)), done: make(chan struct{})}
	if err := d.queue.do(ctx, j, d.write); err != nil {
		return nil, failure(err)
	}
	return j.failed, nil
}

// write carries out jobs in one transaction and ends them.
func (d *DB) write(jobs []*job) {
	leases := maps.Clone(d.leases)
	err := guard(func() error { return d.transact(jobs) })
	if err != nil {
		d.leases = leases
	}
	for _, j := range jobs {
		j.err = err
		close(j.done)
	}
}

func (d *DB) transact(jobs []*job) error {
	run := d.db.View
	if writes(jobs) {
		run = d.db.Update
	}
	return run(func(tx *bbolt.Tx) error {
		at := newTable(tx, d.now())
		maps.DeleteFunc(d.leases, func(_ string, l lease) bool { return !at.now.Before(l.until) })
		for _, j := range jobs {
			for i, change := range j.changes {
				if j.failed[i] = d.failing(at, change); j.failed[i] != store.Applied {
					continue
				}
				if err := d.carryOut(at, change); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// writes says whether jobs change anything on disk: leases do not.
func writes(jobs []*job) bool {
	for _, j := range jobs {
		for _, change := range j.changes {
			for _, op := range change.Ops {
				switch op.Kind {
				case store.OpPut, store.OpRaise, store.OpAdd, store.OpRemove, store.OpDelete:
					return true
				case store.OpAbsent, store.OpPresent, store.OpBelow, store.OpHeld, store.OpHold, store.OpFree:
				}
			}
		}
	}
	return false
}

// failing gives the first op whose condition does not hold, or Applied.
func (d *DB) failing(at table, change store.Change) int {
	for i, op := range change.Ops {
		holds := true
		switch op.Kind {
		case store.OpAbsent:
			holds = at.value(change.Scope, op.Name) == nil
		case store.OpPresent:
			holds = at.value(change.Scope, op.Name) != nil
		case store.OpBelow:
			holds = string(at.value(change.Scope, op.Name)) < op.Value
		case store.OpHeld:
			held, ok := d.lease(at, change.Scope, op.Name)
			holds = ok && held.owner == op.Value
		case store.OpHold:
			held, ok := d.lease(at, change.Scope, op.Name)
			holds = !ok || held.owner == op.Value
		case store.OpFree, store.OpPut, store.OpRaise, store.OpAdd, store.OpRemove, store.OpDelete:
		}
		if !holds {
			return i
		}
	}
	return store.Applied
}

func (d *DB) lease(at table, scope store.Scope, name string) (lease, bool) {
	held, ok := d.leases[string(valueKey(scope, name))]
	return held, ok && at.now.Before(held.until)
}

func (d *DB) carryOut(at table, change store.Change) error {
	for i := 0; i < len(change.Ops); i++ {
		skip, err := d.step(at, change.Scope, change.Ops[i])
		if err != nil {
			return fmt.Errorf("write an entry: %w", err)
		}
		i += skip
	}
	return nil
}

func (d *DB) step(at table, scope store.Scope, op store.Op) (skip int, err error) {
	switch op.Kind {
	case store.OpHold:
		d.leases[string(valueKey(scope, op.Name))] = lease{op.Value, at.now.Add(op.TTL)}
	case store.OpFree:
		if held, ok := d.lease(at, scope, op.Name); ok && held.owner == op.Value {
			delete(d.leases, string(valueKey(scope, op.Name)))
		}
	case store.OpPut:
		err = at.put(inValues, valueKey(scope, op.Name), op.Value, op.TTL)
	case store.OpRaise:
		value := op.Value
		if old := at.value(scope, op.Name); string(old) > value {
			value = string(old)
		}
		err = at.put(inValues, valueKey(scope, op.Name), value, op.TTL)
	case store.OpAdd:
		err = at.put(inMembers, memberKey(scope, op.Name, op.Value), "", op.TTL)
	case store.OpRemove:
		if err = at.remove(inMembers, memberKey(scope, op.Name, op.Value)); err == nil && !at.empty(scope, op.Name) {
			skip = op.Skip
		}
	case store.OpDelete:
		d.erased = true
		if err = at.remove(inValues, valueKey(scope, op.Name)); err == nil {
			err = at.clear(scope, op.Name)
		}
	case store.OpAbsent, store.OpPresent, store.OpBelow, store.OpHeld:
	}
	return skip, err
}
