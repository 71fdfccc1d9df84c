package encrypted

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"heddle/internal/lru"
	"heddle/store"
)

// keyring caches the keys that were read lately.
type keyring struct {
	engine *Engine
	own    atomic.Pointer[key] // key of the store itself; nil: not read yet
	scopes *lru.Cache[store.Scope, *key]
	began  atomic.Int64 // number of quarantines when own was read
}

// trusted is how long a cached key is used for reading without checking whether another
// process has destroyed it. Writes always check.
const trusted = time.Minute

// ring holds the keys that one call needs. A scope without a key is empty.
type ring struct {
	master *Master
	now    time.Time
	own    *key
	scopes map[store.Scope]*key
}

// load returns the keys of scopes. It reads those that are not cached in one round
// trip.
func (r *keyring) load(ctx context.Context, scopes []store.Scope) (*ring, error) {
	now := r.engine.now()
	loaded := &ring{master: r.engine.master, now: now, own: r.own.Load(), scopes: make(map[store.Scope]*key)}
	missing := []store.Key{{Scope: store.ScopeMeta, Name: store.KeyName}}
	for _, scope := range scopes {
		if own(scope) {
			continue
		}
		if k, ok := r.scopes.Get(scope); ok && k.fresh(now) {
			loaded.scopes[scope] = k
			continue
		}
		if _, listed := loaded.scopes[scope]; !listed {
			loaded.scopes[scope] = nil
			missing = append(missing, store.Key{Scope: scope, Name: store.KeyName})
		}
	}
	if len(missing) == 1 && loaded.own != nil && loaded.own.fresh(now) && r.began.Load() == quarantines(r.engine.inner) {
		return loaded, nil
	}
	return loaded, r.read(ctx, loaded, missing)
}

// fresh reports whether the key was read recently.
func (k *key) fresh(now time.Time) bool { return fresh(k.checked.Load(), now) }

// fresh reports whether a check at a time in Unix milliseconds was recent. If the clock was
// set back by more than trusted since, it was not, so that the jump prolongs no trust.
func fresh(checked int64, now time.Time) bool {
	return now.Sub(time.UnixMilli(checked)).Abs() < trusted
}

// read reads stored keys. The first of missing is that of the store itself.
func (r *keyring) read(ctx context.Context, loaded *ring, missing []store.Key) error {
	began := quarantines(r.engine.inner)
	values, err := r.engine.inner.Get(ctx, missing...)
	if err != nil {
		return err
	}
	if loaded.own, err = r.engine.begin(ctx, values[0], loaded.own); err != nil {
		return unusable(err)
	}
	loaded.own.checked.Store(loaded.now.UnixMilli())
	r.own.Store(loaded.own)
	r.began.Store(began)
	for i, at := range missing[1:] {
		k, err := r.known(at.Scope, values[i+1])
		if errors.Is(err, store.ErrCorrupt) {
			err = r.discard(ctx, at.Scope, values[i+1])
		}
		if err != nil {
			return unusable(err)
		}
		if loaded.scopes[at.Scope] = k; k != nil {
			k.checked.Store(loaded.now.UnixMilli())
			r.scopes.Add(at.Scope, k)
		}
	}
	return nil
}

// known returns the key whose stored form is wrapped, or nil if wrapped is nil.
func (r *keyring) known(scope store.Scope, wrapped []byte) (*key, error) {
	if wrapped == nil {
		r.scopes.Remove(scope)
		return nil, nil //nolint:nilnil // there is no key
	}
	if k, ok := r.scopes.Get(scope); ok && k.wrapped == string(wrapped) {
		return k, nil
	}
	return readKey(r.engine.master, scope, wrapped)
}

// discard removes a damaged key, so that the scope gets a new one. What was encrypted
// with the damaged key is lost anyway.
func (r *keyring) discard(ctx context.Context, scope store.Scope, damaged []byte) error {
	r.engine.log.ErrorContext(ctx, "the key of a scope is damaged; what was stored in it is lost, and a new key takes its place", "scope", scope)
	_, err := r.engine.inner.Apply(ctx, store.Change{Scope: scope, Ops: []store.Op{
		{Kind: store.OpSame, Name: store.KeyName, Value: string(damaged)},
		{Kind: store.OpDelete, Name: store.KeyName},
	}})
	return err
}

// drop removes a key that its scope no longer has from the cache.
func (r *keyring) drop(scope store.Scope) { r.scopes.Remove(scope) }

// note updates the cache after a change, which may have created, prolonged or destroyed
// its scope's key.
func (r *keyring) note(c sealedChange, step int) {
	if step != store.Applied || c.key == nil {
		return
	}
	if c.ends {
		r.scopes.Remove(c.Scope)
		return
	}
	if !c.until.IsZero() {
		c.key.until.Store(c.until.UnixMilli())
		c.key.checked.Store(r.engine.now().UnixMilli())
		r.scopes.Add(c.Scope, c.key)
	}
}

// name returns the encrypted form of a name. In a scope without a key it returns the
// name unchanged, under which nothing is stored.
func (r *ring) name(scope store.Scope, name string) string {
	switch {
	case own(scope) || name == store.KeyName || name == "":
		return name
	case store.Lasting(name):
		return r.own.name(scope, name)
	case r.scopes[scope] == nil:
		return name
	default:
		return r.scopes[scope].name(scope, name)
	}
}

// readValue decrypts a value. It returns nil for nil, and an empty value if the value
// does not decrypt.
func (r *ring) readValue(at store.Key, value []byte) []byte {
	switch {
	case value == nil || at.Name == store.KeyName || store.Lasting(at.Name):
		return value
	case !own(at.Scope):
		if k := r.scopes[at.Scope]; k != nil {
			return k.open(at, value)
		}
		return nil
	case len(value) > 0 && value[0] == valueMark:
		return r.own.open(at, value)
	default: // counters and marks are not encrypted
		return value
	}
}
