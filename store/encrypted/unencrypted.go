package encrypted

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"heddle/store"
)

// errNoMaster means that the store is encrypted and no master key was given.
var errNoMaster = fmt.Errorf("%w: it is encrypted, and no key is given", store.ErrKey)

// Unencrypted is an engine without encryption. It refuses a store that is encrypted.
type Unencrypted struct {
	Inner

	now     func() time.Time
	checked atomic.Int64 // when the store was last checked, in Unix milliseconds
}

// NewUnencrypted returns an Unencrypted over an engine, which it owns from then on.
// Every call fails with store.ErrKey if the store is encrypted. If now is nil, time.Now
// is used.
func NewUnencrypted(inner Inner, now func() time.Time) *Unencrypted {
	if now == nil {
		now = time.Now
	}
	return &Unencrypted{Inner: inner, now: now}
}

// Fits returns a store.ErrKey if the store is encrypted. It checks once a minute,
// because another process may begin to encrypt the store.
func (u *Unencrypted) Fits(ctx context.Context) error {
	now := u.now()
	if fresh(u.checked.Load(), now) {
		return nil
	}
	encrypted, err := IsEncrypted(ctx, u.Inner)
	if err == nil && encrypted {
		err = unusable(errNoMaster)
	}
	if err == nil {
		u.checked.Store(now.UnixMilli())
	}
	return err
}

// Get implements store.Reader.
func (u *Unencrypted) Get(ctx context.Context, keys ...store.Key) ([][]byte, error) {
	if err := u.Fits(ctx); err != nil {
		return nil, err
	}
	return u.Inner.Get(ctx, keys...)
}

// Follow implements store.Reader.
func (u *Unencrypted) Follow(ctx context.Context, scope store.Scope, queries ...store.Query) ([][]store.Member, error) {
	if err := u.Fits(ctx); err != nil {
		return nil, err
	}
	return u.Inner.Follow(ctx, scope, queries...)
}

// Apply implements store.Engine.
func (u *Unencrypted) Apply(ctx context.Context, changes ...store.Change) ([]int, error) {
	if err := u.Fits(ctx); err != nil {
		return nil, err
	}
	return u.Inner.Apply(ctx, changes...)
}

// Quarantines returns how often the engine quarantined its data and started empty.
func (u *Unencrypted) Quarantines() int64 { return quarantines(u.Inner) }
