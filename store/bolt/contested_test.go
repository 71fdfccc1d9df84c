package bolt_test

import (
	"context"
	"sync"
	"testing"

	"heddle/store"
	"heddle/store/bolt"
	"heddle/store/storetest"
)

// TestLeasesAreLinearizable lets several callers compete in one process, and then in a
// next one. Leases end with their process.
func TestLeasesAreLinearizable(t *testing.T) {
	t.Parallel()
	storetest.LeasesAreLinearizable(t, contestedFile(t, func(e store.Engine) store.Engine { return e }))
}

func TestBrokenLeasesAreNotLinearizable(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func(*broken, []store.Op) []store.Op{
		"renewed after they were lost": without(store.OpHeld),
		"claimed after they were done": without(store.OpAbsent),
		"claimed while they are held":  (*broken).robs,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shared := &broken{owners: make(map[string]string), breaks: breaks}
			storetest.LeasesAreBroken(t, contestedFile(t, func(e store.Engine) store.Engine { return brokenEngine{e, shared} }))
		})
	}
}

// contestedFile returns a store in a file, which is reopened between two contests.
func contestedFile(t *testing.T, wrap func(store.Engine) store.Engine) storetest.Contested {
	t.Helper()
	dir := t.TempDir()
	db, err := bolt.Open(bolt.Options{Dir: dir})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return storetest.Contested{
		Open: func(*testing.T) store.Engine { return wrap(db) },
		Restart: func(t *testing.T, processes int) []store.Engine {
			t.Helper()
			must(t, db.Close())
			db, err = bolt.Open(bolt.Options{Dir: dir})
			must(t, err)
			all := make([]store.Engine, processes)
			for i := range all {
				all[i] = wrap(db)
			}
			return all
		},
	}
}

// broken removes ops from changes, to break the leases of all engines that share it.
type broken struct {
	breaks func(*broken, []store.Op) []store.Op

	mu     sync.Mutex
	owners map[string]string
}

type brokenEngine struct {
	store.Engine

	shared *broken
}

func (b brokenEngine) Apply(ctx context.Context, changes ...store.Change) ([]int, error) {
	b.shared.mu.Lock()
	defer b.shared.mu.Unlock()
	for i := range changes {
		changes[i].Ops = b.shared.breaks(b.shared, changes[i].Ops)
	}
	return b.Engine.Apply(ctx, changes...)
}

// without removes conditions of a kind.
func without(kind store.OpKind) func(*broken, []store.Op) []store.Op {
	return func(_ *broken, ops []store.Op) (left []store.Op) {
		for _, op := range ops {
			if op.Kind != kind {
				left = append(left, op)
			}
		}
		return left
	}
}

// robs adds ops that end leases of other owners.
func (b *broken) robs(ops []store.Op) (more []store.Op) {
	for _, op := range ops {
		if op.Kind == store.OpHold {
			more = append(more, store.Op{Kind: store.OpFree, Name: op.Name, Value: b.owners[op.Name]})
			b.owners[op.Name] = op.Value
		}
		more = append(more, op)
	}
	return more
}
