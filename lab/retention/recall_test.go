package retention_test

import (
	"bytes"
	"strings"
	"testing"

	"heddle/internal/errtest"
	"heddle/lab/retention"
)

// TestNeededExchangesAreRecalled measures scripted conversations of 200 turns whose
// answers have no confidence.
func TestNeededExchangesAreRecalled(t *testing.T) {
	report := errtest.Must(retention.Measure(t.Context(), nil, retention.Simulation{Scripts: 10}, func() {}))(t)
	for _, row := range report.Recall {
		recall := row.Ways["retention and recall"]
		for _, way := range []string{"window", "retention"} {
			if row.Ways[way].Most != 0 {
				t.Errorf("%s: the %s still holds %.0f%% of what was told 150 turns ago, want none", row.Kind, way, 100*row.Ways[way].Most)
			}
		}
		if shares := row.Kind != "other words"; shares && recall.Least < 0.9 || !shares && recall.Most > 0.2 {
			t.Errorf("%s: %.0f%% come back, want at least 90%% if words are shared, and at most 20%% otherwise", row.Kind, 100*recall.Mean)
		}
	}
	var text bytes.Buffer
	if err := report.WriteText(&text); err != nil || !strings.Contains(text.String(), "needed 150 turns later, confidence absent") {
		t.Errorf("as text (%v): %s, want no error and %q in it", err, text.String(), "needed 150 turns later, confidence absent")
	}
}
