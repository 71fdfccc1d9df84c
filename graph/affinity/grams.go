package affinity

import "math"

const (
	gramLength = 4   // characters of a gram
	maxGrams   = 160 // grams of one message that are compared
)

// gramHash is the hash of a gram: four characters in a row.
type gramHash uint32

// grams is an index of the grams of a window: a hash table with linear probing, and for
// each gram a list of postings, which are the messages that hold it.
type grams struct {
	slots  []int // by hash: 1 + the gram's number, or 0 for a free slot
	hashes []gramHash
	held   []int // by gram: how many messages hold it
	newest []int // by gram: its last posting
	at     []int // by posting: the message
	before []int // by posting: the gram's previous posting, -1 for none
}

// begin empties the index, and makes it large enough for so many grams.
func (g *grams) begin(total int) {
	size := 64
	for size < 2*total {
		size *= 2
	}
	g.slots = zeroed(g.slots, size)
	g.hashes, g.held, g.newest = g.hashes[:0], g.held[:0], g.newest[:0]
	g.at, g.before = g.at[:0], g.before[:0]
}

// add records that message i holds a gram. Messages come oldest first.
func (g *grams) add(i int, h gramHash) {
	mask := len(g.slots) - 1
	for slot := int(h*2654435761>>12) & mask; ; slot = (slot + 1) & mask {
		switch number := g.slots[slot]; {
		case number == 0:
			g.hashes = append(g.hashes, h)
			g.held = append(g.held, 1)
			g.newest = append(g.newest, len(g.at))
			g.slots[slot] = len(g.hashes)
			g.post(i, -1)
			return
		case g.hashes[number-1] == h:
			g.hold(i, number-1)
			return
		}
	}
}

// addKnown records that message i holds a gram, unless it is new to the index.
func (g *grams) addKnown(i int, h gramHash) {
	mask := len(g.slots) - 1
	for slot := int(h*2654435761>>12) & mask; g.slots[slot] != 0; slot = (slot + 1) & mask {
		if number := g.slots[slot] - 1; g.hashes[number] == h {
			g.hold(i, number)
			return
		}
	}
}

// hold records that message i holds the gram with a number.
func (g *grams) hold(i, number int) {
	last := g.newest[number]
	if g.at[last] == i {
		return
	}
	g.held[number]++
	g.newest[number] = len(g.at)
	g.post(i, last)
}

func (g *grams) post(i int, before int) {
	g.at = append(g.at, i)
	g.before = append(g.before, before)
}

// compareGrams computes how alike the texts of each two messages are, from 0 to 1: the
// cosine of the vectors of their grams, each gram weighted by how rare it is in the
// window (TF-IDF with binary counts).
func (w *window) compareGrams() {
	g := &w.grams
	g.begin(len(w.gramMemory))
	for i := range w.entries[:w.n] {
		for _, h := range w.entries[i].features.grams {
			g.add(i, h)
		}
	}
	w.square = zeroed(w.square, w.stride)
	square := w.square
	var holding [maxCommon]int
	for number, held := range g.held {
		weight := squaredWeight(w.n, held)
		holders := holding[:0]
		for p := g.newest[number]; p >= 0; p = g.before[p] {
			square[g.at[p]] += weight
			if held > 1 && held <= maxCommon {
				holders = append(holders, g.at[p])
			}
		}
		for a, later := range holders {
			row := w.alike[later*w.stride:]
			for _, earlier := range holders[a+1:] {
				row[earlier] += weight
			}
		}
	}
	for j := range w.n {
		w.cosines(j)
	}
}

// squaredWeight returns the square of the weight of a gram that so many of n messages
// hold, which is log₂((n+1)/held). It is the gram's share in a product of two vectors.
func squaredWeight(n, held int) float32 {
	weight := log2(float32(n+1) / float32(held))
	return weight * weight
}

// cosines divides the products of the vectors of message j and of each older one by the
// lengths of both.
func (w *window) cosines(j int) {
	row := w.alike[j*w.stride : j*w.stride+j]
	for i, product := range row {
		if product > 0 {
			row[i] = float32(math.Sqrt(float64(product * product / (w.square[i] * w.square[j]))))
		}
	}
}
