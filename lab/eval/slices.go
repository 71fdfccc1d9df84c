package eval

import (
	"slices"
	"time"

	"heddle/graph"
)

// A slice is a kind of trigger, defined by the messages right before it.
type slice int

const (
	sliceAll slice = iota
	sliceSlow
	sliceBusy
	sliceTwoPeople
	slicePause
	sliceSecond
	sliceFirst
	sliceCount
)

// String returns the name of a slice as tables show it.
func (s slice) String() string {
	return [sliceCount]string{
		"all", "slow", "busy", "two people", "after a pause", "second message of a talk", "first message of a talk",
	}[s]
}

const (
	slicedBy  = 20               // messages before a trigger that determine its slices
	slowSpan  = 2 * time.Hour    // least duration of these messages in a slow channel
	busySpan  = 10 * time.Minute // greatest duration of these messages in a busy channel
	pauseOver = 10               // least length of a pause, in medians of their gaps
	leastLull = 5 * time.Minute  // least length of a pause
)

// SliceScore is the result of one strategy on the triggers of a slice. The values are
// sums. F1 is undefined for the first message of a talk.
type SliceScore struct {
	Triggers int     `json:"triggers"`
	F1       float64 `json:"f1"`
	Wasted   float64 `json:"wasted"` // characters of other conversations
}

func (s SliceScore) plus(score Score) SliceScore {
	return SliceScore{s.Triggers + 1, s.F1 + score.F1, s.Wasted + score.Wasted}
}

// slicesOf returns the slices of a trigger whose conversation has soFar earlier
// messages.
func slicesOf(messages []graph.Message, trigger, soFar int) []slice {
	in := []slice{sliceAll}
	switch soFar {
	case 0:
		return []slice{sliceFirst}
	case 1:
		in = append(in, sliceSecond)
	}
	var times []time.Time // newest first
	authors := map[graph.UserID]bool{messages[trigger].Author: true}
	for i := trigger - 1; i >= 0 && len(times) < slicedBy; i-- {
		if !messages[i].System {
			times = append(times, messages[i].Time)
			authors[messages[i].Author] = true
		}
	}
	if len(times) < slicedBy {
		return in
	}
	switch span := times[0].Sub(times[slicedBy-1]); {
	case span >= slowSpan:
		in = append(in, sliceSlow)
	case span <= busySpan:
		in = append(in, sliceBusy)
	}
	if len(authors) <= 2 {
		in = append(in, sliceTwoPeople)
	}
	var gaps []time.Duration
	for k, at := range times[1:] {
		gaps = append(gaps, times[k].Sub(at))
	}
	slices.Sort(gaps)
	if pause := messages[trigger].Time.Sub(times[0]); pause >= max(leastLull, pauseOver*gaps[len(gaps)/2]) {
		in = append(in, slicePause)
	}
	return in
}
