package graph

import "slices"

// Join admits the messages that an earlier answer of this conversation was made from,
// as certain, so that a follow-up is answered from the same messages as that answer. A
// message that is already in the conversation gets one more reason; one that is
// background or explored moves into the conversation. Join leaves out the trigger,
// anything behind it, and system messages. The graph refers to the messages of lineage from
// then on, so they must not be changed.
func (g *Graph) Join(answer MessageID, lineage []Message) {
	joining := make(map[MessageID]bool, len(lineage))
	end := g.Trigger.Position()
	for i := range lineage {
		m := &lineage[i]
		joining[m.ID] = !m.System && m.ID != g.Trigger.ID && m.Position().Compare(end) < 0
	}
	g.joinHeld(answer, joining)
	for i := range lineage {
		if m := &lineage[i]; joining[m.ID] {
			joining[m.ID] = false
			g.Conversation = append(g.Conversation, Node{Message: m, Probability: 1, Reasons: []Reason{lineageOf(answer)}})
		}
	}
	g.order()
}

// JoinHeld is Join for messages of which only the ids are known. It returns those that
// the graph does not hold.
func (g *Graph) JoinHeld(answer MessageID, lineage []MessageID) (missing []MessageID) {
	joining := make(map[MessageID]bool, len(lineage))
	for _, id := range lineage {
		joining[id] = id != g.Trigger.ID
	}
	g.joinHeld(answer, joining)
	g.order()
	for _, id := range lineage {
		if joining[id] {
			missing = append(missing, id)
		}
	}
	return missing
}

// joinHeld admits those of the joining messages that the graph holds, at the end of the
// conversation, and notes that they are not joining any more.
func (g *Graph) joinHeld(answer MessageID, joining map[MessageID]bool) {
	join := func(n *Node) bool {
		joins := joining[n.Message.ID]
		if joins {
			joining[n.Message.ID] = false
			n.Probability = 1
			n.Reasons = append(slices.Clip(n.Reasons), lineageOf(answer))
		}
		return joins
	}
	for i := range g.Conversation {
		join(&g.Conversation[i])
	}
	g.Conversation = slices.Grow(g.Conversation, len(joining))
	for _, beside := range []*[]Node{&g.Background, &g.Explored} {
		stay := (*beside)[:0]
		for i := range *beside {
			if n := &(*beside)[i]; join(n) {
				g.Conversation = append(g.Conversation, *n)
			} else {
				stay = append(stay, *n)
			}
		}
		clear((*beside)[len(stay):])
		*beside = stay
	}
}

// order orders the conversation by Position.
func (g *Graph) order() {
	order := make([]*Node, len(g.Conversation))
	for i := range g.Conversation {
		order[i] = &g.Conversation[i]
	}
	byPosition := func(a, b *Node) int { return a.Message.Position().Compare(b.Message.Position()) }
	if slices.IsSortedFunc(order, byPosition) {
		return
	}
	slices.SortFunc(order, byPosition)
	ordered := make([]Node, len(order))
	for i, n := range order {
		ordered[i] = *n
	}
	g.Conversation = ordered
}

func lineageOf(answer MessageID) Reason {
	return Reason{Kind: ReasonLineage, From: answer, Probability: 1}
}
