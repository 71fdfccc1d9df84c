package answer

import (
	"math"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// context returns why an answer is made from its sources, of which those that came from
// the graph are the first.
func (p *Prepared) context(sources []store.SourceRef) *store.Context {
	places := make(map[graph.MessageID]int, len(sources))
	for i := range sources {
		places[sources[i].Message] = i + 1
	}
	because := make([]store.Because, len(p.built.Messages)+len(p.graph.Background))
	for _, nodes := range [][]graph.Node{p.graph.Conversation, p.graph.Background} {
		for i := range nodes {
			n := &nodes[i]
			if at := places[n.Message.ID]; at > 0 && at <= len(because) {
				because[at-1] = becauseOf(n, places)
			}
		}
	}
	c := &store.Context{Because: because}
	for i := range p.built.Left {
		left := &p.built.Left[i]
		c.Left = append(c.Left, store.LeftOut{Message: left.Message, Channel: left.Source().Channel, Why: leftBecause(left.Why)})
	}
	for i := range p.graph.Seals {
		s := &p.graph.Seals[i]
		at := places[s.At]
		if at == 0 && s.At != p.ID {
			continue // of a message that the path left out
		}
		c.Stops = append(c.Stops, store.Stop{At: at, Direction: s.Direction, Why: s.Why, Gap: seconds(s.Gap)})
	}
	return c
}

func becauseOf(n *graph.Node, places map[graph.MessageID]int) store.Because {
	b := store.Because{Belongs: rounded(n.Probability)}
	if reasons := n.Because(); len(reasons) > 0 {
		r := &reasons[0]
		b.Kind, b.Reference, b.From, b.Gap = r.Kind, r.Reference, places[r.From], seconds(r.Gap)
		if r.Kind == graph.ReasonReference || r.Kind == graph.ReasonAnswer {
			b.Link = rounded(r.Probability)
		}
	}
	return b
}

// rounded returns a probability to a hundredth, which is as exact as people are told.
func rounded(p float64) float64 { return math.Round(p*100) / 100 }

func seconds(d time.Duration) int64 { return int64(d.Round(time.Second) / time.Second) }

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
