package store

import (
	"context"
	"errors"
	"fmt"

	"heddle/graph/path"
)

// Report is what Verify found in a scope.
type Report struct {
	Responses  int // responses that match their hashes
	Turns      int // turns that match their hashes
	Tombstones int // tombstones, which cannot be verified
	Faults     []Fault
}

// Fault describes a stored entry that does not match its hash, or is missing.
type Fault struct {
	Response ResponseID
	Turn     int // number of the turn on the path, from 1; 0 if the fault is not in a turn
	Err      error
}

var (
	errNoNode   = fmt.Errorf("%w: a node of its path is missing", ErrCorrupt)
	errBranch   = fmt.Errorf("%w: a branch does not match its hashes", ErrCorrupt)
	errResponse = fmt.Errorf("%w: its text does not match its response_hash", ErrCorrupt)
)

// Verify recomputes every hash in a scope and reports those that do not match.
func (a *Archive) Verify(ctx context.Context, scope Scope) (Report, error) {
	v := verifying{archive: a, scope: scope, turns: make(map[path.Hash]error)}
	for members, err := range a.records(ctx, scope) {
		if err != nil {
			return v.report, err
		}
		for _, member := range members {
			if err := v.record(ctx, member); err != nil {
				return v.report, err
			}
		}
	}
	stones, err := a.base.members(ctx, scope, Query{Set: gravesName, Names: true})
	if err != nil {
		return v.report, fmt.Errorf("count the tombstones: %w", err)
	}
	v.report.Tombstones = len(stones[0])
	for _, err := range v.turns {
		if err == nil {
			v.report.Turns++
		}
	}
	return v.report, nil
}

// verifying is one call of Verify. It remembers the turns that it has checked, because
// paths share them.
type verifying struct {
	archive *Archive
	scope   Scope
	turns   map[path.Hash]error
	report  Report
}

// record verifies one response, and adds what does not fit to the report.
func (v *verifying) record(ctx context.Context, member Member) error {
	r, damage := decodeResponse(Key{v.scope, member.Name}, member)
	if damage != nil {
		var id ResponseID
		copy(id[:], member.Name[len(RecordPrefix):])
		v.report.Faults = append(v.report.Faults, Fault{Response: id, Err: damage})
		return nil //nolint:nilerr // the error is reported as a fault
	}
	before := len(v.report.Faults)
	fault := func(turn int, err error) {
		v.report.Faults = append(v.report.Faults, Fault{Response: r.ID, Turn: turn, Err: err})
	}
	if r.ResponseHash != path.ResponseHash(r.Text, r.FinishReason) {
		fault(0, errResponse)
	}
	for i := range r.Branches {
		if !r.Branches[i].fits() {
			fault(0, errBranch)
		}
	}
	_, err := v.archive.responses.Tools(ctx, r)
	switch {
	case errors.Is(err, ErrCorrupt):
		fault(0, err)
	case err != nil:
		return err
	}
	if err := v.path(ctx, &r, fault); err != nil {
		return err
	}
	if len(v.report.Faults) == before {
		v.report.Responses++
	}
	return nil
}

// path checks the turns of a path, and that its nodes are stored.
func (v *verifying) path(ctx context.Context, r *Response, fault func(turn int, err error)) error {
	if err := v.look(ctx, r.Prompts); err != nil {
		return err
	}
	for i, prompt := range r.Prompts {
		if err := v.turns[prompt]; err != nil {
			fault(i+1, err)
		}
	}
	nodes := r.nodes()
	queries := make([]Query, len(nodes))
	for i, node := range nodes {
		queries[i] = Query{Set: nodeName(node), Limit: 1, Names: true}
	}
	members, err := v.archive.base.members(ctx, v.scope, queries...)
	if err != nil {
		return fmt.Errorf("read the nodes of a path: %w", err)
	}
	for i := range nodes {
		if len(members[i]) == 0 {
			fault(i, errNoNode)
		}
	}
	return nil
}

// look reads and checks the turns that were not checked before.
func (v *verifying) look(ctx context.Context, prompts []path.Hash) error {
	var keys []Key
	var unseen []path.Hash
	for _, prompt := range prompts {
		if _, ok := v.turns[prompt]; !ok {
			keys = append(keys, Key{v.scope, turnName(prompt)})
			unseen = append(unseen, prompt)
		}
	}
	values, err := v.archive.base.get(ctx, keys...)
	if err != nil {
		return fmt.Errorf("read turns: %w", err)
	}
	for i, prompt := range unseen {
		_, v.turns[prompt] = decodeTurn(keys[i], prompt, values[i])
	}
	return nil
}
