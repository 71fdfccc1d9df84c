package recall_test

import (
	"slices"
	"testing"

	"heddle/graph"
	"heddle/graph/recall"
)

// TestNearFindsWhatStandsOutBeforeAQuestion has one exchange that is like the question, among
// others that are not.
func TestNearFindsWhatStandsOutBeforeAQuestion(t *testing.T) {
	const before = 100
	like, unlike := []int8{127, 0}, []int8{0, 127}
	others := func(n int) (all []recall.Meaning) {
		for i := range n {
			all = append(all, recall.Meaning{Anchor: graph.MessageID(i + 1), Values: unlike})
		}
		return all
	}
	for name, test := range map[string]struct {
		others int
		found  recall.Meaning
		want   bool
	}{
		"before the question":     {30, recall.Meaning{Anchor: before - 1, Values: like}, true},
		"the question itself":     {30, recall.Meaning{Anchor: before, Values: like}, false},
		"after the question":      {30, recall.Meaning{Anchor: before + 1, Values: like}, false},
		"of another model":        {30, recall.Meaning{Anchor: before - 1, Values: []int8{127, 0, 0}}, false},
		"as few as can stand out": {11, recall.Meaning{Anchor: before - 1, Values: like}, true},
		"too few":                 {10, recall.Meaning{Anchor: before - 1, Values: like}, false},
		"like all others":         {30, recall.Meaning{Anchor: before - 1, Values: unlike}, false},
	} {
		got := recall.Near([]float32{1, 0}, append(others(test.others), test.found), before, 3)
		found := slices.ContainsFunc(got, func(s recall.Scored) bool { return s.Anchor == test.found.Anchor })
		if found != test.want || len(got) > 1 {
			t.Errorf("%s: found is %v, want %s among them: %t", name, got, test.found.Anchor, test.want)
		}
	}
}
