package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"heddle/graph"
	"heddle/graph/path"
)

// Responses stores answers, and which of them each message of heddle's shows.
type Responses struct{ base *base }

// Save stores a response with its path, and indexes it by path, replies, question and
// all of its sources, in one step. An answer is saved twice with one id: without Replies
// before anything refers to it, and with them once it was sent. Further saves change
// nothing, and one without Replies never undoes one with them. Save returns ErrForgotten
// if a source of the response was deleted. It then leaves a tombstone, so that Recollect
// reports the response's messages as erased.
func (s *Responses) Save(ctx context.Context, r Response, also ...Also) error {
	return s.save(ctx, r, nil, also)
}

// Also is a change that is stored in one step with a response.
type Also struct{ transaction }

// SaveShown is like Save, for an answer that replaces another in its messages. In the
// same step it makes the messages show the answer, as Show does.
func (s *Responses) SaveShown(ctx context.Context, r Response, also ...Also) error {
	return s.save(ctx, r, r.Parts(), also)
}

// save stores a response, and makes messages show it.
func (s *Responses) save(ctx context.Context, r Response, shownBy []graph.MessageID, also []Also) error {
	r.complete()
	record, err := r.encode()
	if err != nil {
		return fmt.Errorf("save a response: %w", err)
	}
	forgotten, isNew := false, false
	edits := s.base.overtaken(&r)
	all := append([]transaction{s.base.lists(r.Scope, r.channels())}, s.base.note(r.Scope, edits)...)
	all = append(all, transaction{r.Scope, func(t *tx) error {
		var stored []byte
		if stored, forgotten = t.forgotten(r.unforgotten(), recordName(r.ID)); forgotten {
			s.base.bury(t, &r)
			return nil
		}
		isNew = isNew || stored == nil // a repeated transaction finds what it wrote
		earlier, err := decodeResponse(Key{r.Scope, recordName(r.ID)}, stored)
		if err != nil {
			earlier = Response{}
		}
		if len(r.Replies) == 0 && len(earlier.Replies) > 0 {
			return nil
		}
		s.keep(t, &r, record, &earlier)
		s.base.show(t, shownBy, recordName(r.ID))
		return nil
	}})
	for _, one := range also {
		all = append(all, transaction{one.scope, func(t *tx) error {
			if forgotten {
				return nil
			}
			return one.do(t)
		}})
	}
	err = s.base.updateAll(ctx, "save a response", all...)
	if later := s.base.overtaken(&r); err == nil && len(later) > len(edits) { // which found no source
		err = s.base.updateAll(ctx, "note an edit", s.base.note(r.Scope, later)...)
	}
	switch {
	case err != nil:
		s.base.given.add(&r)
		return err
	case forgotten:
		return fmt.Errorf("save a response: %w", ErrForgotten)
	}
	s.base.given.add(&r)
	if isNew {
		s.base.saved.Add(1)
	}
	return nil
}

// Bury leaves a tombstone in place of a response that was sent and must not be stored,
// because one of its sources was taken back. It erases what was saved of it. Deletions
// leave the same.
func (s *Responses) Bury(ctx context.Context, r Response, _ ...Also) error {
	r.complete()
	return s.base.write(ctx, "leave a tombstone", r.Scope, func(t *tx) {
		one := erased{r, recordName(r.ID), r.Parts()}
		if t.value(one.name) == nil {
			s.base.bury(t, &r)
			return
		}
		(&eraser{base: s.base, scope: r.Scope}).erase(t, &one)
	})
}

