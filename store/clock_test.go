package store_test

import (
	"errors"
	"testing"
	"time"

	"heddle/graph"
	"heddle/store"
	"heddle/store/storetest"
)

// TestForgettingAChannelGoesByDiscordsTime runs a store on machines whose clocks are
// ten minutes off. Forgetting a channel covers the messages that Discord has at that
// time, and no later ones.
func TestForgettingAChannelGoesByDiscordsTime(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]time.Duration{"ahead": 10 * time.Minute, "behind": -10 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			discord := func() time.Time { return time.Now().Add(-ahead) }
			s := store.New(open(t), store.Options{Clock: discord})
			t.Cleanup(func() { _ = s.Close() })
			asked := func(at time.Time) error {
				r := storetest.Example("g1", 1)
				r.Trigger = graph.FirstMessageID(at)
				return s.Responses.Save(t.Context(), r)
			}
			r := storetest.Example("g1", 1)
			if err := s.Deletions.ForgetChannel(t.Context(), "g1", r.Channel); err != nil {
				t.Fatal(err)
			}
			if err := asked(discord()); !errors.Is(err, store.ErrForgotten) {
				t.Errorf("saving an answer to an earlier question returns %v, want ErrForgotten", err)
			}
			if err := asked(discord().Add(2 * time.Minute)); err != nil {
				t.Errorf("saving an answer to a later question returns %v, want no error", err)
			}
			if since, err := s.Backlog.Since(t.Context()); err != nil || discord().Sub(since).Abs() > time.Minute {
				t.Errorf("the store remembers since %s, want now: %v", since, err)
			}
		})
	}
}
