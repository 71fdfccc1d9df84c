package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"heddle/graph"
)

// SummaryID identifies the summaries of one path in one scope by one model.
type SummaryID = graph.ID[summaryKind]

type summaryKind struct{}

// IsSummary reports whether the response is a summary, which is not the answer to a
// question and was not sent. Summary returns it, and ByTrigger does not.
func (r *Response) IsSummary() bool { return r.Summarises > 0 }

// SummaryID returns the id of a summary, which its scope, path and model determine. It
// is zero for an answer.
func (r *Response) SummaryID() SummaryID {
	if !r.IsSummary() {
		return 0
	}
	b := append([]byte("heddle/1/summary\x00"+string(r.Scope)+"\x00"), r.PathHash[:]...)
	sum := sha256.Sum256(append(b, r.Model...))
	return SummaryID(binary.BigEndian.Uint64(sum[:]))
}

// Summary returns the newest summary with this id, and whether there is one.
func (s *Responses) Summary(ctx context.Context, scope Scope, id SummaryID) (summary Recalled, found bool, err error) {
	members, err := s.base.members(ctx, scope, Query{Set: summaryName(id)})
	if err != nil {
		return Recalled{}, false, fmt.Errorf("recall a summary: %w", err)
	}
	summary, found, _ = s.base.newest(ctx, scope, members[0])
	return summary, found, nil
}

// derivedFrom returns the sets of the responses that were made from this one. places are
// the messages for which Show chose it.
func (r *Response) derivedFrom(places []graph.MessageID) []string {
	messages := append(sentAs(r.Replies), places...)
	slices.Sort(messages)
	var sets []string
	for _, message := range slices.Compact(messages) {
		sets = append(sets, sourceName(message))
	}
	if r.IsSummary() {
		sets = append(sets, condensedName(r.SummaryID()))
	}
	return sets
}

// summaryForgotten is the value of the mark of a forgotten summary. It is not the
// summary's id, which is a hash of text, because marks are not encrypted.
const summaryForgotten SummaryID = 1

// summaryMarks returns the changes that mark an erased summary as forgotten, so that
// Save refuses answers that are being made from it.
func (e eraser) summaryMarks(r *Response) []Change {
	if !r.IsSummary() {
		return nil
	}
	id := r.SummaryID()
	return []Change{{e.scope, []Op{forgotten(condensedName(id), summaryForgotten, e.base.lives.Forgotten)}}}
}
