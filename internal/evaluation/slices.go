package evaluation

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
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

// sliced is a report of the F1 of every strategy by slice, over all logs of a
// community.
type sliced []Outcome

// WriteText writes a table with a row for every slice of a community that has triggers.
// For first messages of talks it shows the characters of other conversations instead of
// F1.
func (r sliced) WriteText(w io.Writer) error {
	var strategies, communities []string
	sums := map[string]*[sliceCount]SliceScore{}
	for i := range r {
		o := &r[i]
		if !slices.Contains(strategies, o.Strategy) {
			strategies = append(strategies, o.Strategy)
		}
		if !slices.Contains(communities, o.Community) {
			communities = append(communities, o.Community)
		}
		key := o.Community + "\x00" + o.Strategy
		if sums[key] == nil {
			sums[key] = &[sliceCount]SliceScore{}
		}
		for s, score := range o.Slices {
			sum := &sums[key][s]
			*sum = SliceScore{sum.Triggers + score.Triggers, sum.F1 + score.F1, sum.Wasted + score.Wasted}
		}
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range communities {
		fmt.Fprintf(table, "\n%s\ttriggers", c)
		for _, name := range strategies {
			fmt.Fprintf(table, "\t%s", name)
		}
		fmt.Fprint(table, "\n")
		for s := range sliceCount {
			n := sums[c+"\x00"+strategies[0]][s].Triggers
			if n == 0 {
				continue
			}
			fmt.Fprintf(table, "%s\t%d", s, n)
			for _, name := range strategies {
				sum := &sums[c+"\x00"+name][s]
				if s == sliceFirst {
					fmt.Fprintf(table, "\t%.0f wasted", sum.Wasted/float64(n))
				} else {
					fmt.Fprintf(table, "\t%.3f", sum.F1/float64(n))
				}
			}
			fmt.Fprint(table, "\n")
		}
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the report by slice: %w", err)
	}
	return nil
}
