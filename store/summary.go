package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"heddle/graph"
)

// SummaryID identifies a model's summary of a path.
type SummaryID = graph.ID[summaryKind]

type summaryKind struct{}

// IsSummary reports whether the response is a summary: nobody asked for it and it was
// sent to nobody. ByTrigger does not return it; Summary does.
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

// derivedFrom returns the sets of the responses that were made from this one, given the
// messages that were made to show it.
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

// summaryForgotten is what the mark of a forgotten summary holds. Marks are not
// encrypted, so it is not the summary's id, which is a hash.
const summaryForgotten SummaryID = 1

// summaryMarks mark an erased summary as forgotten, so that an answer that is being
// made from it is refused.
func (s *Deletions) summaryMarks(scope Scope, r *Response) []Change {
	if !r.IsSummary() {
		return nil
	}
	id := r.SummaryID()
	return []Change{{scope, []Op{forgotten(condensedName(id), summaryForgotten, s.base.lives.Forgotten)}}}
}
