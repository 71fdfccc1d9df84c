package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"heddle/graph"
)

// Displays stores which response each message of heddle's shows, and which answers
// offer to answer their edited question.
type Displays struct{ base *base }

// Show makes messages show a response from now on: an alternative, or an answer that
// replaced the one before. parts are the messages of one answer in order. Show returns
// ErrForgotten if the response was erased or has expired, or if one of the messages was
// deleted.
func (d *Displays) Show(ctx context.Context, scope Scope, parts []graph.MessageID, id ResponseID) error {
	name := recordName(id)
	ops := []Op{{Kind: OpPresent, Name: name}}
	for _, part := range parts {
		ops = append(ops, below(sourceName(part), part))
	}
	ops = append(ops, d.base.showing(parts, name)...)
	failed, err := d.base.change(ctx, Change{scope, ops})
	if err != nil {
		return fmt.Errorf("show an alternative: %w", err)
	}
	if failed[0] != Applied {
		return fmt.Errorf("show an alternative: %w", ErrForgotten)
	}
	return nil
}

// Leave records that an answer became shorter and keeps only the messages left of its
// parts. The caller deletes the others. Their deletion erases nothing: see
// Deletions.Forget.
func (d *Displays) Leave(ctx context.Context, scope Scope, parts, left []graph.MessageID) error {
	var ops []Op
	for _, message := range slices.Concat(parts, left) {
		ops = append(ops, d.base.standingIn(message, parts)...)
	}
	return d.base.apply(ctx, "note that an answer became shorter", Change{scope, ops})
}

// standingIn returns the steps that record all parts of the answer that a message is or
// was a part of.
func (s *base) standingIn(message graph.MessageID, parts []graph.MessageID) []Op {
	ops := []Op{{Kind: OpDelete, Name: partsName(message)}}
	for _, part := range parts {
		ops = append(ops, Op{Kind: OpAdd, Name: partsName(message), Value: idBytes(part), TTL: s.lives.Response})
	}
	return ops
}

// showing returns the steps by which the parts of an answer show a record.
func (s *base) showing(parts []graph.MessageID, name string) []Op {
	ttl := s.lives.Response
	var ops []Op
	for _, part := range parts {
		ops = append(ops,
			Op{Kind: OpDelete, Name: shownName(part)},
			Op{Kind: OpAdd, Name: shownName(part), Value: name, TTL: ttl},
			Op{Kind: OpAdd, Name: placesName(name), Value: idBytes(part), TTL: ttl},
			Op{Kind: OpAdd, Name: replyName(part), Value: name, TTL: ttl})
		ops = append(ops, s.standingIn(part, parts)...)
	}
	return ops
}

// places returns, for each record among the members of sets, the messages for which
// Show chose it.
func (s *base) places(ctx context.Context, scope Scope, sets [][]Member) (map[string][]graph.MessageID, error) {
	var queries []Query
	for _, members := range sets {
		for _, member := range members {
			queries = append(queries, Query{Set: placesName(member.Name), Names: true})
		}
	}
	places := make(map[string][]graph.MessageID)
	if len(queries) == 0 {
		return places, nil
	}
	found, err := s.members(ctx, scope, queries...)
	if err != nil {
		return nil, fmt.Errorf("find where answers were shown: %w", err)
	}
	for i, query := range queries {
		places[query.Set[1:]] = messagesOf(found[i])
	}
	return places, nil
}

// hidden returns the steps that remove the links from messages to a record.
func hidden(name string, parts []graph.MessageID) []Op {
	ops := []Op{{Kind: OpDelete, Name: placesName(name)}}
	for _, part := range parts {
		ops = append(ops, Op{Kind: OpRemove, Name: shownName(part), Value: name}, Op{Kind: OpRemove, Name: replyName(part), Value: name})
	}
	return ops
}

// Parts returns the messages, in order, of the answer that a message is a part of, as
// they were passed to Show last. It returns none if Show was not called for the
// message.
func (d *Displays) Parts(ctx context.Context, scope Scope, part graph.MessageID) ([]graph.MessageID, error) {
	members, err := d.base.members(ctx, scope, Query{Set: partsName(part), Names: true})
	if err != nil {
		return nil, fmt.Errorf("find the parts of an answer: %w", err)
	}
	return messagesOf(members[0]), nil
}

// messagesOf returns the messages whose ids are members of a set, in the order in which
// they were sent.
func messagesOf(members []Member) []graph.MessageID {
	var messages []graph.MessageID
	for _, member := range members {
		if len(member.Name) == idSize {
			messages = append(messages, graph.MessageID(binary.BigEndian.Uint64([]byte(member.Name))))
		}
	}
	slices.Sort(messages)
	return messages
}

// Chosen returns the responses that Show chose for messages. Messages for which Show
// was not called are left out.
func (d *Displays) Chosen(ctx context.Context, scope Scope, replies []graph.MessageID) ([]ResponseID, error) {
	queries := make([]Query, len(replies))
	for i, reply := range replies {
		queries[i] = Query{Set: shownName(reply)}
	}
	found, err := d.base.follow(ctx, scope, queries...)
	if err != nil {
		return nil, fmt.Errorf("find the chosen responses: %w", err)
	}
	var chosen []ResponseID
	for _, shown := range found {
		if len(shown) > 0 {
			chosen = append(chosen, shown[0].ID)
		}
	}
	return chosen, nil
}