// complete computes the id and the root.
func (r *Response) complete() {
	if r.Root == (path.Hash{}) { // one that was read has its root, and maybe no tools
		r.Root = path.Root(r.Tools, r.Options)
	}
	if r.ID == (ResponseID{}) {
		r.ID = r.deriveID()
	}
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

// keep stores a response with its path, tools and indexes. Of the one that was stored with its
// id before, which has no id if there was none, it leaves what is the same, and removes what
// leads to it no more. Everything then ends with that one.
func (s *Responses) keep(t *tx, r *Response, record string, earlier *Response) {
	ttl, name := s.base.lives.Response, recordName(r.ID)
	before, now := earlier.indexes(), r.indexes()
	if earlier.ID == r.ID {
		t.keep(name, record, ttl)
	} else {
		before = nil
		t.put(name, record, ttl)
	}
	if before == nil || earlier.PathHash != r.PathHash {
		t.put(contentsName(name), r.contents(), ttl)
	}
	for _, index := range before {
		if !slices.Contains(now, index) {
			t.take(index.set, index.member)
		}
	}
	for _, index := range now {
		if !slices.Contains(before, index) {
			t.add(index.set, index.member, ttl)
		}
	}
}

const (
	// scopeConfidence holds how certain models were, without texts and ids.
	scopeConfidence Scope = "_confidence"

	leastRanked = 20  // number of earlier answers that a rank requires
	mostRanked  = 200 // number of earlier answers that it compares with
	rankedFor   = 90 * 24 * time.Hour
)

// Rank stores a confidence and returns its rank: the share of the model's last 200
// answers that were less certain. An equally certain answer counts as a part of one,
// and the part is the confidence itself. If a model is always equally certain, a
// confidence of 0.95 therefore ranks as 0.95. The rank is nil if there were fewer than
// 20 answers, or if the confidence is not between 0 and 1.
func (s *Responses) Rank(ctx context.Context, model string, confidence float64) (*float64, error) {
	if !(confidence >= 0 && confidence <= 1) {
		return nil, nil //nolint:nilnil // unknown is no error
	}
	sum := sha256.Sum256([]byte(model))
	name := "n" + string(sum[:])
	var before []float64
	err := s.base.write(ctx, "remember how certain a model is", scopeConfidence, func(t *tx) {
		before = nil
		_ = json.Unmarshal(t.value(name), &before) // what is absent or damaged counts as none
		all := append(slices.Clone(before), confidence)
		encoded, _ := json.Marshal(all[max(0, len(all)-mostRanked):]) // it never fails: these are numbers
		t.put(name, string(encoded), rankedFor)
	})
	if err != nil || len(before) < leastRanked {
		return nil, err
	}
	less := 0.0
	for _, other := range before {
		switch {
		case other < confidence:
			less++
		case other == confidence:
			less += confidence
		}
	}
	share := less / float64(len(before))
	return &share, nil
}

// given remembers in memory where the last answers of this process stand: only their
// questions and messages. If the engine does not have an answer, as it was away or has lost
// it, nothing else leads from its question to it after a gap in the events.
//
// mu guards answers.
type given struct {
	mu      sync.Mutex
	answers []Response
}

// mostGiven bounds the answers that are remembered. The oldest are dropped.
const mostGiven = 1000

// add remembers the question of an answer that was sent and its messages, without any
// text.
func (g *given) add(answer *Response) {
	if len(answer.Replies) == 0 {
		return
	}
	one := Response{ID: answer.ID, Standing: Standing{Scope: answer.Scope, Channel: answer.Channel, Trigger: answer.Trigger, Self: answer.Self}}
	for _, reply := range answer.Replies {
		one.Replies = append(one.Replies, Reply{ID: reply.ID})
	}
	one.Sources = []SourceRef{{Message: answer.Trigger, Channel: answer.Channel}}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answers = append(slices.DeleteFunc(g.answers, func(other Response) bool { return other.ID == one.ID }), one)
	g.answers = slices.Delete(g.answers, 0, max(0, len(g.answers)-mostGiven))
}

// Unsaved returns those of the last thousand answers of this process that the engine does
// not have. Of each it returns only the question and the messages that it was sent as.
func (a *Archive) Unsaved(ctx context.Context) ([]Response, error) {
	a.base.given.mu.Lock()
	answers := slices.Clone(a.base.given.answers)
	a.base.given.mu.Unlock()
	var unsaved []Response
	for _, answer := range answers {
		heads := answer.Parts()
		shown, err := a.base.shown(ctx, answer.Scope, heads[:min(1, len(heads))])
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(heads, func(head graph.MessageID) bool { return shown[head].response != nil || shown[head].erased }) {
			unsaved = append(unsaved, answer)
		}
	}
	return unsaved, nil
}
