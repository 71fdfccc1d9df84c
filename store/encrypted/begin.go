package encrypted

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"heddle/store"
)

// forever is how long the store's own key is kept.
const forever = 100 * 365 * 24 * time.Hour

// rekeyName is the name of the entry in store.ScopeMeta that exists while the master
// key is changed. It holds the fingerprint of the new master key.
const rekeyName = "rekey"

// errRekey means that a change of the master key was interrupted.
var errRekey = fmt.Errorf(`%w: a change of the key was interrupted; run "heddle rekey" again to complete it`, store.ErrKey)

// begin returns the key of the store itself. wrapped is the stored form of the key, and
// known the key that this process has used before, if any. For a store without a key
// begin makes one, and encrypts what the store contains.
func (e *Engine) begin(ctx context.Context, wrapped []byte, known *key) (*key, error) {
	if known != nil && known.wrapped == string(wrapped) {
		return known, nil
	}
	values, err := e.inner.Get(ctx, store.Key{Scope: store.ScopeMeta, Name: rekeyName}, store.Key{Scope: store.ScopeMeta, Name: store.SchemaName})
	if err != nil {
		return nil, err
	}
	if values[0] != nil {
		return nil, errRekey
	}
	if known == nil || wrapped != nil {
		if known, err = e.ownKey(ctx, wrapped); err != nil {
			return nil, err
		}
	} else if err := e.keep(ctx, known); err != nil { // the store came back empty, so store its key again
		return nil, err
	}
	if string(values[1]) == strconv.Itoa(store.Schema) {
		return known, e.migrate(ctx, known)
	}
	return known, nil
}

// ownKey decrypts the key of the store itself, or makes one if none is stored.
func (e *Engine) ownKey(ctx context.Context, wrapped []byte) (*key, error) {
	if wrapped == nil {
		made := newKey(e.master, store.ScopeMeta)
		err := e.keep(ctx, made)
		if !errors.Is(err, errThere) {
			return made, err
		}
		values, err := e.inner.Get(ctx, store.Key{Scope: store.ScopeMeta, Name: store.KeyName})
		if err != nil {
			return nil, err
		}
		wrapped = values[0]
	}
	return readKey(e.master, store.ScopeMeta, wrapped)
}

// errThere means that another process made a key first.
var errThere = fmt.Errorf("%w: it has another key by now", store.ErrUnavailable)

// keep stores the key of the store itself. It fails with errThere if another key is
// stored.
func (e *Engine) keep(ctx context.Context, k *key) error {
	failed, err := e.inner.Apply(ctx, store.Change{Scope: store.ScopeMeta, Ops: []store.Op{
		{Kind: store.OpAbsent, Name: store.KeyName},
		{Kind: store.OpPut, Name: store.KeyName, Value: k.wrapped, TTL: forever},
	}})
	if err == nil && failed[0] != store.Applied {
		err = errThere
	}
	return err
}

// Schema returns the schema of a store that is encrypted.
func (e *Engine) Schema() int { return store.SchemaEncrypted }
