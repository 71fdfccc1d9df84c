package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"heddle/store"
)

// Engine is an engine into which a backup can be restored.
type Engine interface {
	store.Engine
	store.Walker
}

// batch is how many entries are restored at once.
const batch = 500

// Restore restores a backup into an empty store that nobody else has open. It returns
// the number of entries restored, without those that have expired since the backup. It
// reads the backup twice, and changes nothing unless all of it can be read. The store
// cannot be used before Restore has finished. If Restore is interrupted, it can be
// called again with the same backup.
func Restore(ctx context.Context, r io.ReadSeeker, to Engine) (entries int, err error) {
	if err := read(r, func(entry) error { return ctx.Err() }); err != nil {
		return 0, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return 0, fmt.Errorf("read the backup again: %w", err)
	}
	if err := begin(ctx, to); err != nil {
		return 0, err
	}
	var schema *store.Op
	var some []entry
	flush := func() error {
		err := put(ctx, to, some)
		some = some[:0]
		return err
	}
	err = read(r, func(e entry) error {
		switch {
		case !time.Now().Before(e.Ends):
			return nil
		case e.Scope == store.ScopeMeta && e.Name == store.SchemaName:
			op := e.op()
			schema = &op
			return nil
		}
		entries++
		if some = append(some, e); len(some) < batch {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return entries, fmt.Errorf("restore: %w", err)
	}
	ops := []store.Op{{Kind: store.OpDelete, Name: store.SchemaName}}
	if schema != nil {
		ops = append(ops, *schema)
	}
	_, err = to.Apply(ctx, store.Change{Scope: store.ScopeMeta, Ops: ops})
	return entries, err
}

// errFull ends the walk that looks for entries in the store.
var errFull = errors.New("something is stored")

// begin marks the store as being restored. It returns ErrNotEmpty if something
// else is stored.
func begin(ctx context.Context, to Engine) error {
	at := store.Key{Scope: store.ScopeMeta, Name: store.SchemaName}
	values, err := to.Get(ctx, at)
	if err != nil {
		return err
	}
	if string(values[0]) == store.SchemaRestoring {
		return nil
	}
	err = to.Walk(ctx, func(some []store.Entry) error {
		if len(some) > 0 {
			return errFull
		}
		return nil
	})
	switch {
	case errors.Is(err, errFull):
		return ErrNotEmpty
	case err != nil:
		return err
	}
	const long = 100 * 365 * 24 * time.Hour
	_, err = to.Apply(ctx, store.Change{Scope: at.Scope, Ops: []store.Op{
		{Kind: store.OpPut, Name: at.Name, Value: store.SchemaRestoring, TTL: long},
	}})
	return err
}

// put stores entries.
func put(ctx context.Context, to Engine, some []entry) error {
	var changes []store.Change
	for _, e := range some {
		if last := len(changes) - 1; last >= 0 && changes[last].Scope == e.Scope {
			changes[last].Ops = append(changes[last].Ops, e.op())
			continue
		}
		changes = append(changes, store.Change{Scope: e.Scope, Ops: []store.Op{e.op()}})
	}
	if len(changes) == 0 {
		return nil
	}
	_, err := to.Apply(ctx, changes...)
	return err
}

// op returns the step that stores an entry.
func (e *entry) op() store.Op {
	op := store.Op{Kind: store.OpAdd, Name: e.Name, Value: e.Member, TTL: time.Until(e.Ends)}
	if e.Member == "" {
		op.Kind, op.Value = store.OpPut, string(e.Value)
	}
	return op
}
