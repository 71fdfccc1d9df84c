package affinity

import "heddle/graph"

// belief is what is known about a window of n messages from the rows computed so far: the
// links, how likely any two messages are connected, that is, belong to one conversation,
// and sums over both, which later rows depend on. All values are probabilities or
// expected numbers. Slices of both a person and a message are indexed by person*n+message.
type belief struct {
	size     int // n
	links    graph.Links
	none     []float32 // by message: that it answers nothing in the window
	together []float32 // [j*n+i]: that i and j are connected; symmetric
	likely   []int     // the messages that the current row has links to that are not negligible

	authorIn   []float32 // by person and message: the highest probability that a message of the person is connected with it
	later      []float32 // by message: how many newer ones are connected with it
	earlier    []float32 // by message: how many older ones are connected with it
	answers    []float32 // by message: how many answer it
	answersBy  []float32 // by person and message: how many messages of the person answer it
	answersTo  []float32 // by person and message: that it answers the person
	talk       []float32 // [a*people+b]: how often persons a and b answered each other, lately; symmetric
	lastIn     []int     // by message: the newest one that is connected with it more likely than not
	lastOf     []int     // by person: the newest message, -1 for none
	lastCalled []int     // by person: whom the person addressed last, -1 for nobody
}

// negligible is the probability below which a link is ignored.
const negligible = 1e-3

// talkDecay is the factor by which an answer between two people counts less with every
// message that follows. Half of it is left after 23 messages.
const talkDecay = 0.97

// newBelief returns the belief about n messages of so many people.
func newBelief(n, people int) belief {
	none := func() []int {
		all := make([]int, people)
		for p := range all {
			all[p] = -1
		}
		return all
	}
	return belief{
		size: n, links: graph.NewLinks(n), together: make([]float32, n*n), none: make([]float32, n),
		authorIn: make([]float32, people*n), answersBy: make([]float32, people*n), answersTo: make([]float32, people*n),
		talk: make([]float32, people*people), later: make([]float32, n), earlier: make([]float32, n), answers: make([]float32, n),
		lastIn: make([]int, n), lastOf: none(), lastCalled: none(),
	}
}

// settle adds row j, whose links are known, to the belief. Every message chooses what it
// answers independently, so j is connected with an older message i with the probability
//
//	P(i, j) = Σₖ P(j answers k) · P(i, k), where P(i, i) = 1.
func (b *belief) settle(j int, entries []entry) {
	n := b.size
	row := b.together[j*n : j*n+n]
	b.likely = b.likely[:0]
	for k, p := range b.links.Row(j) {
		if p > negligible {
			b.likely = append(b.likely, k)
			addTimes(row[:j], b.together[k*n:k*n+j], p)
		}
	}
	row[j] = 1
	for a := range j {
		b.together[a*n+j] = row[a]
	}
	b.sumTogether(j, row, entries)
	b.sumLinks(j, entries)
	author := entries[j].author
	b.lastOf[author] = j
	if called := entries[j].addressed; len(called) > 0 {
		b.lastCalled[author] = called[0]
	}
}

// sumTogether adds to the sums how likely message j is connected with each older one.
func (b *belief) sumTogether(j int, row []float32, entries []entry) {
	n, author := b.size, entries[j].author
	for i := range j {
		s := row[i]
		b.later[i] += s
		if s > 0.5 {
			b.lastIn[i] = j
		}
		b.earlier[j] += s
		b.authorIn[author*n+i] = max(b.authorIn[author*n+i], s)
		other := entries[i].author*n + j
		b.authorIn[other] = max(b.authorIn[other], s)
	}
	b.authorIn[author*n+j] = 1
	b.lastIn[j] = j
}

// sumLinks adds to the sums what message j may answer.
func (b *belief) sumLinks(j int, entries []entry) {
	n, people, author := b.size, len(b.lastOf), entries[j].author
	for k := range b.talk {
		b.talk[k] *= talkDecay
	}
	row := b.links.Row(j)
	for _, i := range b.likely {
		p, to := row[i], entries[i].author
		b.answers[i] += p
		b.answersBy[author*n+i] += p
		b.answersTo[to*n+j] += p
		if to != author {
			b.talk[author*people+to] += p
			b.talk[to*people+author] += p
		}
	}
}
