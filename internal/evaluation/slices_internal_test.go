package evaluation

import (
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/graph"
)

func TestMentionsAreSlicedByPaceAndPeople(t *testing.T) {
	for _, c := range []struct {
		name       string
		gap, pause time.Duration
		people     int
		soFar      int
		want       []slice
	}{
		{"first", time.Minute, time.Minute, 3, 0, []slice{sliceFirst}},
		{"second", time.Minute, time.Minute, 3, 1, []slice{sliceAll, sliceSecond}},
		{"neither slow nor busy", time.Minute, time.Minute, 3, 5, []slice{sliceAll}},
		{"slow", 10 * time.Minute, 10 * time.Minute, 3, 5, []slice{sliceAll, sliceSlow}},
		{"busy, two people", 10 * time.Second, 10 * time.Second, 2, 5, []slice{sliceAll, sliceBusy, sliceTwoPeople}},
		{"a short lull", 10 * time.Second, 2 * time.Minute, 3, 5, []slice{sliceAll, sliceBusy}},
		{"a pause", 10 * time.Second, 6 * time.Minute, 3, 5, []slice{sliceAll, sliceBusy, slicePause}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var messages []graph.Message
			at := time.Unix(0, 0)
			for i := range slicedBy + 1 {
				gap := c.gap
				if i == slicedBy {
					gap = c.pause
				}
				at = at.Add(gap)
				messages = append(messages, graph.Message{Author: graph.UserID(1 + i%c.people), Time: at})
			}
			if got := slicesOf(messages, slicedBy, c.soFar); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestSlicesAreReportedByCommunity(t *testing.T) {
	var o Outcome
	o.Community, o.Strategy = "here", "last-10"
	o.Slices[sliceAll] = SliceScore{Triggers: 4, F1: 2}
	o.Slices[sliceFirst] = SliceScore{Triggers: 2, Wasted: 30}
	var b strings.Builder
	if err := (sliced{o, o}).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(b.String()), " ")
	want := "here triggers last-10 all 8 0.500 first message of a talk 4 15 wasted"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
