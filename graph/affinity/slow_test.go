package affinity_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"heddle/graph"
	"heddle/graph/affinity"
)

// every returns a window of n messages by three people, with a pause of this length between
// each two.
func every(pause time.Duration, n int) []*graph.Message {
	texts := []string{"does the printer jam?", "only with the rear tray open", "the kiln is hot"}
	window := make([]*graph.Message, n)
	for i := range window {
		window[i] = &graph.Message{
			ID: graph.MessageID(i + 1), Author: graph.UserID(1 + i%3), Text: texts[i*7%5%3],
			Time: time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC).Add(time.Duration(i) * pause),
		}
	}
	return window
}

func TestThePaceDecidesWhichNetworkJudges(t *testing.T) {
	quiet, busy := shipped(t).Weights().Quiet, shipped(t).Weights().Busy
	both := affinity.NewModel(affinity.Weights{Quiet: quiet, Busy: busy})
	for name, c := range map[string]struct {
		pause time.Duration
		n     int
		busy  bool
	}{
		"a message every ten seconds":         {10 * time.Second, 60, true},
		"just short of two minutes":           {120 * time.Second, 60, true},
		"two minutes":                         {128 * time.Second, 60, false},
		"every hour":                          {time.Hour, 60, false},
		"eight messages, ten seconds apart":   {10 * time.Second, 8, true},
		"eight messages, an hour apart":       {time.Hour, 8, false},
		"two messages, an hour apart":         {time.Hour, 2, false},
		"more than a page, every ten seconds": {10 * time.Second, 101, true},
	} {
		window := every(c.pause, c.n)
		got := both.Links(window)
		if is := reflect.DeepEqual(got, affinity.NewModel(alone(quiet)).Links(window)); is == c.busy {
			t.Errorf("%s: judged by the quiet network: %v, want %v", name, is, !c.busy)
		}
		if is := reflect.DeepEqual(got, affinity.NewModel(alone(busy)).Links(window)); is != c.busy {
			t.Errorf("%s: judged by the busy network: %v, want %v", name, is, c.busy)
		}
	}
}

// alone returns weights of a single network, which judges at every pace.
func alone(net *affinity.Network) affinity.Weights { return affinity.Weights{Quiet: net, Busy: net} }

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
