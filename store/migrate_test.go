package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"heddle/store"
	"heddle/store/storetest"
)

var errInterrupted = errors.New("interrupted")

// TestAMigrationResumesWhereItWasInterrupted migrates a store by two steps, of which
// the second fails once.
func TestAMigrationResumesWhereItWasInterrupted(t *testing.T) {
	t.Parallel()
	s := store.New(open(t), store.Options{})
	if err := s.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Responses.Save(t.Context(), storetest.Example("g1", 1)); err != nil {
		t.Fatal(err)
	}
	var ran []string
	failure := errInterrupted
	first := func(_ context.Context, _ *store.Archive, scope store.Scope) (int, error) {
		ran = append(ran, "first "+string(scope))
		return 2, nil
	}
	second := func(_ context.Context, _ *store.Archive, scope store.Scope) (int, error) {
		ran = append(ran, "second "+string(scope))
		return 1, failure
	}
	if changed, err := s.Archive.MigrateBy(t.Context(), first, second); changed != 3 || !errors.Is(err, errInterrupted) {
		t.Errorf("%d entries are changed, %v, want 3 and %v", changed, err, errInterrupted)
	}
	failure = nil
	for want := 1; want >= 0; want-- {
		if changed, err := s.Archive.MigrateBy(t.Context(), first, second); changed != want || err != nil {
			t.Errorf("%d entries are changed, %v; want %d", changed, err, want)
		}
	}
	if want := []string{"first g1", "second g1", "second g1"}; !slices.Equal(ran, want) {
		t.Errorf("the steps ran as %q, want %q", ran, want)
	}
	if err := s.Ping(t.Context()); !errors.Is(err, store.ErrSchema) {
		t.Errorf("opening a store of a newer schema returns %v, want ErrSchema", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
