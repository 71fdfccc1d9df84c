package store

import (
	"context"
	"fmt"
)

// toFollow gives the steps that keep, for whoever goes on with a deletion, which sets
// are still to be followed. Each goes when it was followed to its end.
func (s *Deletions) toFollow(sets ...string) []Op {
	ops := make([]Op, len(sets))
	for i, set := range sets {
		ops[i] = Op{Kind: OpAdd, Name: followName, Value: set, TTL: s.base.lives.Response}
	}
	return ops
}

// unfollowed gives the sets in a scope that deletions have yet to follow, those that
// were broken off too.
func (s *Deletions) unfollowed(ctx context.Context, scope Scope) ([]string, error) {
	members, err := s.base.members(ctx, scope, Query{Set: followName, Names: true})
	if err != nil {
		return nil, fmt.Errorf("look for deletions that go on: %w", err)
	}
	sets := make([]string, len(members[0]))
	for i, member := range members[0] {
		sets[i] = member.Name
	}
	return sets, nil
}

// FinishForgetting goes on with the deletions that were broken off, be it that their
// process ended. One that is under way elsewhere is done by both. Run calls it.
func (s *Deletions) Finish(ctx context.Context) error {
	scopes, err := s.scopes.all(ctx)
	if err != nil {
		return err
	}
	for _, scope := range scopes {
		if err := s.forgetOne(ctx, scope); err != nil {
			return err
		}
	}
	return nil
}
