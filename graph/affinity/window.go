package affinity

import (
	"iter"
	"math"
	"slices"

	"heddle/graph"
)

// entry is what the model knows of one message.
type entry struct {
	features  features
	author    int   // its author, as an index of the window's people
	addressed []int // the people whom it addresses and who spoke in the window, as such indices
	strangers int   // the number of people whom it addresses and who did not speak there
	certain   int   // index of the message that it certainly answers, -1 if none is known
	outside   bool  // whether it certainly answers something that is not in the window
	bot, file bool  // whether its author is a bot, and whether it has a file
}

// window holds what the model knows of a stretch of messages, and what it has inferred so
// far.
type window struct {
	belief

	n       int
	entries []entry
	people  []graph.UserID
	times   []float64 // by message: seconds since the first one
	pace    []float64 // by message: the channel's pace before it, in seconds
	whole   bool      // whether the window begins where the channel does
	before  int       // the messages that decide how rare a word is and what follows: all but a mention

	memory []float32 // of the squares below, and of belief.together

	// What each two messages have in common, indexed by answer*n+candidate.
	words, rarest []float32 // the sum of the weights of their common words, and the highest of them
	alike         []float32 // how alike the texts are, from 0 to 1
}

// maxCommon is the greatest number of messages that hold a word that is compared. More
// common words tell little and cost the most time.
const maxCommon = 24

// squares is the number of values that a window holds for each two of its messages.
const squares = 4

// newWindow returns a window of messages, oldest first. before is the number of messages
// before a mention. If it is all of them, the window teaches a network. memory is that of a window
// that is needed no more, or nil.
func newWindow(messages []*graph.Message, before int, memory []float32) *window {
	n := len(messages)
	memory = slices.Grow(memory[:0], squares*n*n)[:squares*n*n]
	clear(memory)
	square := func(k int) []float32 { return memory[k*n*n : (k+1)*n*n] }
	w := &window{
		n: n, before: before, entries: make([]entry, n), times: make([]float64, n), pace: make([]float64, n),
		memory: memory, words: square(0), rarest: square(1), alike: square(2),
	}
	for i, m := range messages {
		w.times[i] = m.Time.Sub(messages[0].Time).Seconds()
		author := slices.Index(w.people, m.Author)
		if author < 0 {
			author = len(w.people)
			w.people = append(w.people, m.Author)
		}
		w.entries[i] = entry{
			features: analyze(m), author: author,
			bot: m.Origin == graph.OriginBot || m.Origin == graph.OriginSelf, file: len(m.Attachments) > 0,
		}
	}
	for i := range messages {
		w.refer(i, messages)
	}
	paces(w.times[:before], w.pace[:before])
	if w.asked() {
		w.pace[before] = lastPace(w.times)
	}
	w.compare()
	w.compareGrams()
	w.belief = newBelief(n, len(w.people), square(3))
	return w
}

// refer records what message i certainly answers and whom it addresses.
func (w *window) refer(i int, messages []*graph.Message) {
	e, m := &w.entries[i], messages[i]
	e.certain = -1
	if m.Answers != 0 {
		w.answer(e, i, messages, m.Answers)
	}
	for _, r := range m.References {
		switch r.Kind {
		case graph.ReferenceAddress:
			if at := slices.Index(w.people, r.User); at < 0 {
				e.strangers++
			} else if at != e.author && !slices.Contains(e.addressed, at) {
				e.addressed = append(e.addressed, at)
			}
		case graph.ReferenceReply, graph.ReferenceForward:
			w.answer(e, i, messages, r.Message)
		case graph.ReferenceStarter, graph.ReferenceLink, graph.ReferenceInferred: // none of these is an answer
		}
	}
}

// answer records that a message certainly answers another. A reply addresses the author
// of its target.
func (w *window) answer(e *entry, i int, messages []*graph.Message, id graph.MessageID) {
	for k := i - 1; k >= 0; k-- {
		if messages[k].ID != id && !slices.Contains(messages[k].Parts, id) {
			continue
		}
		if e.certain < 0 {
			e.certain = k
		}
		if at := w.entries[k].author; at != e.author && !slices.Contains(e.addressed, at) {
			e.addressed = append(e.addressed, at)
		}
		return
	}
	e.outside = e.outside || id != 0
}

// asked reports whether the last message is a mention.
func (w *window) asked() bool { return w.before < w.n }

// term is the hash of a word, or of a gram: four characters in a row.
type term uint32

// occurrence is a term that a message holds, as one number: the term above the index of
// the message.
type occurrence uint64

func (o occurrence) term() term { return term(o >> 32) }
func (o occurrence) at() int    { return int(o & math.MaxUint32) }

// occurrences returns what the messages hold of some terms, in the order of the messages.
func (w *window) occurrences(of func(*features) []term) []occurrence {
	n := 0
	for i := range w.entries {
		n += len(of(&w.entries[i].features))
	}
	held := make([]occurrence, 0, n)
	for i := range w.entries {
		for _, t := range of(&w.entries[i].features) {
			held = append(held, occurrence(t)<<32|occurrence(i))
		}
	}
	return held
}

