package train

import (
	"math/bits"

	"heddle/graph/affinity"
)

// shownCells is the number of kinds of links: six distances, and whether both messages
// are by the same author.
const shownCells = 12

// shown is how likely the people of a community show a link by Discord's reply button. They
// press it for older messages and for those of other people, and seldom for the message
// right before or for one of their own. So a message without a reply may still answer
// something. The chances are learnt with the links. The zero shown has the usual ones.
type shown struct {
	replies [shownCells]float64 // the number of links that were shown
	hidden  [shownCells]float64 // the expected number of links that were not
}

const (
	shownTrust  = 40    // the number of links that the usual chances count as
	shownMemory = 0.997 // the factor by which counts decrease with each lesson
	shownLeast  = 0.005 // the lowest chance
	shownMost   = 0.75  // the highest chance
)

// usuallyShown holds the usual chances, first for links to other people. They were counted
// in the two annotated channels of PyScript.
var usuallyShown = [shownCells]float64{ //nolint:gochecknoglobals // a table
	0.35, 0.6, 0.65, 0.68, 0.7, 0.7,
	0.006, 0.01, 0.02, 0.04, 0.08, 0.1,
}

// shownCell returns the kind of a link to the message so many before, from 1. The distances
// of the kinds are 1, 2, up to 4, 8 and 16, and more.
//
//nolint:revive // the kind is made of both, no function is chosen
func shownCell(distance int, sameAuthor bool) int {
	cell := min(5, bits.Len(uint(max(1, distance)-1)))
	if sameAuthor {
		cell += shownCells / 2
	}
	return cell
}

// chance returns how likely a link of a kind is shown as a reply.
func (s *shown) chance(cell int) float64 {
	p := (shownTrust*usuallyShown[cell] + s.replies[cell]) / (shownTrust + s.replies[cell] + s.hidden[cell])
	return min(max(p, shownLeast), shownMost)
}

// fade lets earlier lessons count less.
func (s *shown) fade() {
	for cell := range s.replies {
		s.replies[cell] *= shownMemory
		s.hidden[cell] *= shownMemory
	}
}

// count counts the link of a row's message, if it is known: as shown if the message shows it
// as a reply, or did before the lesson hid that, and otherwise as hidden.
func (s *shown) count(row *affinity.Row, lesson *exercise) {
	j, parent, shown := row.Message, row.Known, true
	if parents := lesson.Parents[j]; parent < 0 && len(parents) > 0 {
		parent, shown = parents[0], lesson.Hidden[j]
	}
	if parent < 0 {
		return
	}
	cell := lesson.cell(parent, j)
	if shown {
		s.replies[cell]++
	} else {
		s.hidden[cell]++
	}
}
