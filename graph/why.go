package graph

import "slices"

// explainable is the least probability of an inferred link that is shown.
const explainable = 0.1

// admission admits the chosen messages, and those that are sent in any case, each with
// its reasons.
type admission struct {
	*line
	draft       *draft
	references  *references
	exploration *exploration
	weighing    *weighing
}

// result returns the graph of the chosen messages, the thread's starter and the
// background, each with its reasons.
func (a *admission) result() *Graph {
	a.admitChosen()
	a.admitPlaces()
	a.addBackground()
	a.keepReferences()
	a.addReasons()
	a.inferReferences()
	for i := range a.draft.nodes {
		a.draft.joinBeside(&a.draft.nodes[i])
	}
	for i := range a.draft.nodes {
		a.draft.sealBeside(&a.draft.nodes[i], Older)
		a.draft.sealBeside(&a.draft.nodes[i], Newer)
	}
	return assemble(a.line, a.draft, a.references)
}

// admitChosen makes nodes of the chosen messages, each with the likeliest way on which
// the conversation leads to it from the trigger. Displaced messages become background.
func (a *admission) admitChosen() {
	numbers := slices.Concat(a.weighing.chosen, a.weighing.displaced)
	slices.Sort(numbers)
	t := growTree(a.weighing.belief, len(a.exploration.explored)-1, slices.Compact(numbers))
	for _, k := range t.order[1:] {
		at := a.exploration.explored[t.numbers[k]]
		reason := a.because(t, k)
		seed := slices.Contains(a.exploration.seeds, at)
		if seed {
			a.draft.place(at, Reason{Kind: ReasonSeed, Probability: 1})
		} else {
			a.draft.place(at, reason)
		}
		n := &a.draft.nodes[len(a.draft.nodes)-1]
		if seed {
			n.reasons = append(n.reasons, reason)
		}
		_, chosen := slices.BinarySearch(a.weighing.chosen, t.numbers[k])
		n.background = !chosen
	}
}

// because returns the way on which a tree reaches its message k.
func (a *admission) because(t *tree, k int) Reason {
	number, leading := t.numbers[k], t.numbers[t.from[k]]
	m, from := a.entries[a.exploration.explored[number]].message, a.entries[a.exploration.explored[leading]].message
	r := Reason{Round: t.depth[k], From: from.ID, Probability: t.link[k]}
	switch {
	case t.link[k] == 0:
		r.Kind, r.Gap = ReasonTemporal, from.Time.Sub(m.Time).Abs()
	case leading > number:
		r.Kind, r.Reference = ReasonReference, kindOf(from, m)
	default:
		r.Kind, r.Reference = ReasonAnswer, kindOf(m, from)
	}
	return r
}

// kindOf returns the kind of reference by which a message leads to another.
func kindOf(from, to *Message) ReferenceKind {
	if from.Answers != 0 && to.Holds(from.Answers) {
		return ReferenceReply
	}
	for _, r := range from.References {
		if (r.answers() || r.Kind == ReferenceLink) && to.Holds(r.Message) {
			return r.Kind
		}
	}
	return ReferenceInferred
}

// keepReferences drops the references of messages that are not in the graph, and adds
// those of nodes whose references were not followed.
func (a *admission) keepReferences() {
	a.references.all = slices.DeleteFunc(a.references.all, func(r reference) bool {
		return a.entries[r.from].node == notInGraph
	})
	for _, n := range a.draft.nodes {
		a.exploration.follow(n.entry, nil)
	}
}

// addReasons adds the explicit references to a message to its reasons.
func (a *admission) addReasons() {
	for i := range a.references.all {
		r := &a.references.all[i]
		if !a.references.resolve(r) || a.entries[r.to].node == notInGraph {
			continue
		}
		n := &a.draft.nodes[a.entries[r.to].node]
		reason := a.references.wayAlong(r).reason
		known := func(o Reason) bool { return o.Kind == ReasonReference && o.From == reason.From }
		if !n.background && !a.draft.nodes[a.entries[r.from].node].background && !slices.ContainsFunc(n.reasons, known) {
			reason.Round = n.reasons[len(n.reasons)-1].Round
			n.reasons = append(n.reasons, reason)
		}
	}
}

// inferReferences adds the likely links between nodes as references.
func (a *admission) inferReferences() {
	for i := range a.draft.nodes {
		for j := range a.draft.nodes {
			from, to := &a.entries[a.draft.nodes[i].entry], &a.entries[a.draft.nodes[j].entry]
			if from.number <= to.number {
				continue
			}
			p := a.weighing.belief.answers(from.number, to.number)
			if p < explainable || kindOf(from.message, to.message) != ReferenceInferred {
				continue
			}
			a.references.all = append(a.references.all, reference{
				from: a.draft.nodes[i].entry, to: a.draft.nodes[j].entry, kind: ReferenceInferred,
				at:    Lookup{Channel: to.message.Channel, Message: to.message.ID},
				state: ReferenceResolved, probability: p,
			})
		}
	}
}
