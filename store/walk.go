package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"heddle/graph/path"
)

// Responses walks all responses of a scope, those that were given again too, in
// the order of their ids. It ends with the first error; damaged ones are passed
// over and counted. What is saved or erased meanwhile may be met or not.
func (s *Store) Responses(ctx context.Context, scope Scope) iter.Seq2[Response, error] {
	return func(yield func(Response, error) bool) {
		for members, err := range s.records(ctx, scope) {
			if err != nil {
				yield(Response{}, err)
				return
			}
			for _, member := range members {
				r, err := decodeResponse(Key{scope, member.Name}, member)
				if err != nil {
					s.reject(ctx, err)
					continue
				}
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// records walks the records of a scope, some at a time.
func (s *Store) records(ctx context.Context, scope Scope) iter.Seq2[[]Member, error] {
	const some = 64
	return func(yield func([]Member, error) bool) {
		all, err := s.engine.Follow(ctx, scope, Query{Set: responsesName, Names: true})
		if err := s.note(ctx, err); err != nil {
			yield(nil, fmt.Errorf("list the responses: %w", err))
			return
		}
		members := all[0]
		slices.SortFunc(members, func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
		for batch := range slices.Chunk(members, some) {
			if err := s.fill(ctx, scope, batch); err != nil {
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
func (s *Store) fill(ctx context.Context, scope Scope, members []Member) error {
	keys := make([]Key, len(members))
	for i, member := range members {
		keys[i] = Key{scope, member.Name}
	}
	values, err := s.get(ctx, keys)
	if err != nil {
		return err
	}
	for i, value := range values {
		members[i].Value = value
		keys[i].Name = Link(value)
	}
	linked, err := s.get(ctx, keys)
	if err != nil {
		return err
	}
	for i := range members {
		members[i].Linked = linked[i]
	}
	return nil
}

func (s *Store) get(ctx context.Context, keys []Key) ([][]byte, error) {
	values, err := s.engine.Get(ctx, keys...)
	if err := s.note(ctx, err); err != nil {
		return nil, fmt.Errorf("read entries: %w", err)
	}
	return values, nil
}

// ToolsOf reads the tools that the model could call for a response.
func (s *Store) ToolsOf(ctx context.Context, r Response) ([]path.Tool, error) {
	key := Key{r.Scope, toolsName(r.Root)}
	values, err := s.get(ctx, []Key{key})
	if err != nil {
		return nil, err
	}
	tools, err := decodeTools(key, &r, values[0])
	if err != nil {
		s.reject(ctx, err)
	}
	return tools, err
}

func decodeTools(key Key, r *Response, value []byte) ([]path.Tool, error) {
	var tools []path.Tool
	if value != nil {
		payload, err := unseal(key, value)
		if err != nil {
			return nil, err
		}
		if json.Unmarshal(payload, &tools) != nil {
			return nil, fmt.Errorf("%w: the tools do not decode", ErrCorrupt)
		}
	}
	if path.Root(tools, r.Options) != r.Root {
		return nil, fmt.Errorf("%w: the tools and options do not fit the root", ErrCorrupt)
	}
	return tools, nil
}
