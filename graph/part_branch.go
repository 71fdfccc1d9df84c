package graph

import "math"

// A branch is what follows from one link: a message, what answers it, and so on. Links
// tell of single messages. That a branch and the rest of its talk go on side by side, by
// different people, and never touch, is told by none of them. So where a link is not much
// likelier than none, it is cut if that happens. Chosen on the annotated logs: no
// community is parted worse, two are parted better.
const (
	doubtful   = 3.0 // the bits by which a link outweighs none, below which it may be cut
	perTurn    = 0.3 // the bits against a link for each time that the branch and the rest take turns
	perPerson  = 4   // the turns that are deducted for each person who speaks in both
	branchMost = 100 // the messages after a link that are examined
)

// branches cuts links from branches to talks that they do not interact with.
type branches struct {
	*parting
	root []int // by message up to the current link: the first message that its links lead to
	side [branchMost + 1]side
	in   [sides]map[UserID]bool
}

// side is the side of a link on which a later message stands.
type side uint8

const (
	elsewhere side = iota
	ofBranch
	ofRest
	sides
)

// cutBranches cuts doubtful links, the oldest first.
func (p *parting) cutBranches() {
	b := &branches{parting: p, root: make([]int, len(p.messages))}
	for j, answered := range p.answers {
		b.root[j] = j
		if answered < 0 {
			continue
		}
		b.root[j] = b.root[answered]
		if lead := p.lead[j]; lead < doubtful && perTurn*float64(b.turns(j)) > lead {
			p.answers[j], b.root[j] = -1, j
		}
	}
}

// turns returns how often the branch that begins with message j and the rest of its
// talk take turns, minus the deductions for signs that they belong together.
func (b *branches) turns(j int) int {
	b.in[ofBranch], b.in[ofRest] = map[UserID]bool{b.messages[j].Author: true}, map[UserID]bool{b.messages[b.answers[j]].Author: true}
	b.side[0] = ofBranch
	turns, last := 0, ofBranch
	for k := 1; k <= branchMost && j+k < len(b.messages); k++ {
		b.side[k] = b.sideOf(j, b.answers[j+k])
		if b.side[k] == elsewhere {
			continue
		}
		b.in[b.side[k]][b.messages[j+k].Author] = true
		if b.side[k] != last {
			turns, last = turns+1, b.side[k]
		}
	}
	for person := range b.in[ofBranch] {
		if b.in[ofRest][person] {
			turns -= perPerson
		}
	}
	return turns
}

// sideOf returns the side of a message that comes after message j and answers message
// answered.
func (b *branches) sideOf(j, answered int) side {
	switch {
	case answered >= j:
		return b.side[answered-j]
	case answered >= 0 && b.root[answered] == b.root[j]:
		return ofRest
	}
	return elsewhere
}

// lead returns by how many bits a link outweighs none, with both probabilities squared.
func lead(link, none float64) float64 {
	const least = 1e-4 // smaller probabilities count as this
	return math.Log2(link/max(none, least*least)) / 2
}
