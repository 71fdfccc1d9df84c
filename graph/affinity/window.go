package affinity

import (
	"math"
	"slices"

	"heddle/graph"
)

// entry is a message of a window, compiled.
type entry struct {
	features  features
	author    int   // number of its author among the window's people
	addressed []int // numbers of the people it addresses, those who spoke in the window
	strangers int   // how many it addresses who did not
	certain   int   // index of what it certainly answers, -1 where that is not known
	outside   bool  // it certainly answers something that is not in the window
	bot, file bool
}

// window is a stretch of messages, compiled, with what is inferred about it.
type window struct {
	n       int
	stride  int // how many messages there is room for; n, or one more
	entries []entry
	people  []graph.UserID
	times   []float64 // seconds since the first
	pace    []float64 // seconds
	whole   bool      // the window begins where the channel does
	asked   bool      // for a mention, and not to teach
	unseen  []calling // of people who have not spoken in the window
	square  []float32 // by message: the sum of the squared weights of its grams

	*comparison
	belief

	// Room that is used again for the next window.
	wordRoom []uint64
	gramRoom []gramHash
}

// calling is that a message addresses somebody.
type calling struct {
	at   int
	user graph.UserID
}

// comparison is what pairs of messages share. It is needed while rows are computed.
type comparison struct {
	// Shared rare words of each pair, the answer's row first: the sum of their weights,
	// and the highest.
	words, rarest []float32
	alike         []float32 // how alike the texts of each pair are, 0 to 1

	places []place
	grams  grams
}

// fit makes room for size messages.
func (c *comparison) fit(size int) {
	c.words, c.rarest, c.alike = zeroed(c.words, size*size), zeroed(c.rarest, size*size), zeroed(c.alike, size*size)
}

// fitLast makes room for size messages, of which only the last is compared.
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

// maxCommon is in how many messages of a window a word may occur and still be
// compared.
const maxCommon = 24

// zeroed returns n zeros, in the memory of s where they fit.
func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}

// compile takes messages, oldest first, in the memory of the window before.
func (w *window) compile(messages []*graph.Message) { w.layOut(messages, len(messages)) }

// layOut is compile with room for so many messages, and for a person more with each.
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
	w.wordRoom, w.gramRoom = w.wordRoom[:0], w.gramRoom[:0]
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

// enter compiles what message i says by itself.
func (w *window) enter(i int, messages []*graph.Message) {
	m := messages[i]
	var f features
	f, w.wordRoom, w.gramRoom = analyze(m, w.wordRoom, w.gramRoom)
	w.times[i] = m.Time.Sub(messages[0].Time).Seconds()
	w.entries[i] = entry{
		features: f, author: w.person(m.Author), addressed: w.entries[i].addressed[:0],
		bot: m.Origin == graph.OriginBot || m.Origin == graph.OriginSelf, file: len(m.Attachments) > 0,
	}
}

// person numbers a speaker.
func (w *window) person(user graph.UserID) int {
	if at := slices.Index(w.people, user); at >= 0 {
		return at
	}
	w.people = append(w.people, user)
	return len(w.people) - 1
}

// refer resolves what a message answers for certain and whom it addresses.
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
				w.unseen = append(w.unseen, calling{i, r.User})
			} else if at != e.author && !slices.Contains(e.addressed, at) {
				e.addressed = append(e.addressed, at)
			}
		case graph.ReferenceReply, graph.ReferenceForward:
			w.answer(e, i, messages, r.Message)
		case graph.ReferenceStarter: // the place where the thread began, not what the message answers
		case graph.ReferenceLink: // nor is what is linked to
		case graph.ReferenceInferred:
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

// place is where a word stands.
type place struct {
	word uint64
	at   int
}

// compare weighs the words that messages share: a word is worth the more, the
// fewer messages of the window hold it.
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

// share adds a word to every two messages that hold it.
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
