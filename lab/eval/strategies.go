package eval

import (
	"slices"
	"strings"
	"time"

	"heddle/graph"
	"heddle/internal/evaluation"
	"heddle/internal/terminal"
)

// windowLength is how far back the strategy "window" looks.
const windowLength = 10 * time.Minute

// compared returns the strategies to compare. options configures heddle's.
func compared(options graph.Options) Strategies {
	plain := graph.DefaultOptions()
	plain.MinLinear, plain.MaxTotal = options.MinLinear, options.MaxTotal
	all := options.MaxTotal
	return Strategies{
		{Rival: evaluation.Rival{Name: "last-10", Strategy: evaluation.Last(10)}},
		{Rival: evaluation.Rival{Name: "last-30", Strategy: evaluation.Last(30)}},
		{Rival: evaluation.Rival{Name: "last-60", Strategy: evaluation.Last(60)}},
		{Rival: evaluation.Rival{Name: "10-min", Strategy: evaluation.Window(windowLength, all)}},
		{Rival: evaluation.Rival{Name: "chain", Strategy: evaluation.ReplyChain(all)}, Linked: true},
		{Rival: evaluation.Rival{Name: "plain", Strategy: evaluation.Heddle(plain)}},
		{Rival: evaluation.Rival{Name: heddleName, Strategy: evaluation.Heddle(options)}, Linked: true},
	}
}

const heddleName = "heddle"

// parentOf returns the index of the message that a trigger most likely answers, or -1 if it
// most likely answers none: what heddle's graph says or, without one, the last message of a
// chain.
func parentOf(chosen *evaluation.Chosen) int {
	g := chosen.Graph
	if g == nil {
		if last := len(chosen.Conversation) - 1; last >= 0 {
			return chosen.Conversation[last]
		}
		return -1
	}
	best, parent, none := 0.0, -1, 1.0
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.From != g.Trigger.ID || e.Kind != graph.EdgeReference || e.To == 0 || e.Reference == graph.ReferenceAddress {
			continue
		}
		none -= e.Probability
		if e.Probability > best {
			best, parent = e.Probability, evaluation.Index(e.To)
		}
	}
	if best < none {
		return -1
	}
	return parent
}

// named returns the strategies of the given names, or all of them if no name is given.
func (s Strategies) named(names []string) (Strategies, error) {
	if len(names) == 0 {
		return s, nil
	}
	var known []string
	for i := range s {
		known = append(known, s[i].Name)
	}
	var kept Strategies
	for _, name := range names {
		at := slices.Index(known, name)
		if at < 0 {
			return nil, terminal.Errorf("there is no strategy %q; choose from %s", name, strings.Join(known, ", "))
		}
		kept = append(kept, s[at])
	}
	return kept, nil
}
