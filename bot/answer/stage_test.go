package answer_test

import (
	"testing"

	"heddle/internal/leaktest"
	"heddle/internal/roomtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// stage is an environment with Answers to test.
type stage struct{ *roomtest.Stage }

// newStage returns a stage whose model answers what tests queue.
func newStage(t *testing.T, choices ...roomtest.Choice) *stage {
	t.Helper()
	return &stage{roomtest.NewStage(t, choices...)}
}
