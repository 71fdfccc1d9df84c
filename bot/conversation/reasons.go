package conversation

import (
	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// context returns the reasons why an answer is made from its sources. The sources that
// came from the graph are the first ones.
func (p *Prepared) context(sources []store.SourceRef) *store.Context {
	places := make(map[graph.MessageID]int, len(sources))
	for i := range sources {
		places[sources[i].Message] = i + 1
	}
	because := make([]store.Because, len(p.Built.Messages)+len(p.Graph.Background))
	for _, nodes := range [][]graph.Node{p.Graph.Conversation, p.Graph.Background} {
		for i := range nodes {
			n := &nodes[i]
			if at := places[n.Message.ID]; at > 0 && at <= len(because) {
				one, from := store.BecauseOf(n)
				one.From = places[from]
				because[at-1] = one
			}
		}
	}
	c := &store.Context{Because: because}
	for i := range p.Built.Left {
		left := &p.Built.Left[i]
		c.Left = append(c.Left, store.LeftOut{Message: left.Message, Channel: left.Source().Channel, Why: leftBecause(left.Why)})
	}
	for i := range p.Graph.Seals {
		s := &p.Graph.Seals[i]
		at := places[s.At]
		if at == 0 && s.At != p.trigger.ID {
			continue // of a message that the path left out
		}
		c.Stops = append(c.Stops, store.Stop{At: at, Direction: s.Direction, Why: s.Why, Gap: store.Seconds(s.Gap)})
	}
	return c
}

func leftBecause(why path.LeftReason) string {
	switch why {
	case path.LeftFulfilled:
		return store.LeftFulfilled
	case path.LeftUncertain:
		return store.LeftUncertain
	case path.LeftOverBudget:
	}
	return store.LeftOverBudget
}
