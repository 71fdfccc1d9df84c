package graph

import "slices"

// Affinity estimates which messages answer which. Expand asks it about stretches of a
// channel. It must be pure and safe for concurrent use.
type Affinity interface {
	// Links returns, for every message of a window, the probabilities of what it
	// answers. The window is one stretch of one channel, oldest first by Position. If
	// it leads up to the trigger, the trigger is its last message. Links must neither
	// change nor keep the messages.
	Links(window []*Message) Links
}

// Reuser is an Affinity that can reuse the memory of links. Expand returns to it the
// links that it asked for and no longer needs.
type Reuser interface {
	Reuse(links Links)
}

// Links are the links within a window: for every message, the probability that it
// answers each older one. The rest to 1 is the probability that it answers none of
// them.
type Links struct {
	size int
	p    []float32 // row by row
}

// NewLinks returns links for a window of size messages, all zero.
func NewLinks(size int) Links { return Links{}.Sized(size) }

// Sized returns links for a window of size messages, all zero. It uses the memory of l
// if that is large enough; l must not be used afterwards.
func (l Links) Sized(size int) Links {
	return Links{size: size, p: zeroed(l.p, size*(size-1)/2)}
}

// Clone returns a copy of the links.
func (l Links) Clone() Links { return Links{size: l.size, p: slices.Clone(l.p)} }

// Row returns the row of the message at index j of the window: Row(j)[i] is the
// probability that it answers the message at i, for every i below j.
func (l Links) Row(j int) []float32 {
	begin := j * (j - 1) / 2
	return l.p[begin : begin+j : begin+j]
}

// Size returns the number of messages of the window.
func (l Links) Size() int { return l.size }
