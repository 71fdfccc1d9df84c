package path

import (
	"fmt"
	"iter"
	"slices"
)

// List is a conversation's turns, read and changed like a list. What an answer was
// given to stays as it was: a change at or before an assistant's turn makes a new
// version and keeps the old one, with all answers bound to it; a change behind the
// last answer, or one that changes nothing, does not. Versions share what they have
// in common, so that keeping one costs nothing and making one a logarithm.
//
// The zero List is empty. A List is not for several goroutines at once; a copy of it
// is a list of its own, which costs nothing either.
type List struct {
	turns    vector
	answered int // how many turns there are up to the last assistant's, with it
	replaced *replaced
}

// Version is an earlier state of a List: a version edge leads from the state that
// took its place to it.
type Version struct {
	// At is the first turn that differs.
	At   int
	List List // as it was, with its own earlier versions
}

// replaced is a list of versions, newest first, that lists share.
type replaced struct {
	version Version
	before  *replaced
}

// NewList is a list of turns.
func NewList(turns ...Turn) List {
	var l List
	l.Append(turns...)
	return l
}

// Len is how many turns there are.
func (l *List) Len() int { return l.turns.size }

// At is a turn. Like a slice, it panics where there is none.
func (l *List) At(i int) Turn {
	l.check(i, l.turns.size-1)
	return l.turns.at(i)
}

// All goes through the turns.
func (l *List) All() iter.Seq2[int, Turn] {
	turns := l.turns
	return func(yield func(int, Turn) bool) {
		for i := range turns.size {
			if !yield(i, turns.at(i)) {
				return
			}
		}
	}
}

// Turns are the turns as a slice of their own.
func (l *List) Turns() []Turn {
	turns := make([]Turn, 0, l.Len())
	for _, turn := range l.All() {
		turns = append(turns, turn)
	}
	return turns
}

// Append adds turns at the end.
func (l *List) Append(turns ...Turn) {
	for _, turn := range turns {
		l.turns = l.turns.with(l.turns.size, turn)
		if turn.Role == RoleAssistant {
			l.answered = l.turns.size
		}
	}
}

// Set changes a turn.
func (l *List) Set(i int, turn Turn) { l.Replace(i, i+1, turn) }

// Replace puts turns in the place of those from from up to, but not with, to: one
// that was edited, a summary for a stretch, nothing for what is left out.
func (l *List) Replace(from, to int, turns ...Turn) {
	l.check(to, l.turns.size)
	l.check(from, to)
	same, size := from, l.turns.size-(to-from)+len(turns)
	next := func(i int) Turn {
		if i < from+len(turns) {
			return turns[i-from]
		}
		return l.turns.at(i - len(turns) + to - from)
	}
	for same < min(size, l.turns.size) && next(same).Hash() == l.turns.at(same).Hash() {
		same++
	}
	if same == size && size == l.turns.size {
		return
	}
	if same < l.answered {
		l.replaced = &replaced{version: Version{At: same, List: *l}, before: l.replaced}
	}
	l.splice(from, to, turns)
}

// splice makes a change for which nothing has to be kept any more.
func (l *List) splice(from, to int, turns []Turn) {
	before := l.turns
	if to-from == len(turns) {
		for i, turn := range turns {
			l.turns = l.turns.with(from+i, turn)
		}
		l.answered = max(l.answered, to)
		for l.answered > 0 && l.turns.at(l.answered-1).Role != RoleAssistant {
			l.answered--
		}
		return
	}
	l.turns.size = from
	l.answered = min(l.answered, from)
	for l.answered > 0 && l.turns.at(l.answered-1).Role != RoleAssistant {
		l.answered--
	}
	l.Append(turns...)
	for i := to; i < before.size; i++ {
		l.Append(before.at(i))
	}
}

// Versions are the earlier states that answers depend on, newest first.
func (l *List) Versions() iter.Seq[Version] {
	return func(yield func(Version) bool) {
		for r := l.replaced; r != nil; r = r.before {
			if !yield(r.version) {
				return
			}
		}
	}
}

func (l *List) check(i, most int) {
	if i < 0 || i > most {
		panic(fmt.Sprintf("path: index %d of a list of %d turns", i, l.turns.size))
	}
}

// vector is a sequence of turns that shares all it can with those it was made from.
// Its leaves hold width turns, every other branch width below it; what stands
// behind size is of no meaning.
type vector struct {
	root         *branch
	height, size int
}

// branch is never changed.
type branch struct {
	turns []Turn // of a leaf
	below []*branch
}

const (
	shift = 4
	width = 1 << shift
)

func (v vector) at(i int) Turn {
	b := v.root
	for h := v.height; h > 0; h-- {
		b = b.below[i>>(h*shift)&(width-1)]
	}
	return b.turns[i&(width-1)]
}

// with is the vector with a turn at i, be it one behind the last.
func (v vector) with(i int, turn Turn) vector {
	if v.root == nil {
		v.root = &branch{}
	}
	if i>>(v.height*shift) >= width {
		v.root, v.height = &branch{below: []*branch{v.root}}, v.height+1
	}
	v.root = v.root.with(i, v.height, turn, i == v.size)
	v.size = max(v.size, i+1)
	return v
}

func (b *branch) with(i, height int, turn Turn, last bool) *branch {
	k := i >> (height * shift) & (width - 1)
	if height == 0 {
		return &branch{turns: put(b.turns, k, turn, last)}
	}
	under := &branch{}
	if k < len(b.below) {
		under = b.below[k]
	}
	return &branch{below: put(b.below, k, under.with(i, height-1, turn, last), last)}
}

// put is a copy of s with a value at k, and nothing behind it where it is the last.
func put[T any](s []T, k int, value T, last bool) []T {
	if last {
		return append(slices.Clone(s[:k]), value)
	}
	s = slices.Clone(s)
	s[k] = value
	return s
}
