package affinity_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"heddle/graph"
	"heddle/graph/affinity"
)

// stretched returns a channel of a hundred messages whose gaps are 10 seconds on average,
// so many times as slow.
func stretched(seed uint64, times int) []*graph.Message {
	random := rand.New(rand.NewPCG(seed, 13))
	window := randomTalk(random, 101)
	at := time.Unix(1_800_000_000, 0)
	for _, m := range window {
		at = at.Add(time.Duration(times*random.IntN(21)) * time.Second)
		m.Time, m.Origin, m.Answers = at, graph.OriginPerson, 0
	}
	return window
}

// TestHoursCountInSlowChannels compares channels that differ in nothing but how slow they
// are, as the quiet network alone judges them. It sees them alike. In the slow ones less is linked over long times.
func TestHoursCountInSlowChannels(t *testing.T) {
	const busy, slow, known = 4, 1024, 20
	model := affinity.NewModel(alone(shipped(t).Weights().Quiet))
	far := func(links graph.Links) (sum float64) {
		for j := 2 * known; j < links.Size(); j++ {
			for i, p := range links.Row(j)[:j-1] {
				sum += float64(p) * float64(j-i)
			}
		}
		return sum
	}
	for seed := range uint64(12) {
		want := model.Links(stretched(seed, 1))
		got, hours := model.Links(stretched(seed, busy)), model.Links(stretched(seed, slow))
		for j := range want.Size() {
			if !slices.Equal(got.Row(j), want.Row(j)) {
				t.Fatalf("channel %d: row %d differs among busy channels, want the same", seed, j)
			}
		}
		if far(hours) >= 0.97*far(want) {
			t.Errorf("channel %d: the links span %.1f messages in all where hours lie between, want less than 97%% of the %.1f where seconds do", seed, far(hours), far(want))
		}
	}
}
