package graph

import "slices"

// likeliestLinks is how many of the messages that the trigger likeliest answers are
// at least background.
const likeliestLinks = 3

// starters returns the references to the message that the trigger's thread was
// started from.
func (w *weighing) starters() []reference {
	var starters []reference
	origins := w.origins()
	for i := range w.references {
		r := &w.references[i]
		if slices.Contains(origins, r.from) && r.kind == ReferenceStarter && w.resolve(r) && w.entries[r.to].weighed {
			starters = append(starters, *r)
		}
	}
	return starters
}

// missingStarters returns how many starters are not chosen.
func (w *weighing) missingStarters() int {
	var missing []int
	for _, r := range w.starters() {
		_, chosen := slices.BinarySearch(w.chosen, w.entries[r.to].number)
		if !chosen && !slices.Contains(missing, r.to) {
			missing = append(missing, r.to)
		}
	}
	return len(missing)
}

// admitPlaces admits the thread's starter, what it refers to, and the seeds that point
// at it. None of them is judged. What does not fit is background.
func (w *weighing) admitPlaces() {
	for _, r := range w.starters() {
		w.admitPlace(r.to, w.wayAlong(&r).reason)
	}
	for _, origin := range w.origins()[1:] {
		w.admitPlace(origin, Reason{Kind: ReasonSeed, Probability: 1})
	}
}

func (w *weighing) admitPlace(at int, reason Reason) {
	if w.entries[at].node != notInGraph {
		return
	}
	w.entries[at].probability = 1
	reason.Round = 1
	if reason.Kind == ReasonSeed {
		reason.Round = 0
	}
	w.place(at, reason)
	w.nodes[len(w.nodes)-1].background = w.admitted() > w.options.MaxTotal
	for _, number := range w.refers[w.entries[at].number] {
		to := w.explored[number]
		w.admitPlace(to, Reason{
			Kind: ReasonReference, Round: 1, From: w.entries[at].message.ID,
			Reference: w.kindOf(w.entries[at].message, w.entries[to].message), Probability: 1,
		})
	}
}

// admitted returns how many messages the conversation holds so far.
func (w *weighing) admitted() int {
	n := -1 // the trigger
	for i := range w.nodes {
		if !w.nodes[i].background {
			n++
		}
	}
	return n
}

// addBackground adds what is in whether it belongs to the conversation or not: the
// seeds, the messages around what the trigger refers to, and what it likeliest
// answers; then, within MaxTotal, the messages around other targets.
func (w *weighing) addBackground() {
	conversation := len(w.nodes)
	for _, at := range w.seeds {
		w.addBeside(at, Reason{Kind: ReasonSeed, Probability: 1})
	}
	for step := range keptAround {
		for _, at := range w.asks() {
			w.addNeighbours(at, step+1)
		}
	}
	last := len(w.explored) - 1
	for _, number := range w.belief.likeliest(likeliestLinks) {
		w.addBeside(w.explored[number], Reason{
			Kind: ReasonReference, Round: 1, From: w.entries[0].message.ID,
			Reference: ReferenceInferred, Probability: w.belief.answers(last, number),
		})
	}
	for step := range keptAround {
		for _, at := range w.targets {
			if n := w.entries[at].node; n == notInGraph || w.nodes[n].background {
				continue
			}
			if len(w.nodes)-conversation+2 <= w.options.MaxTotal {
				w.addNeighbours(at, step+1)
			}
		}
	}
}

// addNeighbours adds the messages that stand so many steps away from an entry on
// either side, where no gap over the threshold is in between.
func (w *weighing) addNeighbours(at, steps int) {
	for _, direction := range [...]Direction{Older, Newer} {
		beside, from := at, at
		for range steps {
			from = beside
			beside = w.entries[from].beside[direction]
			if beside <= 0 || w.gapBetween(from, beside, direction) > w.longest {
				beside = notInGraph
				break
			}
		}
		if beside > 0 {
			w.addBeside(beside, Reason{
				Kind: ReasonTemporal, Round: steps, From: w.entries[from].message.ID,
				Probability: 1, Gap: w.gapBetween(from, beside, direction),
			})
		}
	}
}

// addBeside makes an entry background unless it is in the graph.
func (w *weighing) addBeside(at int, reason Reason) {
	if w.entries[at].node != notInGraph {
		return
	}
	w.place(at, reason)
	w.nodes[len(w.nodes)-1].background = true
}
