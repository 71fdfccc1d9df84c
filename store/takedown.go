package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"heddle/graph"
)

// If an answer of heddle's is deleted on Discord, all alternatives that its messages
// showed or were sent as are erased. An alternative that another message shows stays
// stored for that message, but is not given again.

// takingDown returns the deletion of the answers that messages are parts of. The
// deletion of one message erases the whole answer, so it includes parts that are not
// among messages. It leaves out messages that heddle deleted itself because the answer
// became shorter.
func (s *Deletions) takingDown(ctx context.Context, scopes []Scope, messages []graph.MessageID) (deletion, error) {
	left := make(map[graph.MessageID]bool)
	parts := make(map[graph.MessageID]bool)
	for _, scope := range scopes {
		views, err := viewer{s.base}.views(ctx, scope, messages)
		if err != nil {
			return deletion{}, err
		}
		for message, v := range views {
			left[message] = left[message] || v.left
			if v.left || v.record == "" {
				continue
			}
			for _, part := range append(v.parts, message) {
				parts[part] = true
			}
		}
	}
	gone := slices.DeleteFunc(slices.Clone(messages), func(message graph.MessageID) bool { return left[message] })
	d := deletion{gone: gone, parts: slices.Sorted(maps.Keys(parts)), erased: &erased{}}
	all := slices.Concat(gone, d.parts)
	slices.Sort(all)
	for _, message := range slices.Compact(all) {
		d.sets = append(d.sets, sourceName(message))
		d.marks = append(d.marks, s.mark(sourceName(message), message))
	}
	for _, part := range d.parts {
		d.sets = append(d.sets, replyName(part))
	}
	return d, nil
}

// isReplySet reports whether a set leads to the responses of one of heddle's messages.
func isReplySet(set string) bool {
	return len(set) == 1+idSize && set[0] == replyName(0)[0]
}

// takeDown erases the responses of deleted messages, to which the sets lead. It returns
// the sets of what was derived from them.
func (e eraser) takeDown(ctx context.Context, sets []string) (derived []string, err error) {
	if len(sets) == 0 {
		return nil, nil
	}
	stood, places, err := viewer{e.base}.stood(ctx, e.scope, sets)
	if err != nil {
		return nil, err
	}
	deleted := make([]graph.MessageID, len(sets))
	for i, set := range sets {
		deleted[i] = graph.MessageID(idOf(set[1:]))
	}
	elsewhere, err := viewer{e.base}.elsewhere(ctx, e.scope, stood, places, deleted)
	if err != nil {
		return nil, err
	}
	var changes []Change
	for name, member := range stood {
		barring, err := viewer{e.base}.bar(ctx, e.scope, member)
		if err != nil {
			return nil, err
		}
		if elsewhere[name] {
			changes = append(changes, Change{e.scope, append(barring, notIn(name, deleted)...)})
			continue
		}
		changes = append(changes, Change{e.scope, slices.DeleteFunc(barring, func(op Op) bool { return op.Value == name })}) // erase removes the record itself
		changed, from := e.erase(ctx, replyName(deleted[0]), member, places[name], (*Response).derivedFrom)
		changes, derived = append(changes, changed...), append(derived, from...)
	}
	done := make([]Op, len(sets))
	for i, set := range sets {
		done[i] = Op{Kind: OpRemove, Name: followName, Value: set}
	}
	if err := e.base.apply(ctx, "erase what stood in deleted messages", changes...); err != nil {
		return nil, err
	}
	return derived, e.base.apply(ctx, "note that a deletion is done", Change{e.scope, done})
}

// stood returns the responses that sets lead to, by name, and for each the messages for
// which Show chose it.
func (w viewer) stood(ctx context.Context, scope Scope, sets []string) (map[string]Member, map[string][]graph.MessageID, error) {
	queries := make([]Query, len(sets))
	for i, set := range sets {
		queries[i] = Query{Set: set}
	}
	members, err := w.base.members(ctx, scope, queries...)
	if err != nil {
		return nil, nil, fmt.Errorf("find the answers in deleted messages: %w", err)
	}
	places, err := w.base.places(ctx, scope, members)
	if err != nil {
		return nil, nil, err
	}
	stood := make(map[string]Member)
	for _, member := range slices.Concat(members...) {
		if len(w.base.records(ctx, scope, []Member{member})) > 0 {
			stood[member.Name] = member
		}
	}
	return stood, places, nil
}

// elsewhere returns which responses are shown by another answer that is not deleted.
func (w viewer) elsewhere(
	ctx context.Context, scope Scope, stood map[string]Member, places map[string][]graph.MessageID, deleted []graph.MessageID,
) (map[string]bool, error) {
	var messages []graph.MessageID
	for name, member := range stood {
		messages = append(messages, places[name]...)
		for _, r := range w.base.records(ctx, scope, []Member{member}) {
			messages = append(messages, sentAs(r.Replies)...)
		}
	}
	slices.Sort(messages)
	views, err := w.views(ctx, scope, slices.Compact(messages))
	if err != nil {
		return nil, err
	}
	isDeleted := func(message graph.MessageID) bool { return slices.Contains(deleted, message) }
	shown := make(map[string]bool)
	for message, v := range views {
		if v.stands() && !isDeleted(message) && !slices.ContainsFunc(v.parts, isDeleted) {
			shown[v.record] = true
		}
	}
	return shown, nil
}

// notIn returns the steps that remove the links from messages to a record that other
// messages show.
func notIn(name string, messages []graph.MessageID) []Op {
	var ops []Op
	for _, message := range messages {
		ops = append(ops,
			Op{Kind: OpRemove, Name: placesName(name), Value: idBytes(message)},
			Op{Kind: OpRemove, Name: shownName(message), Value: name},
			Op{Kind: OpRemove, Name: replyName(message), Value: name})
	}
	return ops
}

// barred is the value of the mark of a response that must not be given again. It
// carries no information, because marks are not encrypted.
const barred graph.MessageID = 1

// bar returns the steps that keep the answer of a record, and every copy of it, from
// being given again.
func (w viewer) bar(ctx context.Context, scope Scope, member Member) ([]Op, error) {
	of := w.base.records(ctx, scope, []Member{member})[0]
	sets := []string{answersName(of.PathHash), againName(of.PathHash)}
	members, err := w.base.members(ctx, scope, Query{Set: sets[0]}, Query{Set: sets[1]})
	if err != nil {
		return nil, fmt.Errorf("find the copies of a deleted answer: %w", err)
	}
	ops := []Op{forgotten(recordName(of.Original()), barred, w.base.lives.Forgotten)}
	for i, set := range sets {
		for _, r := range w.base.records(ctx, scope, members[i]) {
			if r.Original() == of.Original() {
				ops = append(ops, Op{Kind: OpRemove, Name: set, Value: recordName(r.ID)})
			}
		}
	}
	return ops, nil
}
