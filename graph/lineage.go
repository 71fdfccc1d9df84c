package graph

import (
	"slices"
	"time"
)

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
	slices.SortStableFunc(g.Conversation, func(a, b Node) int { return a.Message.Position().Compare(b.Message.Position()) })
}

// Recall adds the messages that are recalled, oldest first. They are no longer explored.
func (g *Graph) Recall(nodes []Node) {
	g.Recalled = nodes
	g.Explored = slices.DeleteFunc(g.Explored, func(n Node) bool {
		return slices.ContainsFunc(nodes, func(r Node) bool { return r.Message.ID == n.Message.ID })
	})
}

func lineageOf(answer MessageID) Reason {
	return Reason{Kind: ReasonLineage, From: answer, Probability: 1}
}

// Bind records from which versions of messages an answer of heddle's own was made. made
// returns the Edited of a message's version, and reports whether the answer was made from
// the message. If the graph holds a newer version of such a message, Bind adds a
// version edge from it to the version that the answer is bound to: the answer may
// repeat what the message no longer says.
func (g *Graph) Bind(answer MessageID, made func(MessageID) (edited time.Time, known bool)) {
	bind := func(m *Message) {
		if m.Edited.IsZero() || m.ID == answer {
			return
		}
		from, known := made(m.ID)
		if !known || !m.Edited.After(from) {
			return
		}
		bound := Edge{
			From: m.ID, To: m.ID, Kind: EdgeVersion, State: ReferenceResolved, Probability: 1, Edited: m.Edited, Bound: answer,
		}
		for i := range g.Edges {
			e := &g.Edges[i]
			if e.Kind == EdgeVersion && e.From == m.ID && (e.Bound == 0 || e.Bound == answer) {
				*e = bound
				return
			}
		}
		g.Edges = append(g.Edges, bound)
	}
	for _, nodes := range [][]Node{g.Conversation, g.Background} {
		for i := range nodes {
			bind(nodes[i].Message)
		}
	}
}
