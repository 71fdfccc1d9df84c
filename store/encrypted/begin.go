package encrypted

import (
	"context"
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
	switch {
	case wrapped != nil:
		known, err = readKey(e.master, store.ScopeMeta, wrapped)
	case known != nil: // the store came back empty
		known, err = e.keep(ctx, known)
	default:
		known, err = e.keep(ctx, newKey(e.master, store.ScopeMeta))
	}
	if err != nil {
		return nil, err
	}
	if string(values[1]) == strconv.Itoa(store.Schema) {
		return known, e.migrate(ctx, known)
	}
	return known, nil
}

// errGone means that the key of the store itself was there and is no more.
var errGone = fmt.Errorf("%w: its key was removed", store.ErrUnavailable)

// keep stores the key of the store itself, unless another call or another process has
// stored one since it was missing. It returns the key that is stored.
func (e *Engine) keep(ctx context.Context, k *key) (*key, error) {
	failed, err := e.inner.Apply(ctx, store.Change{Scope: store.ScopeMeta, Ops: []store.Op{
		{Kind: store.OpAbsent, Name: store.KeyName},
		{Kind: store.OpPut, Name: store.KeyName, Value: k.wrapped, TTL: forever},
	}})
	if err != nil || failed[0] == store.Applied {
		return k, err
	}
	values, err := e.inner.Get(ctx, store.Key{Scope: store.ScopeMeta, Name: store.KeyName})
	switch {
	case err != nil:
		return nil, err
	case values[0] == nil:
		return nil, errGone
	case string(values[0]) == k.wrapped:
		return k, nil
	default:
		return readKey(e.master, store.ScopeMeta, values[0])
	}
}

// Schema returns the schema of a store that is encrypted.
func (e *Engine) Schema() int { return store.SchemaEncrypted }
