package answer

import (
	"testing"
	"time"

	"heddle/bot/limits"
	"heddle/graph"
)

func TestNobodyIsToldTwiceOfALimit(t *testing.T) {
	t.Parallel()
	began := time.Unix(1_700_000_000, 0)
	soon, late := began.Add(3*time.Minute), began.Add(time.Hour)
	told := newRefusals()
	for i, step := range []struct {
		after   time.Duration
		person  graph.UserID
		channel graph.ChannelID
		of      limits.Whose
		until   time.Time
		want    bool
	}{
		{0, 1, 1, limits.OfPerson, late, true},
		{0, 1, 1, limits.OfPerson, late, false},
		{0, 2, 1, limits.OfPerson, late, true},
		{0, 1, 2, limits.OfPerson, late, true},
		{0, 1, 1, limits.OfAll, soon, true},
		{silence - 1, 1, 1, limits.OfPerson, late, false},
		{silence, 1, 1, limits.OfPerson, late, true},
		{silence, 1, 1, limits.OfPerson, late, false},
		{3 * time.Minute, 1, 1, limits.OfAll, late, true}, // the window before has ended
		{0, 1, 1, limits.OfAnswer, time.Time{}, true},
		{0, 1, 1, limits.OfAnswer, time.Time{}, true},
	} {
		e := &limits.ExceededError{Whose: step.of, Until: step.until}
		if got := told.notify(step.person, step.channel, e, began.Add(step.after)); got != step.want {
			t.Errorf("in step %d somebody is told: %t", i+1, got)
		}
	}
}
