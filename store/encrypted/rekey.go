package encrypted

import (
	"context"
	"fmt"

	"heddle/store"
)

// Rekey brings a store from one master key to another. What is stored stays as it is:
// only the scopes' keys are wrapped anew. Nobody else may have the store open: Rekey fails
// with what alone returns, which is called before the first step and before the last. If
// Rekey is interrupted, the store cannot be used until Rekey is called again with the same
// keys.
func Rekey(ctx context.Context, inner Inner, from, to *Master, alone func(context.Context) error) error {
	at := store.Key{Scope: store.ScopeMeta, Name: store.KeyName}
	values, err := inner.Get(ctx, at)
	switch {
	case err != nil:
		return err //nolint:wrapcheck // as an engine returns it
	case values[0] == nil:
		return errNotEncrypted
	}
	if _, err := to.unwrap(store.ScopeMeta, values[0]); err == nil {
		return nil // it was done before
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
	for left := 1; left > 0; { // another pass finds what was missed while entries moved
		left = 0
		err := inner.Walk(ctx, func(entries []store.Entry) error {
			changed, err := rewrap(ctx, inner, from, to, entries)
			left += changed
			return err
		})
		if err != nil {
			return fmt.Errorf("wrap the keys of the scopes anew: %w", err)
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

// announce marks a store as being brought to another master key.
func announce(ctx context.Context, inner Inner, to *Master) error {
	values, err := inner.Get(ctx, store.Key{Scope: store.ScopeMeta, Name: rekeyName})
	switch {
	case err != nil:
		return err //nolint:wrapcheck // as an engine returns it
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

// replace makes a change in store.ScopeMeta, on condition that nobody else makes it.
func replace(ctx context.Context, inner Inner, ops []store.Op) error {
	failed, err := inner.Apply(ctx, store.Change{Scope: store.ScopeMeta, Ops: ops})
	if err != nil {
		return err //nolint:wrapcheck // as an engine returns it
	}
	if failed[0] != store.Applied {
		return errChanged
	}
	return nil
}

// rewrap wraps those keys among some entries anew that are not yet, and returns how many
// there were.
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
	return len(changes), err //nolint:wrapcheck // as an engine returns it
}
