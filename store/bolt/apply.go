package bolt

import (
	"context"
	"fmt"
	"strconv"

	"go.etcd.io/bbolt"

	"heddle/store"
)

// Apply implements store.Engine. The changes of one call are written in one
// transaction. A change to leases only does not wait for a write.
func (d *DB) Apply(ctx context.Context, changes ...store.Change) ([]int, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	j := &job{changes: changes, failed: make([]int, len(changes)), done: make(chan struct{})}
	if writes(changes) {
		if err := d.queue.do(ctx, j, d.write); err != nil {
			return nil, failure(err)
		}
		return j.failed, nil
	}
	for i, change := range changes {
		var err error
		if j.failed[i], err = d.lend(ctx, change); err != nil {
			return nil, err
		}
	}
	return j.failed, nil
}

// writes reports whether changes write to disk. Leases do not.
func writes(changes []store.Change) bool {
	for _, change := range changes {
		for _, op := range change.Ops {
			switch op.Kind {
			case store.OpPut, store.OpRaise, store.OpAdd, store.OpRemove, store.OpDelete, store.OpCount, store.OpWindow:
				return true
			case store.OpAbsent, store.OpPresent, store.OpSame, store.OpBelow, store.OpHeld, store.OpHold, store.OpFree:
			}
		}
	}
	return false
}

// lend carries out a change to leases only. It takes the leases before it reads what is
// stored. Because an owner releases a lease only after its writes, the next owner sees
// those writes.
func (d *DB) lend(ctx context.Context, change store.Change) (int, error) {
	failed, took := d.leases.take(d.now(), change)
	if asksValues(change) {
		err := d.view(ctx, func(at table) { failed = earlier(failing(at, change), failed) })
		if err != nil {
			d.leases.giveBack(took)
			return 0, err
		}
	}
	if failed != store.Applied {
		d.leases.giveBack(took)
		return failed, nil
	}
	d.leases.free(d.now(), change)
	return store.Applied, nil
}

func asksValues(change store.Change) bool {
	for _, op := range change.Ops {
		switch op.Kind {
		case store.OpAbsent, store.OpPresent, store.OpSame, store.OpBelow:
			return true
		case store.OpHeld, store.OpHold, store.OpFree, store.OpPut, store.OpRaise, store.OpAdd, store.OpRemove, store.OpDelete, store.OpCount, store.OpWindow:
		}
	}
	return false
}

// earlier returns the smaller index of two failed ops. store.Applied means that none
// failed.
func earlier(a, b int) int {
	if a == store.Applied || b != store.Applied && b < a {
		return b
	}
	return a
}

// write carries out jobs in one transaction, and then ends each job with its result.
func (d *DB) write(jobs []*job) {
	var took []before
	err := d.database.update(func(tx *bbolt.Tx) error {
		d.leases.giveBack(took) // taken by a failed attempt
		took = nil
		at := newTable(tx, d.now())
		for _, j := range jobs {
			for i, change := range j.changes {
				taken, err := d.apply(at, change, &j.failed[i])
				took = append(took, taken...)
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		d.leases.giveBack(took)
	}
	for _, j := range jobs {
		if j.err = err; err == nil {
			d.release(j)
		}
		close(j.done)
	}
}

// apply carries out a change within a transaction. Leases that the change ends are left
// to release.
func (d *DB) apply(at table, change store.Change, failed *int) ([]before, error) {
	lease, took := d.leases.take(at.now, change)
	if *failed = earlier(failing(at, change), lease); *failed != store.Applied {
		d.leases.giveBack(took)
		return nil, nil
	}
	return took, d.carryOut(at, change)
}

// release ends the leases that a job's changes end. It is called once the changes are
// on disk.
func (d *DB) release(j *job) {
	for i, change := range j.changes {
		if j.failed[i] == store.Applied {
			d.leases.free(d.now(), change)
		}
	}
}

// failing returns the index of the first op whose condition on a value does not hold,
// or store.Applied.
func failing(at table, change store.Change) int {
	for i, op := range change.Ops {
		holds := true
		switch op.Kind {
		case store.OpAbsent:
			holds = at.value(change.Scope, op.Name) == nil
		case store.OpPresent:
			holds = at.value(change.Scope, op.Name) != nil
		case store.OpSame:
			holds = string(at.value(change.Scope, op.Name)) == op.Value
		case store.OpBelow:
			holds = string(at.value(change.Scope, op.Name)) < op.Value
		case store.OpCount, store.OpWindow:
			more := number(op.Value)
			holds = op.Most == 0 || more <= 0 || at.number(change.Scope, op.Name)+more <= op.Most
		case store.OpHeld, store.OpHold, store.OpFree, store.OpPut, store.OpRaise, store.OpAdd, store.OpRemove, store.OpDelete:
		}
		if !holds {
			return i
		}
	}
	return store.Applied
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

// step applies one step of a change. It returns how many of the steps after it are
// skipped.
func (d *DB) step(at table, scope store.Scope, op store.Op) (skip int, err error) {
	switch op.Kind {
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
		if err = at.entries[inMembers].Delete(memberKey(scope, op.Name, op.Value)); err == nil && !at.empty(scope, op.Name) {
			skip = op.Skip
		}
	case store.OpCount, store.OpWindow:
		sum, ttl := max(0, at.number(scope, op.Name)+number(op.Value)), op.TTL
		if op.Kind == store.OpWindow && at.value(scope, op.Name) != nil {
			ttl = 0 // it keeps the time that it has
		}
		err = at.put(inValues, valueKey(scope, op.Name), strconv.FormatInt(sum, 10), ttl)
	case store.OpDelete:
		d.database.erased = true
		if err = at.entries[inValues].Delete(valueKey(scope, op.Name)); err == nil {
			err = at.clear(scope, op.Name)
		}
	case store.OpAbsent, store.OpPresent, store.OpSame, store.OpBelow, store.OpHeld, store.OpHold, store.OpFree:
	}
	return skip, err
}

// number parses a whole number. Any other text counts as 0.
func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// number returns the value of a counter, or 0 if there is none.
func (t table) number(scope store.Scope, name string) int64 {
	return number(string(t.value(scope, name)))
}
