package encrypted

import (
	"context"
	"fmt"
	"strconv"

	"heddle/store"
)

// maxPasses bounds how often migrate walks a store. A further pass finds what other
// processes wrote unencrypted during the one before.
const maxPasses = 8

// Purger is an engine whose log may still contain erased data.
type Purger interface {
	// Purge starts to remove erased data from the log, and does not wait for the end.
	Purge(ctx context.Context) error
}

// errWriting means that another process keeps writing to the store without encryption.
var errWriting = fmt.Errorf("%w: a heddle without a key is still writing to it", store.ErrKey)

// migrate encrypts everything that is stored unencrypted, and then marks the store with
// SchemaEncrypted. If it is interrupted, the next call continues.
func (e *Engine) migrate(ctx context.Context, own *key) error {
	entries := 0
	for left, pass := true, 0; left; pass++ {
		if pass == maxPasses {
			return errWriting
		}
		left = false
		err := e.inner.Walk(ctx, func(batch []store.Entry) error {
			n, err := e.encrypt(ctx, own, batch)
			entries += n
			left = left || n > 0
			return err
		})
		if err != nil {
			return fmt.Errorf("encrypt the store: %w", err)
		}
	}
	_, err := e.inner.Apply(ctx, store.Change{Scope: store.ScopeMeta, Ops: []store.Op{
		{Kind: store.OpPut, Name: store.SchemaName, Value: strconv.Itoa(store.SchemaEncrypted), TTL: forever},
	}})
	if err != nil {
		return fmt.Errorf("mark the store as encrypted: %w", err)
	}
	e.log.InfoContext(ctx, "the entries that were stored unencrypted are encrypted now", "entries", entries)
	if purger, ok := e.inner.(Purger); ok {
		if err := purger.Purge(ctx); err != nil {
			e.log.WarnContext(ctx, "unencrypted entries may remain in the append-only file of Redis; rewrite it with BGREWRITEAOF", "error", err)
		}
	}
	return nil
}

// encrypt encrypts the unencrypted entries of a batch, and returns how many there were.
func (e *Engine) encrypt(ctx context.Context, own *key, batch []store.Entry) (int, error) {
	var readable []store.Entry
	for _, entry := range batch {
		if isReadable(entry.Key) {
			readable = append(readable, entry)
		}
	}
	if len(readable) == 0 {
		return 0, nil
	}
	r, err := e.ringOf(ctx, own, readable)
	if err != nil {
		return 0, err
	}
	changes := make([]store.Change, len(readable))
	for i, entry := range readable {
		changes[i] = r.encrypt(entry)
	}
	if _, err := e.inner.Apply(ctx, changes...); err != nil {
		return 0, err
	}
	return len(readable), nil
}

// isReadable reports whether an entry is unencrypted and has to be encrypted. Leases
// need not be, because they expire, and neither do the store's own scopes, because they
// contain nothing that people wrote.
func isReadable(at store.Key) bool {
	return !own(at.Scope) && at.Name != "" && at.Name != store.KeyName && at.Name[0] != upper(at.Name[0]) && !store.IsLease(at)
}

// ringOf returns the keys of the scopes of entries.
func (e *Engine) ringOf(ctx context.Context, own *key, entries []store.Entry) (*ring, error) {
	r := &ring{master: e.master, now: e.now(), own: own, scopes: make(map[store.Scope]*key)}
	var scopes []store.Key
	for _, entry := range entries {
		if _, listed := r.scopes[entry.Scope]; !listed {
			r.scopes[entry.Scope] = nil
			scopes = append(scopes, store.Key{Scope: entry.Scope, Name: store.KeyName})
		}
	}
	values, err := e.inner.Get(ctx, scopes...)
	if err != nil {
		return nil, err
	}
	for i, at := range scopes {
		if values[i] == nil {
			continue
		}
		if r.scopes[at.Scope], err = readKey(e.master, at.Scope, values[i]); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// encrypt returns the change that replaces an unencrypted entry by its encrypted form.
// If the entry was removed meanwhile, the change does nothing.
func (r *ring) encrypt(entry store.Entry) store.Change {
	op := store.Op{Kind: store.OpAdd, Name: entry.Name, Value: entry.Member, TTL: entry.TTL}
	instead := []store.Op{{Kind: store.OpRemove, Name: entry.Name, Value: entry.Member}}
	if entry.Member == "" {
		op.Kind, op.Value = store.OpPut, string(entry.Value)
		if store.Lasting(entry.Name) {
			op.Kind = store.OpRaise
		}
		instead = []store.Op{{Kind: store.OpPresent, Name: entry.Name}, {Kind: store.OpDelete, Name: entry.Name}}
	}
	c := r.seal(store.Change{Scope: entry.Scope, Ops: []store.Op{op}})
	return store.Change{Scope: entry.Scope, Ops: append(c.Ops, instead...)}
}
