package evaluation

import (
	"slices"
	"strings"
	"time"

	"heddle/graph"
	"heddle/internal/chatlog"
	"heddle/internal/selection"
)

// windowLength is how far back the strategy "window" looks.
const windowLength = 10 * time.Minute

// compared returns the strategies to compare. options configures heddle's.
func compared(options graph.Options) Strategies {
	plain := graph.DefaultOptions()
	plain.MinLinear, plain.MaxTotal = options.MinLinear, options.MaxTotal
	all := options.MaxTotal
	return Strategies{
		{Name: "last-10", Make: func() selection.Strategy { return selection.Last(10) }},
		{Name: "last-30", Make: func() selection.Strategy { return selection.Last(30) }},
		{Name: "10-min", Make: func() selection.Strategy { return selection.Window(windowLength, all) }},
		{Name: "chain", Make: func() selection.Strategy { return selection.ReplyChain(all) }, Linked: true},
		{Name: "plain", Make: func() selection.Strategy { return expand{plain} }},
		{Name: heddleName, Make: func() selection.Strategy { return expand{options} }, Linked: true},
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
			return nil, chatlog.Errorf("there is no strategy %q; choose from %s", name, strings.Join(known, ", "))
		}
		kept = append(kept, s[at])
	}
	return kept, nil
}
