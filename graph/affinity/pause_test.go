package affinity_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"heddle/graph"
)

// paused returns messages a minute apart on average, with this pause before the last four of
// them.
func paused(seed uint64, n int, pause time.Duration) []*graph.Message {
	random := rand.New(rand.NewPCG(seed, 17))
	window := randomTalk(random, n)
	at := time.Unix(1_800_000_000, 0)
	for i, m := range window {
		if i == n-4 {
			at = at.Add(pause)
		}
		at = at.Add(time.Duration(random.IntN(121)) * time.Second)
		m.Time, m.Origin, m.Answers, m.References = at, graph.OriginPerson, 0, nil
	}
	return window
}

// TestPausesAreLongWhereLittleIsKnown asks in channels in which hardly anything was said
// before a pause. The longer the pause, the less is linked across it, although it makes up
// most of the channel's pace.
func TestPausesAreLongWhereLittleIsKnown(t *testing.T) {
	across := func(seed uint64, n int, pause time.Duration) (sum float64) {
		links := shipped(t).Links(paused(seed, n, pause))
		for j := n - 4; j < n; j++ {
			for _, p := range links.Row(j)[:n-4] {
				sum += float64(p)
			}
		}
		return sum
	}
	for seed := range uint64(12) {
		for _, n := range []int{6, 10, 20} {
			hour, day, month := across(seed, n, time.Hour), across(seed, n, 24*time.Hour), across(seed, n, 720*time.Hour)
			if day > 0.95*hour || month > 0.99*day {
				t.Errorf("channel %d, %d messages: %.2f is linked across an hour, %.2f across a day and %.2f across a month; want less each time", seed, n, hour, day, month)
			}
		}
	}
}
