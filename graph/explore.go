package graph

import (
	"slices"
)

// exploration finds the messages that the affinity judges: the newest ones, and what
// references lead to, with its neighbours. They are more than are admitted.
type exploration struct {
	*line
	references *references
	explored   []int // entries, oldest first once they are numbered; the trigger last
	recent     []int // entries right before the trigger, newest first
	seeds      []int // the first of recent
	targets    []int // entries outside recent that references led to
	around     int   // number of explored neighbours of targets
}

// exploreRecent explores the newest messages before the trigger, whatever the gaps.
func (x *exploration) exploreRecent() {
	x.explore(0)
	at := 0
	for i := range x.options.recent() {
		at = x.entries[at].beside[Older]
		if at < 0 {
			break
		}
		x.explore(at)
		x.entries[at].pointer = x.entries[at].message.pointsAtStarter()
		x.recent = append(x.recent, at)
		if i < x.options.MinLinear {
			x.seeds = x.recent
		}
	}
}

// pointsAtStarter reports whether m is the message that Discord puts first in a thread
// to point at the thread's starter. It has no content of its own, so it is in no window
// and is not judged.
func (m *Message) pointsAtStarter() bool {
	return slices.ContainsFunc(m.References, func(r Reference) bool { return r.Kind == ReferenceStarter })
}

func (x *exploration) explore(at int) {
	x.entries[at].considered = true
	x.explored = append(x.explored, at)
}

// number numbers the explored messages, oldest first.
func (x *exploration) number() {
	slices.SortFunc(x.explored, func(a, b int) int {
		return x.entries[a].message.Position().Compare(x.entries[b].message.Position())
	})
	for number, at := range x.explored {
		x.entries[at].number = number
	}
}

// spoken returns the author and time of every explored message.
func (x *exploration) spoken() []spoken {
	said := make([]spoken, len(x.explored))
	for number, at := range x.explored {
		m := x.entries[at].message
		said[number] = spoken{m.Author, m.Time}
	}
	return said
}
