package store

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"heddle/graph"
	"heddle/graph/path"
)

// eraser erases the responses of one scope that deletions lead to.
type eraser struct {
	base    *base
	ratings *Ratings
	scope   Scope
	all     *erased // collects what was erased; nil: not needed
}

// finish follows the sets that deletions still have to follow, until none is left. At
// last it destroys the key of the scope, if a deletion asks for that. It terminates
// because every round removes what it found.
func (e eraser) finish(ctx context.Context) error {
	open, err := e.unfollowed(ctx)
	if err != nil {
		return err
	}
	sets := slices.DeleteFunc(slices.Clone(open), func(set string) bool { return set == KeyName })
	replies := slices.DeleteFunc(slices.Clone(sets), func(set string) bool { return !isReplySet(set) })
	derived, err := e.takeDown(ctx, replies)
	if err != nil {
		return err
	}
	rest := slices.DeleteFunc(append(slices.Clone(sets), derived...), isReplySet)
	if err := e.follow(ctx, rest); err != nil || len(sets) == len(open) {
		return err
	}
	return e.base.apply(ctx, "destroy the key of a scope", Change{e.scope, []Op{
		{Kind: OpRemove, Name: followName, Value: KeyName},
		{Kind: OpDelete, Name: KeyName},
	}})
}

// follow erases what the sets lead to.
func (e eraser) follow(ctx context.Context, open []string) error {
	const width, depth = 64, 32 // sets in a round, and members of each
	for len(open) > 0 {
		round := open[:min(width, len(open))]
		queries := make([]Query, len(round))
		for i, set := range round {
			queries[i] = Query{Set: set, Limit: depth}
		}
		members, err := e.base.members(ctx, e.scope, queries...)
		if err != nil {
			return fmt.Errorf("find what is derived from something deleted: %w", err)
		}
		places, err := e.base.places(ctx, e.scope, members)
		if err != nil {
			return err
		}
		rest := slices.Clone(open[len(round):])
		var changes []Change
		for i, set := range round {
			for _, member := range members[i] {
				changed, derived := e.erase(ctx, set, member, places[member.Name], (*Response).derivedFrom)
				changes = append(changes, changed...)
				rest = append(rest, derived...)
			}
			if len(members[i]) > 0 {
				rest = append(rest, set)
				continue
			}
			if err := e.ratings.forgetPerson(ctx, e.scope, set); err != nil {
				return err
			}
			changes = append(changes, Change{e.scope, []Op{{Kind: OpRemove, Name: followName, Value: set}}})
		}
		if err := e.base.apply(ctx, "erase what is derived from something deleted", changes...); err != nil {
			return err
		}
		open = rest
	}
	return nil
}

// erase returns the changes that erase the response that a member of a set names. places
// are the messages that show the response, and derived are the sets of what was derived
// from it, as derivedFrom returns them.
func (e eraser) erase(
	ctx context.Context, set string, member Member, places []graph.MessageID, derivedFrom func(*Response, []graph.MessageID) []string,
) (changes []Change, derived []string) {
	name := member.Name
	loose := Change{e.scope, slices.Concat(unrated(name), hidden(name, places),
		[]Op{{Kind: OpDelete, Name: name}, {Kind: OpRemove, Name: set, Value: name}})}
	if member.Value == nil {
		return []Change{loose}, nil
	}
	r, err := decodeRecord(Key{e.scope, name}, member.Value)
	if err != nil {
		e.base.reject(ctx, err)
		return []Change{loose}, nil
	}
	e.base.counters.erased.Add(1)
	e.all.add(&r.Response, places)
	derived = derivedFrom(&r.Response, places)
	marks := e.summaryMarks(&r.Response)
	ops := []Op{{Kind: OpPresent, Name: name}, {Kind: OpDelete, Name: name}}
	for _, index := range r.indexes() {
		ops = append(ops, Op{Kind: OpRemove, Name: index, Value: name})
	}
	ops = append(ops, e.base.toFollow(derived...)...) // in the same step, because afterwards nothing else leads to these sets
	ops = slices.Concat(ops, unrated(name), hidden(name, places), e.bury(ctx, &r.Response))
	return append(marks, Change{e.scope, append(ops, r.prune()...)}, loose), derived
}

// bury returns the steps that leave a tombstone for a response. A tombstone contains
// ids under a random id, and nothing from which a text could be guessed.
func (e eraser) bury(ctx context.Context, r *Response) []Op {
	stone := Response{
		Standing: Standing{Scope: r.Scope, Channel: r.Channel, Trigger: r.Trigger, Created: r.Created, Erased: e.base.now().UTC()},
		Input:    Input{Model: r.Model},
		Output:   Output{Usage: r.Usage},
	}
	_, _ = rand.Read(stone.ID[:]) // it never fails
	for _, reply := range r.Replies {
		stone.Replies = append(stone.Replies, Reply{ID: reply.ID})
	}
	record, err := stone.encode()
	if err != nil { // never: these ids, numbers and times were decoded before
		e.base.reject(ctx, err)
		return nil
	}
	ops := []Op{
		{Kind: OpPut, Name: recordName(stone.ID), Value: record, TTL: e.base.lives.Response},
		{Kind: OpAdd, Name: gravesName, Value: recordName(stone.ID), TTL: e.base.lives.Response},
		{Kind: OpAdd, Name: askedName(stone.Trigger), Value: recordName(stone.ID), TTL: e.base.lives.Response},
	}
	for _, reply := range stone.Replies {
		ops = append(ops, Op{Kind: OpAdd, Name: replyName(reply.ID), Value: recordName(stone.ID), TTL: e.base.lives.Response})
	}
	return ops
}

// prune returns the steps that remove a response from the tree, together with every
// node above it that has no other child and every turn that no other node holds.
func (r *record) prune() []Op {
	nodes := r.nodes()
	leaf := len(nodes) - 1
	var ops []Op
	if r.link != "" {
		text := path.Hash([]byte(r.link[1:]))
		ops = append(ops,
			Op{Kind: OpRemove, Name: usersName(text), Value: recordName(r.ID), Skip: 1},
			Op{Kind: OpDelete, Name: r.link})
	}
	ops = append(ops, Op{Kind: OpRemove, Name: nodeName(nodes[leaf]), Value: recordName(r.ID)})
	for i := leaf; i > 0; i-- {
		prompt := r.Prompts[i-1]
		ops = append(ops,
			Op{Kind: OpRemove, Name: usersName(prompt), Value: nodeName(nodes[i]), Skip: 1},
			Op{Kind: OpDelete, Name: turnName(prompt)},
			Op{Kind: OpRemove, Name: nodeName(nodes[i-1]), Value: nodeName(nodes[i])})
	}
	ops = append(ops,
		Op{Kind: OpDelete, Name: toolsName(r.Root)},
		Op{Kind: OpRemove, Name: rootsName, Value: nodeName(r.Root)})
	for i := range ops {
		if ops[i].Kind == OpRemove && ops[i].Skip == 0 {
			ops[i].Skip = len(ops) - i - 1 // if the node stays, so does everything above it
		}
	}
	return ops
}
