package affinity

import (
	"math"
	"slices"

	"heddle/graph"
)

// judge computes the links of the messages before a trigger. They do not depend on the
// trigger.
func (s Weights) judge(m *workspace, before []*graph.Message) {
	m.layOut(before, len(before)+1)
	m.whole, m.asked = len(before) < page, true
	s.infer(m)
}

// judgeLast computes the row of a window's last message, the trigger. judge must have
// computed those of all others.
func (s Weights) judgeLast(m *workspace, messages []*graph.Message) {
	m.extend(messages)
	m.row.begin(&m.window)
	m.row.start(m.n - 1)
	s.inferRow(m)
}

// extend adds the last of messages to the window, which must have memory for it. The others
// are in the window.
func (w *window) extend(messages []*graph.Message) {
	j, people := w.n, len(w.people)
	w.n++
	w.enter(j, messages)
	if len(w.people) > people {
		w.meet(w.entries[j].author)
	}
	w.refer(j, messages)
	w.pace[j] = lastPace(w.times[:w.n])
	w.fitLast(w.stride)
	w.compareLast()
	w.compareLastGrams()
}

// meet records that messages addressed a person who has only now spoken for the first time.
func (w *window) meet(person int) {
	met := false
	for _, c := range w.unseen {
		if c.user != w.people[person] {
			continue
		}
		met = true
		e := &w.entries[c.at]
		e.strangers--
		if e.author != person && !slices.Contains(e.addressed, person) {
			e.addressed = append(e.addressed, person)
		}
	}
	if !met {
		return
	}
	for i := range w.entries[:w.n-1] {
		if e := &w.entries[i]; len(e.addressed) > 0 {
			w.lastCalled[e.author] = e.addressed[0]
		}
	}
}

// compareLast is compare for the last message and each one before it.
func (w *window) compareLast() {
	j := w.n - 1
	words := w.entries[j].features.words
	var held [maxWords]int
	places := w.places[:0]
	for i := range j {
		for _, word := range w.entries[i].features.words {
			if at, shared := slices.BinarySearch(words, word); shared {
				held[at]++
				places = append(places, place{word: uint64(at), at: i}) //nolint:gosec // an index
			}
		}
	}
	w.places = places
	row := j * w.stride
	for _, p := range places {
		if holders := held[p.word] + 1; holders <= maxCommon {
			weight := float32(math.Log2(float64(w.n+1) / float64(holders)))
			w.words[row+p.at] += weight
			w.rarest[row+p.at] = max(w.rarest[row+p.at], weight)
		}
	}
}

// compareLastGrams is compareGrams for the last message and each one before it.
func (w *window) compareLastGrams() {
	j, g := w.n-1, &w.grams
	g.begin(len(w.entries[j].features.grams))
	for _, h := range w.entries[j].features.grams {
		g.add(j, h)
	}
	own := len(g.hashes)
	for i := range j {
		for _, h := range w.entries[i].features.grams {
			g.addKnown(i, h)
		}
	}
	row := w.alike[j*w.stride : j*w.stride+j]
	for number := range own {
		held := g.held[number]
		weight := squaredWeight(w.n, held)
		w.square[j] += weight
		if held > maxCommon {
			continue
		}
		for p := g.newest[number]; g.at[p] != j; p = g.before[p] {
			row[g.at[p]] += weight
		}
	}
	w.cosines(j)
}
