package affinity

import "math/bits"

// shownCells is the number of kinds of links: six distances, and whether both messages
// are by the same author.
const shownCells = 12

// Shown is how likely people of a community show a link as a reply. They press the
// button for what is far and for other people's messages, seldom for the line
// before or their own, so a message without a reply may have a parent all the same. The
// chances are learnt with the links; the zero value has the usual ones.
type Shown struct {
	replies [shownCells]float64 // links that were shown
	hidden  [shownCells]float64 // expected number of those that were not
}

const (
	shownTrust  = 40    // links that what is usual counts as
	shownMemory = 0.997 // how much of what was counted stays after a lesson
	shownLeast  = 0.005
	shownMost   = 0.75
)

// usuallyShown was counted in two annotated channels.
var usuallyShown = [shownCells]float64{ //nolint:gochecknoglobals // a table
	0.35, 0.6, 0.65, 0.68, 0.7, 0.7,
	0.006, 0.01, 0.02, 0.04, 0.08, 0.1,
}

// shownCell returns the kind of a link to the message so many before.
//
//nolint:revive // the kind is made of both, no function is chosen
func shownCell(distance int, sameAuthor bool) int {
	cell := min(5, bits.Len(uint(max(1, distance)-1)))
	if sameAuthor {
		cell += shownCells / 2
	}
	return cell
}

// chance is how likely a link of the cell is shown as a reply.
func (s *Shown) chance(cell int) float64 {
	p := (shownTrust*usuallyShown[cell] + s.replies[cell]) / (shownTrust + s.replies[cell] + s.hidden[cell])
	return min(max(p, shownLeast), shownMost)
}

// Chance is how likely a link to the message so many before is shown as a reply.
func (s *Shown) Chance(distance int, sameAuthor bool) float64 {
	return s.chance(shownCell(distance, sameAuthor))
}

// fade makes room for what is counted in a new lesson.
func (s *Shown) fade() {
	for cell := range s.replies {
		s.replies[cell] *= shownMemory
		s.hidden[cell] *= shownMemory
	}
}

// count counts what is known of message j: the reply that it shows or would show, or
// a parent that it does not show.
func (s *Shown) count(w *window, j int, lesson *Lesson) {
	parent, shown := w.entries[j].certain, true
	if parents := lesson.Parents[j]; parent < 0 && len(parents) > 0 {
		parent, shown = parents[0], lesson.Hidden[j]
	}
	if parent < 0 {
		return
	}
	cell := shownCell(j-parent, w.entries[parent].author == w.entries[j].author)
	if shown {
		s.replies[cell]++
	} else {
		s.hidden[cell]++
	}
}
