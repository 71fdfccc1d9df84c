package graph

import "time"

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
