package affinity

import (
	"math"
	"slices"

	"heddle/graph"
)

// entry is what the model knows of one message of a window.
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
	n       int
	stride  int // the number of messages that there is memory for: n, or one more
	entries []entry
	people  []graph.UserID
	times   []float64 // by message: seconds since the first one
	pace    []float64 // by message: the channel's pace before it, in seconds
	whole   bool      // whether the window begins where the channel does
	asked   bool      // whether it is judged for a mention, and not to teach a network
	unseen  []address // of people who have not spoken in the window
	square  []float32 // by message: the sum of the squared weights of its grams

	*comparison
	belief

	// The memory of the entries' features.
	wordMemory []uint64
	gramMemory []gramHash
}

// address records that a message addresses a person.
type address struct {
	at   int // the message
	user graph.UserID
}

// comparison is what each two messages have in common. It is only needed while rows are
// computed. The slices are indexed by answer*stride+candidate.
type comparison struct {
	words, rarest []float32 // the sum of the weights of the words that both hold, and the highest of them
	alike         []float32 // how alike the texts are, from 0 to 1

	places []place
	grams  grams
}

// fit empties the comparison, and makes it large enough for size messages.
func (c *comparison) fit(size int) {
	c.words, c.rarest, c.alike = zeroed(c.words, size*size), zeroed(c.rarest, size*size), zeroed(c.alike, size*size)
}

// fitLast is fit for a window whose last message alone will be compared.
func (c *comparison) fitLast(size int) {
	if len(c.words) != size*size {
		c.fit(size)
		return
	}
	row := size * (size - 1)
	clear(c.words[row:])
	clear(c.rarest[row:])
	clear(c.alike[row:])
}

// maxCommon is the number of messages of a window up to which a word that all of them hold
// is compared. More common words tell little and cost the most time.
const maxCommon = 24

// zeroed returns a slice of n zeros. It uses the memory of s if that is large enough.
func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}

// compile makes a window of messages, oldest first. It reuses the memory of the window
// before.
func (w *window) compile(messages []*graph.Message) { w.layOut(messages, len(messages)) }

// layOut is compile with memory for size messages in all, and for as many new people.
func (w *window) layOut(messages []*graph.Message, size int) {
	n := len(messages)
	w.n, w.stride, w.people, w.unseen = n, size, w.people[:0], w.unseen[:0]
	w.times, w.pace = zeroed(w.times, size), zeroed(w.pace, size)
	if w.comparison == nil {
		w.comparison = new(comparison)
	}
	w.fit(size)
	if cap(w.entries) < size {
		w.entries = make([]entry, size, size+size/4)
	}
	w.entries = w.entries[:size]
	w.wordMemory, w.gramMemory = w.wordMemory[:0], w.gramMemory[:0]
	for i := range messages {
		w.enter(i, messages)
	}
	for i := range messages {
		w.refer(i, messages)
	}
	paces(w.times[:n], w.pace[:n])
	w.compare()
	w.compareGrams()
	w.begin(size, len(w.people)+size-n)
}

// enter records what message i alone shows.
func (w *window) enter(i int, messages []*graph.Message) {
	m := messages[i]
	var f features
	f, w.wordMemory, w.gramMemory = analyze(m, w.wordMemory, w.gramMemory)
	w.times[i] = m.Time.Sub(messages[0].Time).Seconds()
	w.entries[i] = entry{
		features: f, author: w.person(m.Author), addressed: w.entries[i].addressed[:0],
		bot: m.Origin == graph.OriginBot || m.Origin == graph.OriginSelf, file: len(m.Attachments) > 0,
	}
}

// person returns the index of a person among the window's people, and adds the person if
// necessary.
func (w *window) person(user graph.UserID) int {
	if at := slices.Index(w.people, user); at >= 0 {
		return at
	}
	w.people = append(w.people, user)
	return len(w.people) - 1
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
				w.unseen = append(w.unseen, address{i, r.User})
			} else if at != e.author && !slices.Contains(e.addressed, at) {
				e.addressed = append(e.addressed, at)
			}
		case graph.ReferenceReply, graph.ReferenceForward:
			w.answer(e, i, messages, r.Message)
		case graph.ReferenceStarter, graph.ReferenceLink, graph.ReferenceInferred: // none of these is an answer
		}
	}
}

// answer records that a message certainly answers another. Whoever replies to a
// person addresses that person.
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

// place is an occurrence of a word.
type place struct {
	word uint64
	at   int // the message
}

// compare compares the words of each two messages. A word that h of n messages hold has
// the weight log₂((n+1)/h).
func (w *window) compare() {
	places := w.places[:0]
	for i := range w.entries[:w.n] {
		for _, word := range w.entries[i].features.words {
			places = append(places, place{word, i})
		}
	}
	w.places = places
	slices.SortFunc(places, func(a, b place) int {
		if a.word != b.word {
			if a.word < b.word {
				return -1
			}
			return 1
		}
		return a.at - b.at
	})
	for start := 0; start < len(places); {
		end := start + 1
		for end < len(places) && places[end].word == places[start].word {
			end++
		}
		if held := end - start; held > 1 && held <= maxCommon {
			w.share(places[start:end])
		}
		start = end
	}
}

// share adds a word's weight to each two messages that hold it.
func (w *window) share(places []place) {
	weight := float32(math.Log2(float64(w.n+1) / float64(len(places))))
	for a, earlier := range places {
		for _, later := range places[a+1:] {
			k := later.at*w.stride + earlier.at
			w.words[k] += weight
			w.rarest[k] = max(w.rarest[k], weight)
		}
	}
}
