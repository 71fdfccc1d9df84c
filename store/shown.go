package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"heddle/graph"
)

// Show has messages, the parts of one answer in order, show a response from now
// on: one of the alternatives, or what took its place. It fails with ErrForgotten
// where that is erased or over.
func (s *Store) Show(ctx context.Context, scope Scope, parts []graph.MessageID, id ResponseID) error {
	name, ttl := recordName(id), s.lives.Response
	ops := []Op{{Kind: OpPresent, Name: name}}
	for _, part := range parts {
		ops = append(ops,
			Op{Kind: OpDelete, Name: shownName(part)},
			Op{Kind: OpAdd, Name: shownName(part), Value: name, TTL: ttl},
			Op{Kind: OpAdd, Name: replyName(part), Value: name, TTL: ttl},
			Op{Kind: OpDelete, Name: partsName(part)})
		for _, other := range parts {
			ops = append(ops, Op{Kind: OpAdd, Name: partsName(part), Value: idBytes(other), TTL: ttl})
		}
	}
	failed, err := s.change(ctx, Change{scope, ops})
	if err != nil {
		return fmt.Errorf("show an alternative: %w", err)
	}
	if failed[0] != Applied {
		return fmt.Errorf("show an alternative: %w", ErrForgotten)
	}
	return nil
}

// Parts gives the messages, in order, of the answer that a message is a part of, as
// they were when Show was called last; none where it never was.
func (s *Store) Parts(ctx context.Context, scope Scope, part graph.MessageID) ([]graph.MessageID, error) {
	members, err := s.engine.Follow(ctx, scope, Query{Set: partsName(part), Names: true})
	if err := s.note(ctx, err); err != nil {
		return nil, fmt.Errorf("find the parts of an answer: %w", err)
	}
	var parts []graph.MessageID
	for _, member := range members[0] {
		if len(member.Name) == idSize {
			parts = append(parts, graph.MessageID(binary.BigEndian.Uint64([]byte(member.Name))))
		}
	}
	slices.Sort(parts) // they were sent in order
	return parts, nil
}

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
