package graph

import "slices"

// Affinity estimates which messages answer which. Expand asks it about stretches of a
// channel. It must be pure and safe for concurrent use.
type Affinity interface {
	// Links returns for every message of a window what it answers. The window is one
	// stretch of one channel, oldest first by Position; where it leads up to the
	// trigger, the trigger is the last. The messages must not be changed or kept.
	Links(window []*Message) Links
}

// Reuser is an Affinity that can use the memory of links again. Expand gives back the
// links that it asked for and no longer reads.
type Reuser interface {
	Reuse(links Links)
}

// Links are the links within a window: for every message the probability that it
// answers each older one. What is missing to 1 is that it answers none of them.
type Links struct {
	size int
	p    []float32 // row by row
}

// NewLinks makes links for a window of so many messages, all zero.
func NewLinks(size int) Links { return Links{}.Sized(size) }

// Sized returns links for a window of so many messages, all zero, in the memory of l if
// that is large enough. Then l must not be used any more.
func (l Links) Sized(size int) Links {
	return Links{size: size, p: zeroed(l.p, size*(size-1)/2)}
}

// Clone returns a copy of the links.
func (l Links) Clone() Links { return Links{size: l.size, p: slices.Clone(l.p)} }

// Row is the row of the message at index j of the window: Row(j)[i] is the
// probability that it answers the message at i, for every i below j.
func (l Links) Row(j int) []float32 {
	begin := j * (j - 1) / 2
	return l.p[begin : begin+j : begin+j]
}

// Size is how many messages the window has.
func (l Links) Size() int { return l.size }
