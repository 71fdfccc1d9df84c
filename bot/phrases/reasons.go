package phrases

import "heddle/graph"

// Naming is what people call the messages of a graph.
type Naming struct {
	Language

	names   map[graph.MessageID]string
	authors map[graph.MessageID]graph.UserID
}

// Naming returns what the messages of a graph are called: the trigger "the question", and any
// other as call says, which returns "" for a message without a name.
func (l Language) Naming(g *graph.Graph, call func(*graph.Message) string) *Naming {
	n := &Naming{l, map[graph.MessageID]string{}, map[graph.MessageID]graph.UserID{}}
	for _, nodes := range [][]graph.Node{g.Conversation, g.Background, g.Recalled, g.Explored} {
		for i := range nodes {
			m := nodes[i].Message
			n.names[m.ID], n.authors[m.ID] = call(m), m.Author
		}
	}
	n.names[g.Trigger.ID], n.authors[g.Trigger.ID] = l.Text("why_question", nil), g.Trigger.Author
	return n
}

// Name returns what a message is called.
func (n *Naming) Name(id graph.MessageID) string {
	if name := n.names[id]; name != "" {
		return name
	}
	return n.Text("why_other", nil)
}

// Reason returns in words why a message was chosen.
func (n *Naming) Reason(m *graph.Message, r *graph.Reason) string {
	values := Values{"From": n.Name(r.From), "Sure": n.Sure(r.Probability), "Gap": n.Roughly(r.Gap)}
	switch r.Kind {
	case graph.ReasonSeed:
		return n.Text("why_newest", nil)
	case graph.ReasonTemporal:
		return n.Text("why_neighbour", values)
	case graph.ReasonNeeded:
		return n.Text("why_needed", nil)
	case graph.ReasonRead:
		return n.Text("why_read", Values{"Model": r.By})
	case graph.ReasonLineage:
		return n.Text("why_lineage", nil)
	case graph.ReasonRecalled:
		return n.Text("why_shares", nil)
	case graph.ReasonReference, graph.ReasonAnswer:
	}
	var does, done ID // what the message does to the other, and the other to it
	switch r.Reference {
	case graph.ReferenceReply:
		does, done = "why_replies", "why_replied_to"
	case graph.ReferenceStarter:
		does, done = "why_starter", "why_starter"
	case graph.ReferenceForward:
		does, done = "why_forwarded", "why_forwarded"
	case graph.ReferenceLink:
		does, done = "why_links", "why_linked"
	case graph.ReferenceAddress, graph.ReferenceInferred:
		does, done = "why_answers", "why_answered"
		if r.Weak() {
			does, done = "why_weak", "why_weak"
		} else if author, known := n.authors[r.From]; known && author == m.Author {
			does, done = "why_continues", "why_continued"
		}
	}
	if r.Kind == graph.ReasonAnswer {
		return n.Text(does, values)
	}
	return n.Text(done, values)
}

// From these probabilities on something is likely or sure.
const (
	likely = 0.5
	surely = 0.8
)

// Sure returns how likely something is in a word.
func (l Language) Sure(probability float64) string {
	switch {
	case probability >= surely:
		return l.Text("why_surely", nil)
	case probability >= likely:
		return l.Text("why_likely", nil)
	}
	return l.Text("why_perhaps", nil)
}

// Stop returns why reading ended, or "" if that explains nothing.
func (l Language) Stop(s *graph.Seal) string {
	switch s.Why {
	case graph.SealGap:
		return l.Text("why_stop_gap", Values{"Gap": l.Roughly(s.Gap)})
	case graph.SealAffinity:
		return l.Text("why_stop_other", nil)
	case graph.SealChannel:
		if s.Direction == graph.Older {
			return l.Text("why_stop_begin", nil)
		}
	case graph.SealBudget:
		return l.Text("why_stop_room", nil)
	case graph.SealUnreadable:
		return l.Text("why_stop_denied", nil)
	case graph.SealTrigger:
	}
	return "" // the channel's end and the question itself explain nothing
}
