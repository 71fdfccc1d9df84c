package store

import (
	"context"
	"fmt"

	"heddle/graph/path"
)

// Migrate brings a scope forward to this program's Schema: responses that were kept
// before their response_hash was get it, and are kept as long as new ones from then
// on. It says how many did. Migrating again changes nothing, so that one that was
// broken off goes on.
func (a *Archive) Migrate(ctx context.Context, scope Scope) (filled int, err error) {
	for r, err := range a.All(ctx, scope) {
		if err != nil {
			return filled, fmt.Errorf("migrate: %w", err)
		}
		if r.ResponseHash != (path.Hash{}) {
			continue
		}
		r.ResponseHash = path.ResponseHash(r.Text, r.FinishReason)
		if r.Path, err = a.responses.Turns(ctx, r); err != nil {
			return filled, fmt.Errorf("migrate: %w", err)
		}
		if r.Tools, err = a.responses.Tools(ctx, r); err != nil {
			return filled, fmt.Errorf("migrate: %w", err)
		}
		if err := a.responses.Save(ctx, r); err != nil {
			return filled, fmt.Errorf("migrate: %w", err)
		}
		filled++
	}
	return filled, nil
}
