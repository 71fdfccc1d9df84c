package graph

import "slices"

// likeliestLinks is the number of messages, of those that the trigger most likely
// answers, that are at least in the background.
const likeliestLinks = 3

// starters returns the references to the message that the trigger's thread was
// started from.
func (x *exploration) starters() []reference {
	var starters []reference
	origins := x.origins()
	for i := range x.references.all {
		r := &x.references.all[i]
		if slices.Contains(origins, r.from) && r.kind == ReferenceStarter && x.references.resolve(r) && x.entries[r.to].considered {
			starters = append(starters, *r)
		}
	}
	return starters
}

// place is a message that is in the graph because of where the conversation takes
// place.
type place struct {
	at     int // entry
	reason Reason
}

// places returns, each once, the thread's starter, the seeds that point at it, and what
// these refer to. The affinity judges none of them.
func (w *weighing) places() []place {
	var places []place
	for _, r := range w.exploration.starters() {
		reason := w.exploration.references.wayAlong(&r).reason
		reason.Round = 1
		places = w.withPlace(places, place{r.to, reason})
	}
	for _, origin := range w.exploration.origins()[1:] {
		places = w.withPlace(places, place{origin, Reason{Kind: ReasonSeed, Probability: 1}})
	}
	return places
}

// withPlace appends a place and what it refers to, unless it is there.
func (w *weighing) withPlace(places []place, p place) []place {
	if slices.ContainsFunc(places, func(o place) bool { return o.at == p.at }) {
		return places
	}
	places = append(places, p)
	for _, number := range w.refers[w.entries[p.at].number] {
		to := w.exploration.explored[number]
		if to == 0 {
			continue
		}
		places = w.withPlace(places, place{to, Reason{
			Kind: ReasonReference, Round: 1, From: w.entries[p.at].message.ID,
			Reference: kindOf(w.entries[p.at].message, w.entries[to].message), Probability: 1,
		}})
	}
	return places
}

// missingPlaces returns the number of places that were not chosen.
func (w *weighing) missingPlaces() int {
	missing := 0
	for _, p := range w.places() {
		if _, chosen := slices.BinarySearch(w.chosen, w.entries[p.at].number); !chosen {
			missing++
		}
	}
	return missing
}

// admitPlaces admits the places. What does not fit is background.
func (a *admission) admitPlaces() {
	for _, p := range a.weighing.places() {
		e := &a.entries[p.at]
		if e.node == notInGraph {
			a.draft.place(p.at, p.reason)
			a.draft.nodes[e.node].background = true
			e.probability = 1
		}
		if n := &a.draft.nodes[e.node]; n.background && a.draft.admitted() < a.options.MaxTotal {
			n.background = false
			e.probability = 1
		}
	}
}

// addBackground adds what is sent whether it belongs to the conversation or not: the
// seeds, the messages around those that the trigger refers to, and those that it most
// likely answers. Then it adds, within MaxTotal, the messages around other targets.
func (a *admission) addBackground() {
	conversation := len(a.draft.nodes)
	for _, at := range a.exploration.seeds {
		a.draft.addBeside(at, Reason{Kind: ReasonSeed, Probability: 1})
	}
	for step := range keptAround {
		for _, at := range a.references.asks() {
			a.addNeighbours(at, step+1)
		}
	}
	last := len(a.exploration.explored) - 1
	for _, number := range a.weighing.belief.likeliest(likeliestLinks) {
		a.draft.addBeside(a.exploration.explored[number], Reason{
			Kind: ReasonReference, Round: 1, From: a.entries[0].message.ID,
			Reference: ReferenceInferred, Probability: a.weighing.belief.answers(last, number),
		})
	}
	for step := range keptAround {
		for _, at := range a.exploration.targets {
			if n := a.entries[at].node; n == notInGraph || a.draft.nodes[n].background {
				continue
			}
			if len(a.draft.nodes)-conversation+2 <= a.options.MaxTotal {
				a.addNeighbours(at, step+1)
			}
		}
	}
}

// addNeighbours adds the messages within so many steps of an entry, on both sides, as
// far as no gap exceeds the threshold.
func (a *admission) addNeighbours(at, steps int) {
	for _, direction := range [...]Direction{Older, Newer} {
		beside, from := at, at
		for range steps {
			from = beside
			beside = a.entries[from].beside[direction]
			if beside <= 0 || a.gapBetween(from, beside, direction) > a.longest {
				beside = notInGraph
				break
			}
		}
		if beside > 0 {
			a.draft.addBeside(beside, Reason{
				Kind: ReasonTemporal, Round: steps, From: a.entries[from].message.ID,
				Probability: 1, Gap: a.gapBetween(from, beside, direction),
			})
		}
	}
}
