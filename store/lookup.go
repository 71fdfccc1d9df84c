package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"heddle/graph"
	"heddle/graph/path"
)

// alternatives returns the responses that the model gave to a path. A reused response
// is among them only if its original has been erased.
func alternatives(responses []Response, hash path.Hash) []Response {
	originals := make(map[ResponseID]bool)
	for _, r := range responses {
		if r.Original() == r.ID {
			originals[r.ID] = true
		}
	}
	return slices.DeleteFunc(responses, func(r Response) bool {
		if r.PathHash != hash || r.Original() != r.ID && originals[r.Original()] {
			return true
		}
		originals[r.Original()] = true
		return false
	})
}

// ByReplies returns the responses that messages show: the alternative that Show chose,
// or else the newest. Messages that show no response are not in the map.
func (s *Responses) ByReplies(ctx context.Context, scope Scope, replies []graph.MessageID) (map[graph.MessageID]Response, error) {
	found, err := s.base.follow(ctx, scope, shownBy(replies)...)
	if err != nil {
		return nil, fmt.Errorf("find the responses of replies: %w", err)
	}
	responses := make(map[graph.MessageID]Response, len(replies))
	for i, reply := range replies {
		if shown := slices.Concat(found[2*i], found[2*i+1]); len(shown) > 0 {
			responses[reply] = shown[0]
		}
	}
	return responses, nil
}

// ByTrigger returns the responses to a trigger, newest first.
func (s *Responses) ByTrigger(ctx context.Context, scope Scope, trigger graph.MessageID) ([]Response, error) {
	found, err := s.base.follow(ctx, scope, Query{Set: askedName(trigger)})
	if err != nil {
		return nil, fmt.Errorf("find the responses to a trigger: %w", err)
	}
	return found[0], nil
}

// follow reads the responses in sets, newest first. It leaves out erased and damaged
// ones.
func (s *base) follow(ctx context.Context, scope Scope, queries ...Query) ([][]Response, error) {
	if len(queries) == 0 {
		return nil, nil
	}
	members, err := s.members(ctx, scope, queries...)
	if err != nil {
		return nil, err
	}
	found := make([][]Response, len(queries))
	for i := range members {
		found[i], _ = s.decode(ctx, scope, members[i])
	}
	return found, nil
}

// decode reads the records of a set, newest first, and counts damaged ones.
func (s *base) decode(ctx context.Context, scope Scope, members []Member) (found []Response, damaged int) {
	for _, member := range members {
		if member.Value == nil {
			continue
		}
		r, err := decodeResponse(Key{scope, member.Name}, member)
		switch {
		case err != nil:
			s.reject(ctx, err)
			damaged++
		case !r.Gone():
			found = append(found, r)
		}
	}
	slices.SortFunc(found, newestFirst)
	return found, damaged
}

func newestFirst(a, b Response) int {
	if c := b.Created.Compare(a.Created); c != 0 {
		return c
	}
	return cmp.Compare(b.ID.String(), a.ID.String())
}
