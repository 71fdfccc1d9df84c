package encrypted

import (
	"context"
	"fmt"

	"heddle/store"
)

// Rekey changes the master key of a store. Entries stay as they are; only the keys of
// scopes are encrypted with the new master key. No other process may have the store
// open. Rekey calls alone before the first and before the last step, and fails if alone
// returns an error. If Rekey is interrupted, the store cannot be used until Rekey is
// called again with the same keys.
func Rekey(ctx context.Context, inner Inner, from, to *Master, alone func(context.Context) error) error {
	at := store.Key{Scope: store.ScopeMeta, Name: store.KeyName}
	values, err := inner.Get(ctx, at)
	switch {
	case err != nil:
		return err
	case values[0] == nil:
		return errNotEncrypted
	}
	if _, err := to.unwrap(store.ScopeMeta, values[0]); err == nil {
		return nil // the key was already changed
	}
	own, err := from.unwrap(store.ScopeMeta, values[0])
	if err != nil {
		return err
	}
	if err := alone(ctx); err != nil {
		return err
	}
	if err := announce(ctx, inner, to); err != nil {
		return err
	}
	for left := 1; left > 0; { // another pass finds keys that the walk missed because entries moved
		left = 0
		err := inner.Walk(ctx, func(entries []store.Entry) error {
			changed, err := rewrap(ctx, inner, from, to, entries)
			left += changed
			return err
		})
		if err != nil {
			return fmt.Errorf("encrypt the keys of the scopes with the new key: %w", err)
		}
	}
	if err := alone(ctx); err != nil {
		return err
	}
	return replace(ctx, inner, []store.Op{
		{Kind: store.OpSame, Name: store.KeyName, Value: string(values[0])},
		{Kind: store.OpPut, Name: store.KeyName, Value: to.wrapped(store.ScopeMeta, own), TTL: forever},
		{Kind: store.OpDelete, Name: rekeyName},
	})
}

var (
	errNotEncrypted = fmt.Errorf("%w: the store is not encrypted", store.ErrKey)
	errOtherRekey   = fmt.Errorf("%w: an interrupted change of the key was to another key than this one; run it again with that one", store.ErrKey)
	errChanged      = fmt.Errorf("%w: it has changed the store meanwhile", store.ErrLocked)
)

// announce marks a store as being changed to another master key.
func announce(ctx context.Context, inner Inner, to *Master) error {
	values, err := inner.Get(ctx, store.Key{Scope: store.ScopeMeta, Name: rekeyName})
	switch {
	case err != nil:
		return err
	case values[0] == nil:
		return replace(ctx, inner, []store.Op{
			{Kind: store.OpAbsent, Name: rekeyName},
			{Kind: store.OpPut, Name: rekeyName, Value: to.print, TTL: forever},
		})
	case string(values[0]) != to.print:
		return errOtherRekey
	}
	return nil
}

// replace makes a change in store.ScopeMeta. It fails with errChanged if a condition of
// the change does not hold.
func replace(ctx context.Context, inner Inner, ops []store.Op) error {
	failed, err := inner.Apply(ctx, store.Change{Scope: store.ScopeMeta, Ops: ops})
	if err != nil {
		return err
	}
	if failed[0] != store.Applied {
		return errChanged
	}
	return nil
}

// rewrap encrypts the keys among some entries with the new master key, and returns how
// many still had to be.
func rewrap(ctx context.Context, inner Inner, from, to *Master, entries []store.Entry) (int, error) {
	var changes []store.Change
	for _, entry := range entries {
		if own(entry.Scope) || entry.Name != store.KeyName {
			continue
		}
		if _, err := to.unwrap(entry.Scope, entry.Value); err == nil {
			continue
		}
		secret, err := from.unwrap(entry.Scope, entry.Value)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", entry.Scope, err)
		}
		changes = append(changes, store.Change{Scope: entry.Scope, Ops: []store.Op{
			{Kind: store.OpSame, Name: store.KeyName, Value: string(entry.Value)},
			{Kind: store.OpPut, Name: store.KeyName, Value: to.wrapped(entry.Scope, secret), TTL: entry.TTL},
		}})
	}
	if len(changes) == 0 {
		return 0, nil
	}
	_, err := inner.Apply(ctx, changes...)
	return len(changes), err
}
