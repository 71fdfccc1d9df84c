package playground

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/internal/golden"
)

// TestTheChannelsArePartedIntoTheirTalks compares the talks that the built-in weights
// find in the channels with testdata/talks.txt. New weights may find other talks:
// review the differences before you write them with -update.
func TestTheChannelsArePartedIntoTheirTalks(t *testing.T) {
	model, err := affinity.Default()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, s := range scenes() {
		messages, _ := said(s)
		fmt.Fprintf(&b, "# %s\n", s.name)
		for n, talk := range graph.Part(messages, graph.Options{Affinity: model}) {
			fmt.Fprintf(&b, "\ntalk %d\n", n+1)
			for i := range talk.Messages {
				m := &talk.Messages[i]
				fmt.Fprintf(&b, "%3d  %s: %s", m.ID, m.Name, m.Text)
				if to := talk.Answers[i]; to >= 0 {
					fmt.Fprintf(&b, "  → %d", talk.Messages[to].ID)
				}
				b.WriteByte('\n')
			}
		}
		b.WriteByte('\n')
	}
	golden.Check(t, filepath.Join("testdata", "talks.txt"), b.String())
}
