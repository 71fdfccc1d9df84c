package store

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
)

// Archive reads whole scopes, to inspect, verify or export them.
type Archive struct {
	base      *base
	scopes    *scopes
	responses *Responses
}

// All returns an iterator over all responses of a scope, including reused ones, in the
// order of their ids. It ends with the first error. Damaged responses are skipped and
// counted. Responses that are saved or erased during the iteration may come or not.
func (a *Archive) All(ctx context.Context, scope Scope) iter.Seq2[Response, error] {
	return func(yield func(Response, error) bool) {
		for members, err := range a.records(ctx, scope) {
			if err != nil {
				yield(Response{}, err)
				return
			}
			for _, member := range members {
				r, err := decodeResponse(Key{scope, member.Name}, member)
				if err != nil {
					a.base.reject(ctx, err)
					continue
				}
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// records returns the records of a scope in batches.
func (a *Archive) records(ctx context.Context, scope Scope) iter.Seq2[[]Member, error] {
	const some = 64
	return func(yield func([]Member, error) bool) {
		all, err := a.base.members(ctx, scope, Query{Set: responsesName, Names: true})
		if err != nil {
			yield(nil, fmt.Errorf("list the responses: %w", err))
			return
		}
		members := all[0]
		slices.SortFunc(members, func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
		for batch := range slices.Chunk(members, some) {
			if err := a.fill(ctx, scope, batch); err != nil {
				yield(nil, err)
				return
			}
			batch = slices.DeleteFunc(batch, func(m Member) bool { return m.Value == nil }) // erased meanwhile
			if !yield(batch, nil) {
				return
			}
		}
	}
}

// fill reads the values of members and what they link to.
func (a *Archive) fill(ctx context.Context, scope Scope, members []Member) error {
	keys := make([]Key, len(members))
	for i, member := range members {
		keys[i] = Key{scope, member.Name}
	}
	values, err := a.base.get(ctx, keys...)
	if err != nil {
		return fmt.Errorf("read responses: %w", err)
	}
	for i, value := range values {
		members[i].Value = value
		keys[i].Name = Link(value)
	}
	linked, err := a.base.get(ctx, keys...)
	if err != nil {
		return fmt.Errorf("read responses: %w", err)
	}
	for i := range members {
		members[i].Linked = linked[i]
	}
	return nil
}
