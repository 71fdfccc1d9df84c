package graph

import "slices"

// Join admits the messages that an earlier answer of this conversation was made from,
// as certain, so that a follow-up is answered from the same messages as that answer. A
// message that is already in the conversation gets one more reason; one that is
// background or explored moves into the conversation. Join leaves out the trigger,
// anything behind it, and system messages.
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

// take removes the node of a message from the background or the explored messages and
// returns it. If there is none, it returns a new node.
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
