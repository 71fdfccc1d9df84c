package fetch

import (
	"slices"

	"heddle/graph"
)

// span is a stretch of ids of which a log holds every message.
type span struct {
	lo, hi graph.MessageID // inclusive
	start  bool            // the channel has no older message
	used   uint64          // when it was last read from, by the log's own count
}

func (s *span) holds(id graph.MessageID) bool { return s.lo <= id && id <= s.hi }

// spans are disjoint, oldest first, and none begins where another ends.
type spans []span

// find returns the span that holds id, or nil.
func (s spans) find(id graph.MessageID) *span {
	at, _ := slices.BinarySearchFunc(s, id, func(p span, id graph.MessageID) int {
		if p.hi < id {
			return -1
		}
		return 1
	})
	if at < len(s) && s[at].holds(id) {
		return &s[at]
	}
	return nil
}

// add adds p, merged with every span that it touches.
func (s spans) add(p span) spans {
	var before, after spans
	for _, q := range s {
		switch {
		case q.hi < p.lo && q.hi+1 != p.lo:
			before = append(before, q)
		case q.lo > p.hi && p.hi+1 != q.lo:
			after = append(after, q)
		default:
			p.start = p.start && p.lo <= q.lo || q.start && q.lo <= p.lo
			p.lo, p.hi, p.used = min(p.lo, q.lo), max(p.hi, q.hi), max(p.used, q.used)
		}
	}
	return append(append(before, p), after...)
}
