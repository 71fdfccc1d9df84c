package store

import (
	"context"
	"fmt"
	"slices"

	"heddle/graph/path"
)

// Match describes how much of a path is stored.
type Match struct {
	// Node is the deepest node that the path has in common with a stored path, and
	// Stored is the number of turns above it. Node is zero if not even the root, which
	// stands for tools and options, is stored.
	Node   path.Hash
	Stored int
	// Responses are the alternatives that answer the path up to Node, newest first.
	Responses []Response
	// New holds the turns below Node. Saving a response to the path creates nodes for
	// them.
	New []path.Turn
}

// Match finds the deepest stored node on a path. It takes one round trip, however long
// the path is.
func (a *Archive) Match(ctx context.Context, scope Scope, p path.Path) (Match, error) {
	nodes := append([]path.Hash{path.Root(p.Tools, p.Options)}, p.Hashes()...)
	slices.Reverse(nodes)
	const sets = 3 // for each node
	queries := make([]Query, 0, sets*len(nodes))
	for _, node := range nodes {
		queries = append(queries, Query{Set: answersName(node)}, Query{Set: againName(node)},
			Query{Set: nodeName(node), Limit: 1, Names: true, Last: true})
	}
	members, err := a.base.members(ctx, scope, queries...)
	if err != nil {
		return Match{}, fmt.Errorf("match a path: %w", err)
	}
	for i, node := range nodes {
		of := members[sets*i : sets*i+sets]
		if len(of[2]) == 0 {
			continue
		}
		stored := len(p.Turns) - i
		responses, _ := a.base.decode(ctx, scope, slices.Concat(of[0], of[1]))
		return Match{Node: node, Stored: stored, New: p.Turns[stored:], Responses: alternatives(responses, node)}, nil
	}
	return Match{New: p.Turns}, nil
}

// HasPath reports whether a node with this path_hash is stored.
func (a *Archive) HasPath(ctx context.Context, scope Scope, hash path.Hash) (bool, error) {
	members, err := a.base.members(ctx, scope, Query{Set: nodeName(hash), Limit: 1, Names: true})
	if err != nil {
		return false, fmt.Errorf("look for a path: %w", err)
	}
	return len(members[0]) > 0, nil
}

// ByPrompt returns the path_hash of every node that holds the turn with a prompt_hash.
func (a *Archive) ByPrompt(ctx context.Context, scope Scope, prompt path.Hash) ([]path.Hash, error) {
	members, err := a.base.members(ctx, scope, Query{Set: usersName(prompt)})
	if err != nil {
		return nil, fmt.Errorf("find the nodes that hold a turn: %w", err)
	}
	var nodes []path.Hash
	for _, member := range members[0] {
		if name := member.Name; len(name) == len(nodeName(path.Hash{})) {
			nodes = append(nodes, path.Hash([]byte(name[1:])))
		}
	}
	return nodes, nil
}
