package graph

import "slices"

// explainable is the probability from which on an inferred link is shown.
const explainable = 0.1

// result admits what was chosen, the thread's starter and the background, each with its
// reasons.
func (w *weighing) result() *Graph {
	w.admitChosen()
	w.admitPlaces()
	w.addBackground()
	w.keepReferences()
	w.addReasons()
	w.inferReferences()
	for i := range w.nodes {
		w.joinBeside(&w.nodes[i])
	}
	for i := range w.nodes {
		w.sealBeside(&w.nodes[i], Older)
		w.sealBeside(&w.nodes[i], Newer)
	}
	return w.assemble()
}

// admitChosen makes nodes of what was chosen, each with the likeliest way that
// leads to it from the trigger through the conversation. What was displaced becomes
// background.
func (w *weighing) admitChosen() {
	numbers := slices.Concat(w.chosen, w.displaced)
	slices.Sort(numbers)
	t := growTree(w.belief, len(w.explored)-1, slices.Compact(numbers))
	for _, k := range t.order[1:] {
		at := w.explored[t.numbers[k]]
		reason := w.because(t, k)
		seed := slices.Contains(w.seeds, at)
		if seed {
			w.place(at, Reason{Kind: ReasonSeed, Probability: 1})
		} else {
			w.place(at, reason)
		}
		n := &w.nodes[len(w.nodes)-1]
		if seed {
			n.reasons = append(n.reasons, reason)
		}
		_, chosen := slices.BinarySearch(w.chosen, t.numbers[k])
		n.background = !chosen
	}
}

// because returns the way on which a tree reaches a message.
func (w *weighing) because(t *tree, k int) Reason {
	number, leading := t.numbers[k], t.numbers[t.from[k]]
	m, from := w.entries[w.explored[number]].message, w.entries[w.explored[leading]].message
	r := Reason{Round: t.depth[k], From: from.ID, Probability: t.link[k]}
	switch {
	case t.link[k] == 0:
		r.Kind, r.Gap = ReasonTemporal, from.Time.Sub(m.Time).Abs()
	case leading > number:
		r.Kind, r.Reference = ReasonReference, w.kindOf(from, m)
	default:
		r.Kind, r.Reference = ReasonAnswer, w.kindOf(m, from)
	}
	return r
}

// kindOf is the kind of the reference between two messages that are linked.
func (w *weighing) kindOf(from, to *Message) ReferenceKind {
	if from.Answers != 0 && to.Holds(from.Answers) {
		return ReferenceReply
	}
	for _, r := range from.References {
		if r.answers() && to.Holds(r.Message) {
			return r.Kind
		}
	}
	return ReferenceInferred
}

// keepReferences drops the references of what is not in the graph, and adds those
// of nodes whose references were not followed.
func (w *weighing) keepReferences() {
	w.references = slices.DeleteFunc(w.references, func(r reference) bool {
		return w.entries[r.from].node == notInGraph
	})
	for _, n := range w.nodes {
		w.follow(n.entry, nil)
	}
	w.followed = len(w.nodes)
}

// addReasons adds the explicit references to a message as further reasons for it.
func (w *weighing) addReasons() {
	for i := range w.references {
		r := &w.references[i]
		if !w.resolve(r) || w.entries[r.to].node == notInGraph {
			continue
		}
		n := &w.nodes[w.entries[r.to].node]
		reason := w.wayAlong(r).reason
		known := func(o Reason) bool { return o.Kind == ReasonReference && o.From == reason.From }
		if !n.background && !w.nodes[w.entries[r.from].node].background && !slices.ContainsFunc(n.reasons, known) {
			reason.Round = n.reasons[len(n.reasons)-1].Round
			n.reasons = append(n.reasons, reason)
		}
	}
}

// inferReferences adds the likely links between nodes as references.
func (w *weighing) inferReferences() {
	for i := range w.nodes {
		for j := range w.nodes {
			from, to := &w.entries[w.nodes[i].entry], &w.entries[w.nodes[j].entry]
			if from.number <= to.number {
				continue
			}
			p := w.belief.answers(from.number, to.number)
			if p < explainable || w.kindOf(from.message, to.message) != ReferenceInferred {
				continue
			}
			w.references = append(w.references, reference{
				from: w.nodes[i].entry, to: w.nodes[j].entry, kind: ReferenceInferred,
				at:    Lookup{Channel: to.message.Channel, Message: to.message.ID},
				state: ReferenceResolved, probability: p,
			})
		}
	}
}

// joinBeside joins a node with the one that stands next to it.
func (w *weighing) joinBeside(n *node) {
	older := w.entries[n.entry].beside[Older]
	if older >= 0 && w.entries[older].node != notInGraph {
		w.join(n.entry, older)
	}
}

// sealBeside records why nothing further on a side of a node was taken. If more of the
// conversation stands there, the side was only walked past and has no seal.
func (w *weighing) sealBeside(n *node, direction Direction) {
	if n.closed[direction] {
		return
	}
	next := w.entries[n.entry].beside[direction]
	if next < 0 {
		w.seal(n, direction, Seal{Why: sealReason(next)})
		return
	}
	s := Seal{Why: SealAffinity, Beyond: w.entries[next].message.ID}
	if !w.entries[next].weighed {
		s.Why = SealBudget
		if crossed := w.gapBetween(n.entry, next, direction); crossed > w.longest {
			s.Why, s.Gap = SealGap, crossed
		}
	}
	for at := next; at >= 0 && w.entries[at].weighed; at = w.entries[at].beside[direction] {
		if w.entries[at].node != notInGraph {
			n.closed[direction] = true
			return
		}
	}
	w.seal(n, direction, s)
}
