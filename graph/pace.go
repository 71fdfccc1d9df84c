package graph

import (
	"math"
	"slices"
	"time"
)

// A channel's pace is the mean of its last gaps, without the smallest and the largest
// of them, so that neither a burst nor a night decides. Every other duration here is a
// multiple of the pace, so that a channel which is sixty times slower is treated alike.
const (
	paceGaps = 50
	paceTrim = 0.1 // the share of the gaps that is dropped at each end
	// paceThreshold is the number of times the pace that a gap may last before it
	// seals. On annotated logs, 3 to 8 do as well as ten minutes; below 3, talks break.
	paceThreshold = 5
	// paceFloor is the least gap that seals because of the pace. A burst of messages
	// within milliseconds does not show how long people take to read and write.
	paceFloor = 10 * time.Second
)

// gap returns the time between two neighbours. It is zero between an answer of heddle's
// and what it answers, or what was said before it arrived.
func gap(older, newer *Message) time.Duration {
	if newer.Answers != 0 && newer.Answers == older.ID {
		return 0
	}
	return max(newer.Time.Sub(older.Time), 0)
}

// threshold returns the longest gap that a walk crosses, by the options or by the pace
// of the messages before the trigger. If there are none, every gap may be crossed.
func (l *line) threshold(fixed time.Duration) time.Duration {
	if fixed != AutoThreshold {
		return fixed
	}
	gaps := make([]time.Duration, 0, paceGaps)
	for at := 0; len(gaps) < paceGaps; {
		older := l.entries[at].beside[Older]
		if older < 0 {
			break
		}
		gaps = append(gaps, gap(l.entries[older].message, l.entries[at].message))
		at = older
	}
	return paceLimit(gaps)
}

// paceLimit returns the longest gap that is usual among gaps, at least paceFloor. It
// sorts gaps.
func paceLimit(gaps []time.Duration) time.Duration {
	pace, ok := trimmedMean(gaps)
	if !ok {
		return math.MaxInt64
	}
	return max(time.Duration(min(pace*paceThreshold, math.MaxInt64)), paceFloor)
}

// trimmedMean sorts gaps and returns the mean of those in the middle, in nanoseconds.
func trimmedMean(gaps []time.Duration) (mean float64, ok bool) {
	if len(gaps) == 0 {
		return 0, false
	}
	slices.Sort(gaps)
	cut := int(math.Ceil(float64(len(gaps)) * paceTrim))
	if 2*cut >= len(gaps) {
		cut = 0
	}
	sum := 0.0
	for _, g := range gaps[cut : len(gaps)-cut] {
		sum += float64(g)
	}
	return sum / float64(len(gaps)-2*cut), true
}
