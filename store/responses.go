package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"heddle/graph"
	"heddle/graph/path"
)

// Responses stores answers and finds them again.
type Responses struct {
	base   *base
	scopes *scopes
	claims *Claims
}

var errPathHash = errors.New("the response's path does not fit its path_hash")

// Save stores a response with its turns, and indexes it by path, replies, trigger and
// everything that it was made from, in one step. Saving the same response again changes
// nothing. Save returns ErrForgotten if something that the response was made from has
// been deleted.
func (s *Responses) Save(ctx context.Context, r Response) error {
	return s.noting(&r, s.save(ctx, r, func(*Response) []Op { return nil }))
}

// SaveShown is like Save, for an answer that replaces another in its messages. In the
// same step it makes the messages show the answer, as Show does.
func (s *Responses) SaveShown(ctx context.Context, r Response) error {
	return s.noting(&r, s.save(ctx, r, func(r *Response) []Op {
		parts := make([]graph.MessageID, len(r.Replies))
		for i, reply := range r.Replies {
			parts[i] = reply.ID
		}
		return s.base.showing(parts, recordName(r.ID))
	}))
}

// noting records where an answer stands, and returns err, the error of saving it.
func (s *Responses) noting(r *Response, err error) error {
	switch {
	case err == nil:
		s.base.saved.add(s.base.clock(), r)
	case !errors.Is(err, ErrForgotten):
		s.base.unsaved.add(time.Time{}, r)
	}
	return err
}

// save stores a response, and takes further steps in the same change.
func (s *Responses) save(ctx context.Context, r Response, further func(*Response) []Op) error {
	if err := r.complete(); err != nil {
		return fmt.Errorf("save a response: %w", err)
	}
	quarantines := s.base.quarantines()
	if err := s.scopes.introduce(ctx, &r); err != nil {
		return err
	}
	ops := r.unforgotten()
	conditions := len(ops)
	kept, err := s.keep(&r)
	if err != nil {
		return err
	}
	failed, err := s.base.change(ctx, Change{r.Scope, slices.Concat(ops, kept, further(&r))})
	if err != nil {
		return fmt.Errorf("save a response: %w", err)
	}
	if failed[0] != Applied && failed[0] < conditions {
		return fmt.Errorf("save a response: %w", ErrForgotten)
	}
	s.base.counters.saved.Add(1)
	if s.base.quarantines() != quarantines { // the engine started empty meanwhile, so the lists of scopes are missing
		return s.scopes.introduce(ctx, &r)
	}
	return nil
}

// complete computes the id, the root and the prompt hashes.
func (r *Response) complete() error {
	if err := r.Scope.check(); err != nil {
		return err
	}
	r.Root = path.Root(r.Tools, r.Options)
	r.Code = codeBlocks(r.Text)
	r.Prompts = make([]path.Hash, len(r.Path))
	for i, turn := range r.Path {
		r.Prompts[i] = turn.Hash()
	}
	nodes := r.nodes()
	if leaf := nodes[len(nodes)-1]; r.PathHash != leaf {
		return errPathHash
	}
	if r.ID == (ResponseID{}) {
		r.ID = r.deriveID()
	}
	return nil
}

// deriveID derives the id of a response from its contents, so that saving it twice
// yields one record. The id cannot be used to guess an erased text, because it is
// erased with the response.
func (r *Response) deriveID() ResponseID {
	b := append([]byte("heddle/1/id"), r.PathHash[:]...)
	b = append(append(b, r.RequestHash[:]...), r.ResponseHash[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(r.Trigger))
	b = append(b, r.Created.UTC().Format("2006-01-02T15:04:05.000000000")...)
	sum := sha256.Sum256(b)
	return ResponseID(sum[:len(ResponseID{})])
}

// keep returns the steps that store a response with its turns and indexes.
func (s *Responses) keep(r *Response) ([]Op, error) {
	record, err := r.encode()
	if err != nil {
		return nil, err
	}
	ttl, name := s.base.lives.Response, recordName(r.ID)
	ops := []Op{{Kind: OpPut, Name: name, Value: record, TTL: ttl}}
	add := func(set, member string) { ops = append(ops, Op{Kind: OpAdd, Name: set, Value: member, TTL: ttl}) }
	if len(r.Tools) > 0 {
		tools, err := json.Marshal(r.Tools)
		if err != nil {
			return nil, fmt.Errorf("encode tools: %w", err)
		}
		key := Key{r.Scope, toolsName(r.Root)}
		ops = append(ops, Op{Kind: OpPut, Name: key.Name, Value: seal(key, tools), TTL: ttl})
	}
	if r.Text != "" {
		turn := r.answer()
		key := Key{r.Scope, turnName(turn.Hash())}
		ops = append(ops, Op{Kind: OpPut, Name: key.Name, Value: seal(key, path.AppendTurn(nil, turn)), TTL: ttl})
		add(usersName(turn.Hash()), name)
	}
	nodes := r.nodes()
	add(rootsName, nodeName(r.Root))
	for i, turn := range r.Path {
		key := Key{r.Scope, turnName(r.Prompts[i])}
		ops = append(ops, Op{Kind: OpPut, Name: key.Name, Value: seal(key, path.AppendTurn(nil, turn)), TTL: ttl})
		add(usersName(r.Prompts[i]), nodeName(nodes[i+1]))
		add(nodeName(nodes[i]), nodeName(nodes[i+1]))
	}
	add(nodeName(r.PathHash), name)
	for _, index := range r.indexes() {
		add(index, name)
	}
	return ops, nil
}

// indexes returns the sets that lead to a response.
func (r *Response) indexes() []string {
	names := []string{responsesName, answersName(r.PathHash), channelName(r.Channel)}
	if r.Original() != r.ID { // in a set of its own, because there may be many: see fitting
		names[1] = againName(r.PathHash)
	}
	if r.IsSummary() {
		names = append(names, summaryName(r.SummaryID()))
	} else {
		names = append(names, askedName(r.Trigger))
	}
	if r.Summary != 0 {
		names = append(names, condensedName(r.Summary))
	}
	for _, reply := range r.Replies {
		names = append(names, replyName(reply.ID))
	}
	for _, source := range r.Sources {
		if source.Message != 0 {
			names = append(names, sourceName(source.Message))
		}
		names = append(names, authorName(source.Author), channelName(source.Channel))
	}
	slices.Sort(names)
	return slices.Compact(names)
}
