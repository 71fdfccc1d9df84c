package encrypted

import (
	"context"
	"fmt"
	"sync/atomic"

	"heddle/store"
)

// errNoMaster means that the store is encrypted and no master key was given.
var errNoMaster = fmt.Errorf("%w: it is encrypted, and no key is given", store.ErrKey)

// Unencrypted is an engine without encryption. It refuses a store that is encrypted.
type Unencrypted struct {
	Inner

	checked atomic.Bool
}

// NewUnencrypted returns an Unencrypted over an engine, which it owns from then on.
// Every call fails with store.ErrKey if the store is encrypted.
func NewUnencrypted(inner Inner) *Unencrypted { return &Unencrypted{Inner: inner} }

// Fits fails with store.ErrKey if the store is encrypted. Once it is not, nobody looks
// again.
func (u *Unencrypted) Fits(ctx context.Context) error {
	if u.checked.Load() {
		return nil
	}
	encrypted, err := IsEncrypted(ctx, u.Inner)
	if err == nil && encrypted {
		err = unusable(errNoMaster)
	}
	u.checked.Store(err == nil)
	return err
}

// Get implements store.Reader.
func (u *Unencrypted) Get(ctx context.Context, keys ...store.Key) ([][]byte, error) {
	if err := u.Fits(ctx); err != nil {
		return nil, err
	}
	return u.Inner.Get(ctx, keys...) //nolint:wrapcheck // as an engine returns it
}

// Follow implements store.Reader.
func (u *Unencrypted) Follow(ctx context.Context, scope store.Scope, queries ...store.Query) ([][]store.Member, error) {
	if err := u.Fits(ctx); err != nil {
		return nil, err
	}
	return u.Inner.Follow(ctx, scope, queries...) //nolint:wrapcheck // as an engine returns it
}

// Apply implements store.Engine.
func (u *Unencrypted) Apply(ctx context.Context, changes ...store.Change) ([]int, error) {
	if err := u.Fits(ctx); err != nil {
		return nil, err
	}
	return u.Inner.Apply(ctx, changes...) //nolint:wrapcheck // as an engine returns it
}

// Quarantines returns how often the engine began anew.
func (u *Unencrypted) Quarantines() int64 { return quarantines(u.Inner) }
