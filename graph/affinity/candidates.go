package affinity

import "slices"

// Not every earlier message is judged as what a message may answer. Those that are
// not are answered with a probability of zero.
const (
	nearest     = 16   // newest messages that are all judged
	lastOfEach  = 6    // as many further ones of the author, of whom he addresses, and of those that address him
	rareEnough  = 4.5  // weight of a shared word with which a message is judged
	alikeEnough = 0.12 // likeness of texts with which a message is judged
)

// choose marks the candidates that are judged.
func (r *row) choose() {
	w, j, author := r.w, r.j, r.answer.author
	r.judged = zeroed(r.judged, j)
	near := max(0, j-nearest)
	for i := near; i < j; i++ {
		r.judged[i] = true
	}
	own, addressed, addressing := lastOfEach, lastOfEach, lastOfEach
	for i := near - 1; i >= 0; i-- {
		e, k := &w.entries[i], j*w.stride+i
		switch {
		case e.author == author && own > 0:
			own--
		case addressed > 0 && slices.Contains(r.answer.addressed, e.author):
			addressed--
		case addressing > 0 && slices.Contains(e.addressed, author):
			addressing--
		case w.rarest[k] >= rareEnough || w.alike[k] >= alikeEnough:
		default:
			continue
		}
		r.judged[i] = true
	}
}
