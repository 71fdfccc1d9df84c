package eval

import (
	"slices"
	"strings"
	"time"

	"heddle/graph"
	"heddle/internal/evaluation"
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
		{Rival: evaluation.Rival{Name: "plain", Strategy: evaluation.Heddle{Options: plain}}},
		{Rival: evaluation.Rival{Name: heddleName, Strategy: evaluation.Heddle{Options: options}}, Linked: true},
	}
}

const heddleName = "heddle"

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
			return nil, evaluation.Errorf("there is no strategy %q; choose from %s", name, strings.Join(known, ", "))
		}
		kept = append(kept, s[at])
	}
	return kept, nil
}