// byTerm yields the occurrences of each term, the lowest term first. held is in the order of
// the messages, and so is what byTerm yields.
func byTerm(held []occurrence) iter.Seq[[]occurrence] {
	return func(yield func([]occurrence) bool) {
		held := slices.Compact(sortedByTerm(held))
		for len(held) > 0 {
			end := 1
			for end < len(held) && held[end].term() == held[0].term() {
				end++
			}
			if !yield(held[:end]) {
				return
			}
			held = held[end:]
		}
	}
}

// sortedByTerm returns occurrences in the order of their terms. Those of one term keep their
// order. It is a radix sort, which takes a fifth of the time of slices.Sort. It overwrites
// held.
func sortedByTerm(held []occurrence) []occurrence {
	const digit = 11 // bits; three digits are a term
	spare := make([]occurrence, len(held))
	for shift := 32; shift < 64; shift += digit {
		var ends [1 << digit]uint32 // by digit: where its occurrences begin, then where the next of them goes
		for _, o := range held {
			ends[o>>shift%(1<<digit)]++
		}
		at := uint32(0)
		for d, n := range ends {
			ends[d], at = at, at+n
		}
		for _, o := range held {
			end := &ends[o>>shift%(1<<digit)]
			spare[*end] = o
			*end++
		}
		held, spare = spare, held
	}
	return held
}

// seenBy returns the number of messages that message j knows, and the number of those that
// hold the term of all. A mention is known to itself alone, so that it changes no earlier
// row.
func (w *window) seenBy(j int, all []occurrence) (messages, held int) {
	if j >= w.before || all[len(all)-1].at() < w.before {
		return max(w.before, j+1), len(all)
	}
	return w.before, len(all) - 1
}

// compare compares the words of each two messages. A word that h of n messages hold has
// the weight log₂((n+1)/h), in bits.
func (w *window) compare() {
	for all := range byTerm(w.occurrences(func(f *features) []term { return f.words })) {
		for k, later := range all {
			messages, held := w.seenBy(later.at(), all)
			if held > maxCommon {
				continue
			}
			weight := float32(math.Log2(float64(messages+1) / float64(held)))
			row := later.at() * w.n
			for _, earlier := range all[:k] {
				w.words[row+earlier.at()] += weight
				w.rarest[row+earlier.at()] = max(w.rarest[row+earlier.at()], weight)
			}
		}
	}
}

const (
	gramLength = 4   // characters of a gram
	maxGrams   = 160 // grams of one message that are compared
)

// compareGrams computes how alike the texts of each two messages are, from 0 to 1: the
// cosine of the vectors of their grams, each gram weighted by how rare it is in the
// window (TF-IDF with binary counts).
func (w *window) compareGrams() {
	square := make([]float32, w.n) // by message: the sum of the squared weights of its grams
	for all := range byTerm(w.occurrences(func(f *features) []term { return f.grams })) {
		for k, later := range all {
			messages, held := w.seenBy(later.at(), all)
			weight := log2(float32(messages+1) / float32(held))
			weight *= weight
			square[later.at()] += weight
			if held > maxCommon {
				continue
			}
			row := w.alike[later.at()*w.n:]
			for _, earlier := range all[:k] {
				row[earlier.at()] += weight
			}
		}
	}
	for j := range w.n {
		row := w.alike[j*w.n : j*w.n+j]
		for i, product := range row {
			if product > 0 {
				row[i] = float32(math.Sqrt(float64(product * product / (square[i] * square[j]))))
			}
		}
	}
}

// belief is what the rows computed so far tell about a window of n messages: the links, how
// likely any two messages are connected, that is, belong to one conversation, and sums over
// both, on which later rows depend. All values are probabilities or expected numbers.
// Slices by person and message are indexed by person*n+message.
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

// newBelief returns the belief about n messages of so many people. together holds zeros.
func newBelief(n, people int, together []float32) belief {
	none := func() []int {
		all := make([]int, people)
		for p := range all {
			all[p] = -1
		}
		return all
	}
	return belief{
		size: n, links: graph.NewLinks(n), together: together, none: make([]float32, n),
		authorIn: make([]float32, people*n), answersBy: make([]float32, people*n), answersTo: make([]float32, people*n),
		talk: make([]float32, people*people), later: make([]float32, n), earlier: make([]float32, n), answers: make([]float32, n),
		lastIn: make([]int, n), lastOf: none(), lastCalled: none(),
	}
}

// settle adds row j, whose links are known, to the belief. What each message answers is
// independent, so j is connected with an older message i with the probability
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
	author := entries[j].author
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
	for k := range b.talk {
		b.talk[k] *= talkDecay
	}
	people, links := len(b.lastOf), b.links.Row(j)
	for _, i := range b.likely {
		p, to := links[i], entries[i].author
		b.answers[i] += p
		b.answersBy[author*n+i] += p
		b.answersTo[to*n+j] += p
		if to != author {
			b.talk[author*people+to] += p
			b.talk[to*people+author] += p
		}
	}
	b.lastOf[author] = j
	if called := entries[j].addressed; len(called) > 0 {
		b.lastCalled[author] = called[0]
	}
}
