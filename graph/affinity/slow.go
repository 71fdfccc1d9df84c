package affinity

import (
	"math"
	"slices"
)

// The network sees times in units of the channel's own pace, and has learnt mostly from
// busy channels. To it, an hour in a slow channel is like a minute in a busy one. But after
// hours people seldom continue their conversation, however slow the channel is. correctSlow
// corrects that. Its constants were fitted to what networks found in
// communities that they had not learnt from; docs/context-quality.md has the figures.
const (
	slowGaps  = 20 // the most gaps before a message that show how slow or busy the channel is
	slowFrom  = 7  // log₂ of the seconds of their mean above which a channel is slow: two minutes
	slowFully = 10 // the same for a channel that is fully slow: 17 minutes
	mostTime  = 20 // log₂ of the seconds above which times count alike: twelve days

	slowDoubt = 0.13  // the share by which all scores are reduced, as the network is too certain
	slowFar   = 0.09  // subtracted from a link's score for each doubling of its time, from a second
	slowNext  = 0.045 // as much less for a link to the message right before
	slowNone  = 0.5   // subtracted from the score of "none", as the links lose as much on average
)

// paceKnown returns how well the messages before message j show how slow the channel is,
// from 0 to 1. The first twenty do not show it.
func paceKnown(j int) float32 {
	return min(1, float32(max(0, j-slowGaps))/slowGaps)
}

// meanGap returns log₂ of the seconds of the mean gap between messages at these times. One
// message has no gap, and its channel is as busy as can be.
func meanGap(times []float64) float32 {
	last := len(times) - 1
	return log2(float32((times[last] - times[0]) / float64(max(1, last))))
}

// correctSlow corrects the scores of the row of message j, the last of them that of "none",
// by how slow the channel is, as far as that is known. It leaves the scores of teachers as
// they are, as their pupil would learn the correction and then be corrected again.
func (w *window) correctSlow(j int, scores []float32) {
	if j <= slowGaps || !w.asked() {
		return
	}
	mean := meanGap(w.times[j-slowGaps : j+1])
	slow := paceKnown(j) * min(1, max(0, (mean-slowFrom)/(slowFully-slowFrom)))
	if slow <= 0 {
		return
	}
	left := 1 - float32(slowDoubt*slow)
	for i, score := range scores[:j] {
		if score == unjudged {
			continue
		}
		perDoubling := float32(slowFar)
		if i == j-1 {
			perDoubling -= slowNext
		}
		doublings := min(mostTime, max(0, log2(float32(w.times[j]-w.times[i]))))
		scores[i] = float32(score*left) - float32(slow*float32(perDoubling*doublings))
	}
	scores[j] = float32(scores[j]*left) - float32(slow*slowNone)
}

// isBusy reports whether the busy network judges the row of message j: the channel is not
// slow, as less than two minutes pass between messages. The first messages of a window have
// the pace of the messages after them, without a mention. A teacher is the only network, so
// its answer makes no difference.
func (w *window) isBusy(j int) bool {
	first := max(0, j-slowGaps)
	return meanGap(w.times[first:min(max(w.before, j+1), first+slowGaps+1)]) < slowFrom
}

// After a pause of a quarter of an hour or more, people seldom continue the conversation
// before it. The networks see pauses in units of the channel's pace. Where few messages are
// known, one long pause makes up most of that pace and so hides itself. There correctPauses
// counts pauses in hours. Its constants were fitted to channels of PyScript with ten known
// messages before each; docs/context-quality.md has the figures.
const (
	pauseFrom = 10   // log₂ of the seconds above which a pause counts: 17 minutes
	pauseCost = 0.15 // subtracted from a link's score for each doubling beyond that of the longest pause that it spans
)

// correctPauses corrects the scores of the links of message j for the pauses that they span,
// as far as the messages before it do not show the pace. It leaves the scores of teachers as
// they are, as correctSlow does.
func (w *window) correctPauses(j int, scores []float32) {
	unknown := 1 - paceKnown(j)
	if unknown <= 0 || !w.asked() {
		return
	}
	longest := float32(0)
	for i := j - 1; i >= 0; i-- {
		longest = max(longest, float32(w.times[i+1]-w.times[i]))
		if scores[i] == unjudged || longest <= 1<<pauseFrom {
			continue
		}
		doublings := min(mostTime, log2(longest)) - pauseFrom
		scores[i] -= float32(unknown * float32(pauseCost*doublings))
	}
}

const (
	paceGaps = 50 // the gaps that make up the pace
	paceTrim = 5  // the number of the shortest, and of the longest, that are left out
	minPace  = 1e-3
)

// paces computes for every message of a window the channel's pace before it, in seconds:
// the trimmed mean of the last 50 gaps. If there are fewer before a message, that of the
// window's first 50.
func paces(times []float64, pace []float64) {
	for j := range pace {
		end := min(max(j, paceGaps), len(times)-1)
		pace[j] = lastPace(times[:end+1])
	}
}

// lastPace returns the pace before the last message of a window: of the last 50 gaps.
func lastPace(times []float64) float64 {
	if len(times) < 2 {
		return 1
	}
	gaps := make([]float64, 0, paceGaps)
	for k := max(1, len(times)-paceGaps); k < len(times); k++ {
		gaps = append(gaps, times[k]-times[k-1])
	}
	slices.Sort(gaps)
	trim := len(gaps) * paceTrim / paceGaps
	kept := gaps[trim : len(gaps)-trim]
	sum := 0.0
	for _, x := range kept {
		sum += x
	}
	return max(minPace, sum/float64(len(kept)))
}

// log2 returns the binary logarithm, linear between powers of two: exact enough to place a
// value between knots, and the same on every machine.
func log2(x float32) float32 {
	if x < 1e-20 {
		return -66
	}
	bits := math.Float32bits(x)
	exponent := int32(bits>>23) - 127
	mantissa := math.Float32frombits(bits&0x7fffff | 0x3f800000) // in [1, 2)
	return float32(exponent) + mantissa - 1
}
