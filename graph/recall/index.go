package recall

import (
	"cmp"
	"slices"

	"heddle/graph"
)

// Index holds which words the messages of a channel hold, so that a question need not be
// compared with each of them. A word costs about 30 bytes, and 8 more for every message
// that holds it. It is used by one goroutine at a time.
type Index struct {
	words     map[term]postings
	cells     []cell
	free      uint32 // a list of cells that are not in use, linked by next
	exchanges []indexed
	places    map[graph.MessageID]int // by anchor: an exchange
	marks     []uint64                // by exchange: words shared with the question in work
	terms     []term                  // of the message in work
	added     int                     // messages since the index was last asked
}

// postings are the exchanges that hold a word.
type postings struct {
	first uint32 // a cell and 1; 0 for none
	count uint32
}

// cell is one posting. If several messages of an exchange hold a word, it has as many.
type cell struct{ exchange, next uint32 }

// indexed is an exchange in an index.
type indexed struct {
	anchor   graph.MessageID
	messages int
	length   int // in words
}

// NewIndex returns an index of no messages.
func NewIndex() *Index {
	return &Index{words: make(map[term]postings), places: make(map[graph.MessageID]int)}
}

// Unused returns the number of messages that were added since a question was last
// compared.
func (x *Index) Unused() int { return x.added }

// Size returns about how many bytes the index takes.
func (x *Index) Size() int64 {
	return int64(30*len(x.words) + 8*cap(x.cells) + 56*cap(x.exchanges))
}

// Add adds a message. It must not be in the index.
func (x *Index) Add(m *graph.Message) {
	x.added++
	anchor := m.Position().Anchor
	at, known := x.places[anchor]
	if !known {
		at = len(x.exchanges)
		x.places[anchor] = at
		x.exchanges = append(x.exchanges, indexed{anchor: anchor})
		x.marks = append(x.marks, 0)
	}
	e := &x.exchanges[at]
	e.messages++
	e.length += x.scan(m)
	for _, t := range x.terms {
		x.post(t, uint32(at)) //nolint:gosec // there are fewer
	}
}

// scan lists the words of a message, each once, and returns how many it has.
func (x *Index) scan(m *graph.Message) (length int) {
	x.terms = x.terms[:0]
	length = read(m, func(t term) { x.terms = append(x.terms, t) })
	slices.Sort(x.terms)
	x.terms = slices.Compact(x.terms)
	return length
}

func (x *Index) post(t term, exchange uint32) {
	p := x.words[t]
	at := x.free
	if at == 0 {
		x.cells = append(x.cells, cell{})
		at = uint32(len(x.cells)) //nolint:gosec // there are fewer
	} else {
		x.free = x.cells[at-1].next
	}
	x.cells[at-1] = cell{exchange, p.first}
	x.words[t] = postings{at, p.count + 1}
}

// Remove takes out a message as it was added. Nothing of its words stays.
func (x *Index) Remove(m *graph.Message) {
	at, known := x.places[m.Position().Anchor]
	if !known {
		return
	}
	e := &x.exchanges[at]
	e.messages--
	e.length -= x.scan(m)
	for _, t := range x.terms {
		x.strike(t, uint32(at)) //nolint:gosec // there are fewer
	}
	clear(x.terms)
	if e.messages == 0 {
		delete(x.places, e.anchor)
	}
}

// strike removes a posting.
func (x *Index) strike(t term, exchange uint32) {
	p := x.words[t]
	for link := &p.first; *link != 0; link = &x.cells[*link-1].next {
		at := *link
		c := &x.cells[at-1]
		if c.exchange != exchange {
			continue
		}
		*link = c.next
		*c = cell{next: x.free}
		x.free = at
		p.count--
		break
	}
	if p.count == 0 {
		delete(x.words, t)
		return
	}
	x.words[t] = p
}

// Scored is an exchange, by the message that it begins with, and what it shares.
type Scored struct {
	Anchor graph.MessageID
	Score  float64
}

// Find returns the exchanges that begin before a message and share words with a
// question, of at least so many bits, best first and the newest first of equally good
// ones. The scores are those of the function Find.
func (x *Index) Find(words *Words, before graph.MessageID, least float64) []Scored {
	x.added = 0
	all, length, extra := 0, 0, 0
	for i := range x.exchanges {
		if e := &x.exchanges[i]; e.messages > 0 && e.anchor < before {
			all++
			length += e.length
		}
		extra += x.exchanges[i].messages
	}
	extra -= all
	weights := make([]float64, words.size())
	var touched []uint32
	for t, number := range words.numbers {
		p := x.words[t]
		if holds := int(p.count) - extra; holds > 2 && float64(holds) > common*float64(all) {
			continue // in however few exchanges its messages are
		}
		holding := 0
		for at := p.first; at != 0; at = x.cells[at-1].next {
			exchange := x.cells[at-1].exchange
			if x.exchanges[exchange].anchor >= before || x.marks[exchange]&(1<<number) != 0 {
				continue
			}
			if x.marks[exchange] == 0 {
				touched = append(touched, exchange)
			}
			x.marks[exchange] |= 1 << number
			holding++
		}
		weights[number] = weight(holding, all)
	}
	average := float64(length) / max(float64(all), 1)
	var found []Scored
	for _, at := range touched {
		e := exchange{shared: x.marks[at], length: x.exchanges[at].length}
		x.marks[at] = 0
		if score := e.score(weights, average); score > 0 && score >= least {
			found = append(found, Scored{x.exchanges[at].anchor, score})
		}
	}
	slices.SortFunc(found, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Anchor, a.Anchor))
	})
	return found
}
