package store

import (
	"crypto/sha256"
	"encoding/binary"

	"heddle/graph"
	"heddle/graph/path"
)

// summaryBit is set in the ids of summaries and in no message's: Discord's leave it free.
const summaryBit = 1 << 63

// SummaryID names a model's summary of a path as if it were a message, so that
// deletions reach what was made from it as they reach what was made from a message.
func SummaryID(scope Scope, summarised path.Hash, model string) graph.MessageID {
	b := append([]byte("heddle/1/summary\x00"+string(scope)+"\x00"), summarised[:]...)
	sum := sha256.Sum256(append(b, model...))
	return graph.MessageID(binary.BigEndian.Uint64(sum[:]) | summaryBit)
}

// summaryMarks mark a summary that is erased as forgotten: an answer that is being
// made from it was made from what was deleted, too.
func (s *Store) summaryMarks(scope Scope, r *Response) []Change {
	if r.Summarises == 0 {
		return nil
	}
	var marks []Op
	for _, reply := range r.Replies {
		marks = append(marks, s.mark(sourceName(reply.ID), reply.ID))
	}
	return []Change{{scope, marks}}
}
