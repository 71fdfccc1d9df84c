package bolt

import (
	"sync"
	"time"

	"heddle/store"
)

// leases holds the leases of an engine, in memory.
//
// mu guards held; it is never held over I/O.
type leases struct {
	mu   sync.Mutex
	held map[string]lease // by valueKey
}

// lease is a claim or a lead.
type lease struct {
	owner string
	until time.Time
}

// before is a lease as it was before a change took it.
type before struct {
	key   string
	taken lease // the lease that the change took
	lease lease
	was   bool
}

// take checks a change's conditions on leases. If all hold, it takes the leases that
// the change asks for. It returns store.Applied, or the index of the first op whose
// condition does not hold. It also returns what giveBack needs to undo it.
func (l *leases) take(now time.Time, change store.Change) (failed int, took []before) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, op := range change.Ops {
		if op.Kind != store.OpHeld && op.Kind != store.OpHold {
			continue
		}
		owner, held := l.ownerLocked(now, string(valueKey(change.Scope, op.Name)))
		if held && owner != op.Value || !held && op.Kind == store.OpHeld {
			return i, nil
		}
	}
	for _, op := range change.Ops {
		if op.Kind != store.OpHold {
			continue
		}
		b := before{key: string(valueKey(change.Scope, op.Name)), taken: lease{op.Value, now.Add(op.TTL)}}
		b.lease, b.was = l.held[b.key]
		l.held[b.key] = b.taken
		took = append(took, b)
	}
	return store.Applied, took
}

func (l *leases) ownerLocked(now time.Time, key string) (owner string, held bool) {
	lease, ok := l.held[key]
	return lease.owner, ok && now.Before(lease.until)
}

// giveBack undoes take for a change that was not applied in the end.
func (l *leases) giveBack(took []before) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range took {
		switch {
		case l.held[b.key] != b.taken: // taken by somebody else or prolonged since then
		case b.was:
			l.held[b.key] = b.lease
		default:
			delete(l.held, b.key)
		}
	}
}

// free ends the leases that a change frees. The change's writes must be visible to
// everybody before.
func (l *leases) free(now time.Time, change store.Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, op := range change.Ops {
		if op.Kind != store.OpFree {
			continue
		}
		key := string(valueKey(change.Scope, op.Name))
		if owner, held := l.ownerLocked(now, key); held && owner == op.Value {
			delete(l.held, key)
		}
	}
}

// forget removes expired leases.
func (l *leases) forget(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, lease := range l.held {
		if !now.Before(lease.until) {
			delete(l.held, key)
		}
	}
}
