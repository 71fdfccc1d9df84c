package affinity

import "math"

const (
	gramLength = 4   // characters of a gram
	maxGrams   = 160 // grams of one message that are compared
)

// gramHash is the hash of four characters in a row.
type gramHash uint32

// grams holds every gram of a window, with the messages that hold it.
type grams struct {
	slots  []int // by hash: the gram's number and 1, 0 for a free slot
	hashes []gramHash
	held   []int // by gram: how many messages hold it
	newest []int // by gram: its last posting
	at     []int // by posting: the message
	before []int // by posting: the gram's posting before it, -1 for none
}

// begin makes room for so many grams.
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

// addKnown records that message i holds a gram, if another message was recorded to.
func (g *grams) addKnown(i int, h gramHash) {
	mask := len(g.slots) - 1
	for slot := int(h*2654435761>>12) & mask; g.slots[slot] != 0; slot = (slot + 1) & mask {
		if number := g.slots[slot] - 1; g.hashes[number] == h {
			g.hold(i, number)
			return
		}
	}
}

// hold records that message i holds a gram that others hold.
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

// compareGrams computes how alike the texts of each pair are: the cosine of their
// four-letter strings, each weighed by how few messages of the window hold it.
func (w *window) compareGrams() {
	g := &w.grams
	g.begin(len(w.gramRoom))
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

// squaredWeight is what a gram that so many of n messages hold adds to a product.
func squaredWeight(n, held int) float32 {
	weight := log2(float32(n+1) / float32(held))
	return weight * weight
}

// cosines divides the products of message j with those before it by their lengths.
func (w *window) cosines(j int) {
	row := w.alike[j*w.stride : j*w.stride+j]
	for i, product := range row {
		if product > 0 {
			row[i] = float32(math.Sqrt(float64(product * product / (w.square[i] * w.square[j]))))
		}
	}
}
