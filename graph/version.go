package graph

import "time"

// Bind notes which versions of messages an answer of heddle's own was made from, by
// their Edited. Where the graph holds a newer version of one, a version edge leads
// from that to the one that the answer stays bound to: what is told by the answer
// may no longer be told by the message.
func (g *Graph) Bind(answer MessageID, made map[MessageID]time.Time) {
	bind := func(m *Message) {
		from, known := made[m.ID]
		if !known || !m.Edited.After(from) || m.ID == answer {
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
			bind(&nodes[i].Message)
		}
	}
}
