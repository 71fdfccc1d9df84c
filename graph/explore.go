package graph

import "slices"

// These constants bound what is read as evidence around a message that a reference led to.
// docs/decisions/graph.md says why.
const (
	// judgedAround is the number of neighbours on each side that are judged with it.
	judgedAround = 10
	// judgedMost bounds the neighbours of all such messages together.
	judgedMost = 100
	// keptAround is the number of neighbours on each side that are at least in the
	// background.
	keptAround = 3
)

// exploration is the evidence that an affinity judges: the newest messages before the
// trigger, and what references led to, with its neighbours. Tik and tok go through it.
type exploration struct {
	*draft
	references *references
	explored   []int // entries, oldest first once they are numbered; the trigger last
	recent     []int // entries right before the trigger, newest first, without pointers
	targets    []int // entries outside recent that references led to
	around     int   // number of neighbours of targets that are judged
}

func (x *exploration) explore(at int) {
	x.entries[at].considered = true
	x.explored = append(x.explored, at)
}

// exploreRecent explores the newest messages before the trigger, whatever the gaps.
func (x *exploration) exploreRecent() {
	x.explore(0)
	at := 0
	for range x.options.recent() {
		at = x.entries[at].beside[Older]
		if at < 0 {
			break
		}
		x.explore(at)
		if !x.pointsAtStarter(at) {
			x.recent = append(x.recent, at)
		}
	}
}

// exploreTargets explores what references led to outside of what is explored, and its
// neighbours.
func (x *exploration) exploreTargets() error {
	var strands []strand
	asks := x.references.asks()
	for i := range x.nodes {
		if at := x.nodes[i].entry; !x.entries[at].considered && x.spreads(&x.nodes[i]) {
			x.explore(at)
			x.targets = append(x.targets, at)
			asked := slices.Contains(asks, at)
			strands = append(strands, strand{at, Older, asked}, strand{at, Newer, asked})
		}
	}
	return x.exploreAround(strands)
}

// strand is one side of a target whose neighbours are being explored.
type strand struct {
	at        int // the last entry explored
	direction Direction
	asked     bool // the trigger itself refers to the target
}

// exploreAround explores the neighbours of targets up to the first gap that exceeds the
// threshold, those nearest to any target first. The neighbours of what the trigger
// itself refers to are explored even if judgedMost is reached.
func (x *exploration) exploreAround(strands []strand) error {
	for step := 0; step < judgedAround && len(strands) > 0; step++ {
		x.walks, x.walkers = x.walks[:0], x.walkers[:0]
		for _, s := range strands {
			x.walkFrom(s.at, s.direction, judgedAround-step)
		}
		if err := x.walk(); err != nil {
			return err
		}
		open := strands[:0]
		for _, s := range strands {
			if (x.around < judgedMost || s.asked && step < keptAround) && x.unroll(&s) {
				open = append(open, s)
			}
		}
		strands = open
	}
	return nil
}

// unroll explores the next message of a strand, and reports whether there was one.
func (x *exploration) unroll(s *strand) bool {
	next := x.entries[s.at].beside[s.direction]
	if next < 0 || x.entries[next].considered || x.gapBetween(s.at, next, s.direction) > x.longest {
		return false
	}
	x.around++
	x.explore(next)
	s.at = next
	return true
}

// number numbers the explored messages, oldest first.
func (x *exploration) number() {
	explored := x.explored
	slices.SortFunc(explored, func(a, b int) int {
		return x.entries[a].message.Position().Compare(x.entries[b].message.Position())
	})
	for number, at := range explored {
		x.entries[at].number = number
	}
}
