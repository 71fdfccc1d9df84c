package store

import (
	"context"
	"fmt"
	"strconv"
)

// migration brings a scope from one schema to the next and returns how many entries it
// changed. It must be idempotent, so that an interrupted migration can be run again.
type migration func(ctx context.Context, a *Archive, scope Scope) (changed int, err error)

// migrations returns the migrations that lead to Schema, beginning with the one from
// schema 1. There is none yet.
func migrations() []migration { return nil }

// Migrate brings the store forward to Schema and returns how many entries it changed.
func (a *Archive) Migrate(ctx context.Context) (changed int, err error) {
	return a.migrate(ctx, migrations())
}

// migrate brings the store forward by those steps that it has not taken. The first one
// leads from schema 1 to schema 2.
func (a *Archive) migrate(ctx context.Context, steps []migration) (changed int, err error) {
	values, err := a.base.get(ctx, Key{ScopeMeta, SchemaName})
	if err != nil {
		return 0, fmt.Errorf("read the store's schema: %w", err)
	}
	schema, err := strconv.Atoi(string(values[0]))
	if err != nil || schema < 1 {
		return 0, fmt.Errorf("%w: schema %.20q", ErrSchema, values[0])
	}
	for ; schema <= len(steps); schema++ {
		scopes, err := a.Scopes(ctx)
		if err != nil {
			return changed, err
		}
		for _, scope := range scopes {
			n, err := steps[schema-1](ctx, a, scope)
			changed += n
			if err != nil {
				return changed, fmt.Errorf("migrate %s to schema %d: %w", scope, schema+1, err)
			}
		}
		err = a.base.apply(ctx, "mark the store with its schema", Change{ScopeMeta, []Op{
			{Kind: OpPut, Name: SchemaName, Value: strconv.Itoa(schema + 1), TTL: forever},
		}})
		if err != nil {
			return changed, err
		}
	}
	return changed, nil
}
