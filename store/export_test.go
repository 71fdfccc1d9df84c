package store

import "context"

// Migration is what MigrateBy takes.
type Migration = migration

// MigrateBy is Migrate with other steps.
func (a *Archive) MigrateBy(ctx context.Context, steps ...Migration) (int, error) {
	return a.migrate(ctx, steps)
}
