package store

import (
	"cmp"
	"crypto/rand"
	"slices"
	"time"

	"heddle/graph"
)

// A mark says up to which id something is forgotten. It is written before a deletion
// erases anything, so that what is being made from it meanwhile is refused.

// condition is a mark with the id that must be above it. If it is to be written, it is
// the id up to which something is forgotten.
type condition struct{ name, id string }

// mark returns the name of the mark.
func (c condition) mark() string { return c.name }

// below returns the condition that what a set leads to is not marked as forgotten for an
// id, or the mark that it is.
func below[K any](set string, id graph.ID[K]) condition { return condition{mark(set), digits(id)} }

// summaryForgotten is the value of the mark of a forgotten summary.
const summaryForgotten SummaryID = 1

// forgotten reports whether a condition does not hold. It reads the value of name in the
// same round trip.
func (t *tx) forgotten(conditions []condition, name string) (value []byte, forgotten bool) {
	values := t.get(append(each(conditions, condition.mark), name)...)
	for i := range conditions {
		forgotten = forgotten || string(values[i]) >= conditions[i].id
	}
	return values[len(conditions)], forgotten
}

// forget writes marks, or raises those that are there.
func (t *tx) forget(ttl time.Duration, marks ...condition) {
	values := t.get(each(marks, condition.mark)...)
	for i, mark := range marks {
		t.put(mark.name, max(mark.id, string(values[i])), ttl)
	}
}

// unforgotten returns the conditions under which a response may be saved.
func (r *Response) unforgotten() []condition {
	conditions := []condition{below(everything, r.Trigger), below(channelName(r.Channel), r.Trigger)}
	if r.Summary != 0 {
		conditions = append(conditions, below(condensedName(r.Summary), summaryForgotten))
	}
	for _, reply := range r.Replies {
		conditions = append(conditions, below(sourceName(reply.ID), reply.ID))
	}
	for _, source := range r.Sources {
		if source.Message != 0 {
			conditions = append(conditions, below(sourceName(source.Message), source.Message))
		}
		conditions = append(conditions, below(authorName(source.Author), r.Trigger), below(channelName(source.Channel), r.Trigger))
	}
	slices.SortFunc(conditions, func(a, b condition) int { return cmp.Compare(a.name, b.name) })
	return slices.CompactFunc(conditions, func(a, b condition) bool { return a.name == b.name })
}

// bury leaves a tombstone for a response, if it was sent. A tombstone contains ids under a
// random id, and nothing from which a text could be guessed.
func (s *base) bury(t *tx, r *Response) {
	if len(r.Replies) == 0 {
		return
	}
	stone := Response{
		Standing: Standing{Scope: r.Scope, Channel: r.Channel, Trigger: r.Trigger, Created: r.Created, Erased: s.now().UTC()},
		Input:    Input{Model: r.Model},
		Output:   Output{Usage: r.Usage},
	}
	_, _ = rand.Read(stone.ID[:]) // it never fails
	for _, reply := range r.Replies {
		stone.Replies = append(stone.Replies, Reply{ID: reply.ID})
	}
	record, err := stone.encode()
	if err != nil { // never: these ids, numbers and times are encoded elsewhere, too
		return
	}
	name, ttl := recordName(stone.ID), s.lives.Response
	t.put(name, record, ttl)
	t.add(gravesName, name, ttl)
	t.add(askedName(stone.Trigger), name, ttl)
	for _, reply := range stone.Replies {
		t.add(replyName(reply.ID), name, ttl)
	}
}
