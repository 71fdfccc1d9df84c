package affinity_test

import (
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
	quiet, busy := affinity.NewTrainer(3).Network(), affinity.NewTrainer(4).Network()
	both := affinity.NewModel(affinity.Weights{Quiet: quiet, Busy: busy})
	equal := func(a, b graph.Links) bool {
		for j := range a.Size() {
			if !slices.Equal(a.Row(j), b.Row(j)) {
				return false
			}
		}
		return true
	}
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
		if is := equal(got, affinity.NewModel(alone(quiet)).Links(window)); is == c.busy {
			t.Errorf("%s: judged by the quiet network: %v, want %v", name, is, !c.busy)
		}
		if is := equal(got, affinity.NewModel(alone(busy)).Links(window)); is != c.busy {
			t.Errorf("%s: judged by the busy network: %v, want %v", name, is, c.busy)
		}
	}
}

// TestAChannelThatGrowsQuietChangesItsNetwork asks in a channel whose pace changes within the
// window. Each message is judged by the network for the pace before it.
func TestAChannelThatGrowsQuietChangesItsNetwork(t *testing.T) {
	quiet, busy := affinity.NewTrainer(3).Network(), affinity.NewTrainer(4).Network()
	window := every(10*time.Second, 80)
	for i, m := range window[40:] {
		m.Time = m.Time.Add(time.Duration(i+1) * time.Hour)
	}
	got := affinity.NewModel(affinity.Weights{Quiet: quiet, Busy: busy}).Links(window)
	if want := affinity.NewModel(alone(busy)).Links(window); !slices.Equal(got.Row(39), want.Row(39)) {
		t.Error("the last row before the channel grows quiet differs from that of the busy network, want the same")
	}
	if want := affinity.NewModel(alone(busy)).Links(window); slices.Equal(got.Row(79), want.Row(79)) {
		t.Error("the last row is that of the busy network, want another")
	}
}
