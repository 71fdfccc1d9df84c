package affinity

import "heddle/graph"

// belief is what a window's links are believed to be, message by message as their
// rows are computed: the links, how likely any two messages hang together, and
// sums over both that later rows look at.
type belief struct {
	block    []float32 // that most of the rest lies in
	size     int
	links    graph.Links
	none     []float32 // j answers nothing in the window
	together []float32 // symmetric: i and j hang together
	likely   []int     // indices of the links worth following, of the row in work

	authorIn   []float32 // [person*n+i]: the most that i hangs together with a message of the person
	later      []float32 // expected messages behind i that hang together with it
	earlier    []float32 // and before it
	answers    []float32 // expected answers to i
	answersBy  []float32 // [person*n+i]: expected answers by the person to i
	answersTo  []float32 // [person*n+i]: that i answers a message of the person
	talk       []float32 // [a*people+b]: how much a and b answered each other lately
	lastIn     []int     // index of the last message that hangs together with i
	lastOf     []int     // index of a person's last message, -1 for none
	lastCalled []int     // whom a person addressed last, -1 for nobody
}

// negligible is the probability of a link below which it is not followed.
const negligible = 1e-3

// talkDecay is how much of a talk between two people counts one message later.
const talkDecay = 0.97

// begin begins anew with n messages, in the memory that is there.
func (b *belief) begin(n, people int) {
	b.block = zeroed(b.block, n*n+3*people*n+people*people+4*n)
	block := b.block
	cut := func(size int) []float32 {
		part := block[:size:size]
		block = block[size:]
		return part
	}
	b.size = n
	b.links = b.links.Sized(n)
	b.together, b.none = cut(n*n), cut(n)
	b.authorIn, b.answersBy, b.answersTo = cut(people*n), cut(people*n), cut(people*n)
	b.talk, b.later, b.earlier, b.answers = cut(people*people), cut(n), cut(n), cut(n)
	b.lastIn, b.lastOf, b.lastCalled = zeroed(b.lastIn, n), zeroed(b.lastOf, people), zeroed(b.lastCalled, people)
	for p := range people {
		b.lastOf[p], b.lastCalled[p] = -1, -1
	}
}

// settle takes a finished row of links into account. Every message chooses what it
// answers independently, so two messages hang together exactly where what the
// later one answers hangs together with the earlier one.
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
