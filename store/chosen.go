package store

import (
	"context"
	"fmt"

	"heddle/graph"
)

// Chosen gives the responses that Show chose for messages; none for those that
// simply show their newest.
func (s *Store) Chosen(ctx context.Context, scope Scope, replies []graph.MessageID) ([]ResponseID, error) {
	queries := make([]Query, len(replies))
	for i, reply := range replies {
		queries[i] = Query{Set: shownName(reply)}
	}
	found, err := s.follow(ctx, scope, queries...)
	if err != nil {
		return nil, fmt.Errorf("find what was chosen: %w", err)
	}
	var chosen []ResponseID
	for _, shown := range found {
		if len(shown) > 0 {
			chosen = append(chosen, shown[0].ID)
		}
	}
	return chosen, nil
}
