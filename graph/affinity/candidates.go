package affinity

import "slices"

// The candidates of a message are the earlier messages that are judged as what it may
// answer. The probability that it answers any other is zero. docs/context-quality.md says what
// that saves and what it misses.
const (
	nearest     = 16   // the newest messages are candidates, whatever they say
	lastOfEach  = 4    // so are this many further ones of its author, of those it addresses, and of those who address its author
	rareEnough  = 5    // and those that share a word of at least this weight, in bits
	alikeEnough = 0.14 // or whose text is at least this much alike, from 0 to 1
)

// choose marks the candidates of the answer.
func (r *row) choose() {
	w, j, author := r.w, r.j, r.answer.author
	clear(r.judged)
	near := max(0, j-nearest)
	for i := near; i < j; i++ {
		r.judged[i] = true
	}
	own, addressed, addressing := lastOfEach, lastOfEach, lastOfEach
	for i := near - 1; i >= 0; i-- {
		e, k := &w.entries[i], j*w.n+i
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
