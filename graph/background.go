package graph

import "slices"

// likeliestLinks is how many of the messages that the trigger likeliest answers are
// at least background.
const likeliestLinks = 3

// starters returns the references to the message that the trigger's thread was
// started from.
func (x *exploration) starters() []reference {
	var starters []reference
	origins := x.origins()
	for i := range x.references.all {
		r := &x.references.all[i]
		if slices.Contains(origins, r.from) && r.kind == ReferenceStarter && x.references.resolve(r) && x.entries[r.to].weighed {
			starters = append(starters, *r)
		}
	}
	return starters
}

// missingStarters returns how many starters are not chosen.
func (w *weighing) missingStarters() int {
	var missing []int
	for _, r := range w.exploration.starters() {
		_, chosen := slices.BinarySearch(w.chosen, w.entries[r.to].number)
		if !chosen && !slices.Contains(missing, r.to) {
			missing = append(missing, r.to)
		}
	}
	return len(missing)
}

// admitPlaces admits the thread's starter, what it refers to, and the seeds that point
// at it. None of them is judged. What does not fit is background.
func (a *admission) admitPlaces() {
	for _, r := range a.exploration.starters() {
		a.admitPlace(r.to, a.references.wayAlong(&r).reason)
	}
	for _, origin := range a.exploration.origins()[1:] {
		a.admitPlace(origin, Reason{Kind: ReasonSeed, Probability: 1})
	}
}

func (a *admission) admitPlace(at int, reason Reason) {
	if a.entries[at].node != notInGraph {
		return
	}
	a.entries[at].probability = 1
	reason.Round = 1
	if reason.Kind == ReasonSeed {
		reason.Round = 0
	}
	a.draft.place(at, reason)
	a.draft.nodes[len(a.draft.nodes)-1].background = a.draft.admitted() > a.options.MaxTotal
	for _, number := range a.weighing.refers[a.entries[at].number] {
		to := a.exploration.explored[number]
		a.admitPlace(to, Reason{
			Kind: ReasonReference, Round: 1, From: a.entries[at].message.ID,
			Reference: kindOf(a.entries[at].message, a.entries[to].message), Probability: 1,
		})
	}
}

// addBackground adds what is in whether it belongs to the conversation or not: the
// seeds, the messages around what the trigger refers to, and what it likeliest
// answers; then, within MaxTotal, the messages around other targets.
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

// addNeighbours adds the messages that stand so many steps away from an entry on
// either side, where no gap over the threshold is in between.
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
