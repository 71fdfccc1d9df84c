package store

import "context"

// Migration is the type of the steps of MigrateBy.
type Migration = migration

// MigrateBy is Migrate with other steps.
func (a *Archive) MigrateBy(ctx context.Context, steps ...Migration) (int, error) {
	return a.migrate(ctx, steps)
}
