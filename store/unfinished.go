package store

import (
	"context"
	"fmt"
)

// toFollow returns the steps that record which sets a deletion still has to follow, so
// that it can be resumed. The record of a set is removed once the set was followed to
// its end.
func (s *base) toFollow(sets ...string) []Op {
	ops := make([]Op, len(sets))
	for i, set := range sets {
		ops[i] = Op{Kind: OpAdd, Name: followName, Value: set, TTL: s.lives.Response}
	}
	return ops
}

// unfollowed returns the sets that deletions still have to follow, interrupted deletions
// included.
func (e eraser) unfollowed(ctx context.Context) ([]string, error) {
	members, err := e.base.members(ctx, e.scope, Query{Set: followName, Names: true})
	if err != nil {
		return nil, fmt.Errorf("look for unfinished deletions: %w", err)
	}
	sets := make([]string, len(members[0]))
	for i, member := range members[0] {
		sets[i] = member.Name
	}
	return sets, nil
}

// Finish resumes interrupted deletions, for example of a process that ended. If another
// process is still carrying out a deletion, both complete it without harm. Store.Run
// calls Finish.
func (s *Deletions) Finish(ctx context.Context) error {
	if err := s.again(ctx); err != nil {
		return err
	}
	scopes, err := s.scopes.all(ctx)
	if err != nil {
		return err
	}
	for _, scope := range scopes {
		if err := s.in(scope, nil).finish(ctx); err != nil {
			return err
		}
	}
	return nil
}
