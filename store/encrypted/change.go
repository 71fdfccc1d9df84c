package encrypted

import (
	"slices"
	"time"

	"heddle/store"
)

// sealedChange is a change in its encrypted form. The ops on the scope's key come
// before the caller's ops.
type sealedChange struct {
	store.Change

	before int // number of ops before the caller's
	key    *key
	until  time.Time // expiry of the key after the change; zero: unchanged
	ends   bool      // the change destroys the key
}

// result translates what the engine below returned for the change into what Apply
// returns to the caller. stale reports that the scope has another key by now, so that
// the change must be encrypted and applied again.
func (c *sealedChange) result(step int) (result int, stale bool) {
	switch {
	case step == store.Applied:
		return step, false
	case step < c.before:
		return 0, true
	default:
		return step - c.before, false
	}
}

// encrypts reports whether any part of a change is stored encrypted.
func encrypts(change store.Change) bool {
	return !own(change.Scope) || change.Scope != store.ScopeMeta &&
		slices.ContainsFunc(change.Ops, func(op store.Op) bool { return op.Kind == store.OpPut })
}

// seal returns a change in its encrypted form. If the change stores something in a
// scope without a key, it also stores a new key.
func (r *ring) seal(change store.Change) sealedChange {
	c := sealedChange{Change: store.Change{Scope: change.Scope}}
	if own(change.Scope) {
		for _, op := range change.Ops {
			if op.Kind == store.OpPut && change.Scope != store.ScopeMeta {
				op.Value = r.own.value(store.Key{Scope: change.Scope, Name: op.Name}, op.Value)
			}
			c.Ops = append(c.Ops, op)
		}
		return c
	}
	uses, longest := usesKey(change)
	c.key, c.ends = r.scopes[change.Scope], uses == destroys
	switch {
	case uses == nothing || c.key == nil && uses != writes:
	case c.key == nil:
		c.key = newKey(r.master, change.Scope)
		r.scopes[change.Scope] = c.key
		c.until = r.now.Add(2 * longest)
		c.Ops = []store.Op{
			{Kind: store.OpAbsent, Name: store.KeyName},
			{Kind: store.OpPut, Name: store.KeyName, Value: c.key.wrapped, TTL: 2 * longest},
		}
	default:
		c.Ops = []store.Op{{Kind: store.OpSame, Name: store.KeyName, Value: c.key.wrapped}}
		if r.now.Add(longest+longest/4).UnixMilli() > c.key.until.Load() && uses == writes {
			c.until = r.now.Add(2 * longest)
			c.Ops = append(c.Ops, store.Op{Kind: store.OpPut, Name: store.KeyName, Value: c.key.wrapped, TTL: 2 * longest})
		}
	}
	c.before = len(c.Ops)
	names := c.key
	if names == nil { // the scope has no key and therefore no entries
		names = newKey(r.master, change.Scope)
	}
	for _, op := range change.Ops {
		c.Ops = append(c.Ops, r.op(names, op))
	}
	return c
}

// op returns an op in its encrypted form.
func (r *ring) op(k *key, op store.Op) store.Op {
	name := op.Name
	switch {
	case name == store.KeyName:
		return op
	case store.Lasting(name):
		op.Name = r.own.name(k.scope, name)
		return op
	}
	op.Name = k.name(k.scope, name)
	switch op.Kind {
	case store.OpPut:
		op.Value = k.value(store.Key{Scope: k.scope, Name: name}, op.Value)
	case store.OpAdd, store.OpRemove:
		op.Value = k.member(name, op.Value)
	case store.OpAbsent, store.OpPresent, store.OpSame, store.OpBelow, store.OpHeld, store.OpHold, store.OpFree, store.OpCount, store.OpWindow,
		store.OpRaise, store.OpDelete:
	}
	return op
}

// use is a set of flags: what a change needs its scope's key for.
type use int

const (
	nothing  use = iota
	reads        // it looks for or removes entries whose names are encrypted
	writes       // it stores something
	destroys     // it destroys the key
)

// usesKey returns what a change needs its scope's key for, and the longest TTL of what
// it stores.
func usesKey(change store.Change) (uses use, longest time.Duration) {
	for _, op := range change.Ops {
		switch {
		case op.Name == store.KeyName:
			return destroys, 0
		case store.Lasting(op.Name):
		case op.Kind == store.OpPut || op.Kind == store.OpAdd:
			uses, longest = writes, max(longest, op.TTL)
		default:
			uses = max(uses, reads)
		}
	}
	return uses, longest
}
