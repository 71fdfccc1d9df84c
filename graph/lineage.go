package graph

import "slices"

// Join admits the messages that an earlier answer of this conversation was made
// from, as certain: a follow-up is answered from what its answer was answered from.
// Messages that are in already get one more reason; background and explored ones
// move into the conversation. What stands behind the trigger, the trigger itself
// and system messages are left out.
func (g *Graph) Join(answer MessageID, lineage []Message) {
	reason := Reason{Kind: ReasonLineage, From: answer, Probability: 1}
	at := make(map[MessageID]int, len(g.Conversation))
	for i := range g.Conversation {
		at[g.Conversation[i].Message.ID] = i
	}
	end := g.Trigger.Position()
	for i := range lineage {
		m := &lineage[i]
		if m.System || m.ID == g.Trigger.ID || m.Position().Compare(end) >= 0 {
			continue
		}
		in, known := at[m.ID]
		if !known {
			in = len(g.Conversation)
			at[m.ID] = in
			g.Conversation = append(g.Conversation, g.take(m))
		}
		node := &g.Conversation[in]
		node.Probability = 1
		node.Reasons = append(slices.Clip(node.Reasons), reason)
	}
	slices.SortFunc(g.Conversation, func(a, b Node) int { return byPosition(a.Message, b.Message) })
}

// take removes the node of a message from the background or what was explored and
// returns it, or returns a new one.
func (g *Graph) take(m *Message) Node {
	for _, from := range []*[]Node{&g.Background, &g.Explored} {
		i := slices.IndexFunc(*from, func(n Node) bool { return n.Message.ID == m.ID })
		if i >= 0 {
			node := (*from)[i]
			*from = slices.Delete(*from, i, i+1)
			return node
		}
	}
	return Node{Message: *m}
}
