package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"heddle/graph"
	"heddle/graph/path"
)

var errPathHash = errors.New("the response's path does not fit its path_hash")

// Save keeps a response with its turns, and indexes it by path, replies, trigger
// and all that it was made from, in one step. Saving the same response again
// changes nothing. It fails with ErrForgotten where something that the response
// was made from was deleted in the meantime.
func (s *Store) Save(ctx context.Context, r Response) error {
	return s.save(ctx, r, func(*Response) []Op { return nil })
}

// SaveShown is Save for an answer that took the place of another: in the same step its
// messages show it, as if by Show.
func (s *Store) SaveShown(ctx context.Context, r Response) error {
	return s.save(ctx, r, func(r *Response) []Op {
		parts := make([]graph.MessageID, len(r.Replies))
		for i, reply := range r.Replies {
			parts[i] = reply.ID
		}
		return s.showing(parts, recordName(r.ID))
	})
}

// save keeps a response, and takes further steps with it.
func (s *Store) save(ctx context.Context, r Response, further func(*Response) []Op) error {
	if err := r.complete(); err != nil {
		return fmt.Errorf("save a response: %w", err)
	}
	renewals := s.renewals()
	if err := s.introduce(ctx, &r); err != nil {
		return err
	}
	ops := r.unforgotten()
	conditions := len(ops)
	kept, err := s.keep(&r)
	if err != nil {
		return err
	}
	failed, err := s.change(ctx, Change{r.Scope, slices.Concat(ops, kept, further(&r))})
	if err != nil {
		return fmt.Errorf("save a response: %w", err)
	}
	if failed[0] != Applied && failed[0] < conditions {
		return fmt.Errorf("save a response: %w", ErrForgotten)
	}
	s.counters.saved.Add(1)
	if s.renewals() != renewals { // on the way, and with what was listed
		return s.introduce(ctx, &r)
	}
	return nil
}

// complete works out the id, the root and the prompt hashes.
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

// deriveID gives the same response the same id. It is of no use for guessing at
// an erased text, as nothing keeps it when the response is erased.
func (r *Response) deriveID() ResponseID {
	b := append([]byte("heddle/1/id"), r.PathHash[:]...)
	b = append(append(b, r.RequestHash[:]...), r.ResponseHash[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(r.Trigger))
	b = append(b, r.Created.UTC().Format("2006-01-02T15:04:05.000000000")...)
	sum := sha256.Sum256(b)
	return ResponseID(sum[:len(ResponseID{})])
}

// keep lists the steps that keep a response.
func (s *Store) keep(r *Response) ([]Op, error) {
	record, err := r.encode()
	if err != nil {
		return nil, err
	}
	ttl, name := s.lives.Response, recordName(r.ID)
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

// indexes are the sets that lead to a response.
func (r *Response) indexes() []string {
	names := []string{responsesName, answersName(r.PathHash), channelName(r.Channel)}
	if r.Original() != r.ID { // apart, as there may be many of them: see fitting
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

// ByPath gives the alternatives that answer a path, newest first, of all models.
func (s *Store) ByPath(ctx context.Context, scope Scope, hash path.Hash) ([]Response, error) {
	members, err := s.engine.Follow(ctx, scope, Query{Set: answersName(hash)}, Query{Set: againName(hash)})
	if err := s.note(ctx, err); err != nil {
		return nil, fmt.Errorf("find the responses to a path: %w", err)
	}
	found, _ := s.decode(ctx, scope, slices.Concat(members...))
	return alternatives(found, hash), nil
}

// alternatives leaves of the responses to a path what the model said: one that was
// given again only where the original is erased.
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

// ByReplies gives the responses that these messages show: of several alternatives
// the one that Show chose, else the newest.
func (s *Store) ByReplies(ctx context.Context, scope Scope, replies []graph.MessageID) (map[graph.MessageID]Response, error) {
	found, err := s.follow(ctx, scope, shownBy(replies)...)
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

// ByTrigger gives the responses to a trigger, newest first.
func (s *Store) ByTrigger(ctx context.Context, scope Scope, trigger graph.MessageID) ([]Response, error) {
	found, err := s.follow(ctx, scope, Query{Set: askedName(trigger)})
	if err != nil {
		return nil, fmt.Errorf("find the responses to a trigger: %w", err)
	}
	return found[0], nil
}

// follow reads the responses of sets, newest first, without those that are gone
// or damaged.
func (s *Store) follow(ctx context.Context, scope Scope, queries ...Query) ([][]Response, error) {
	if len(queries) == 0 {
		return nil, nil
	}
	members, err := s.engine.Follow(ctx, scope, queries...)
	if err := s.note(ctx, err); err != nil {
		return nil, err
	}
	found := make([][]Response, len(queries))
	for i := range members {
		found[i], _ = s.decode(ctx, scope, members[i])
	}
	return found, nil
}

// decode reads the records of a set, newest first, and says how many are damaged.
func (s *Store) decode(ctx context.Context, scope Scope, members []Member) (found []Response, damaged int) {
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

// Turns reads the turns of a response's path, root first. It fails with
// ErrCorrupt where one is damaged or no longer there.
func (s *Store) Turns(ctx context.Context, r Response) ([]path.Turn, error) {
	keys := make([]Key, len(r.Prompts))
	for i, prompt := range r.Prompts {
		keys[i] = Key{r.Scope, turnName(prompt)}
	}
	values, err := s.engine.Get(ctx, keys...)
	if err := s.note(ctx, err); err != nil {
		return nil, fmt.Errorf("read the turns of a response: %w", err)
	}
	turns := make([]path.Turn, len(keys))
	for i, key := range keys {
		if turns[i], err = decodeTurn(key, r.Prompts[i], values[i]); err != nil {
			s.reject(ctx, err)
			return nil, fmt.Errorf("read turn %d of %d of a response: %w", i+1, len(keys), err)
		}
	}
	return turns, nil
}

func decodeTurn(key Key, prompt path.Hash, value []byte) (path.Turn, error) {
	if value == nil {
		return path.Turn{}, fmt.Errorf("%w: it is not there", ErrCorrupt)
	}
	payload, err := unseal(key, value)
	if err != nil {
		return path.Turn{}, err
	}
	turn, err := path.DecodeTurn(payload)
	if err != nil {
		return path.Turn{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if turn.Hash() != prompt {
		return path.Turn{}, fmt.Errorf("%w: it does not fit its hash", ErrCorrupt)
	}
	return turn, nil
}
