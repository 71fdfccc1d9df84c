package affinity

// The network sees times in units of the channel's own pace. So it takes an hour in a slow
// channel for what a minute is in a busy one, and most of what it learnt from was busy. But
// after hours people seldom go on with what they said before, however slow the channel is.
// The correction of this was fitted to what networks found in communities that they had not
// learnt from; docs/context-quality.md has the figures.
const (
	slowGaps  = 20 // gaps before a message that tell how slow the channel is
	slowFrom  = 7  // binary logarithm of their mean in seconds from which on it counts
	slowFully = 10 // and from which on it counts fully
	mostTime  = 20 // binary logarithm of the longest time that is told apart, in seconds

	slowDoubt = 0.13  // share of all scores that goes: the network is too sure
	slowFar   = 0.09  // taken from a link for each doubling of its time
	slowNext  = 0.045 // given back where it leads to the message right before
	slowNone  = 0.5   // taken from "none", for what the links lose on average
)

// slowness returns how slow the channel is before message j, from 0 to 1. Few messages do
// not tell.
func (w *window) slowness(j int) float32 {
	if j <= slowGaps {
		return 0
	}
	mean := log2(float32((w.times[j] - w.times[j-slowGaps]) / slowGaps))
	known := float32(j-slowGaps) / slowGaps
	return min(1, known) * min(1, max(0, (mean-slowFrom)/(slowFully-slowFrom)))
}

// correctSlow corrects the scores of what message j answers, the last of them that of
// "none", by how slow the channel is. What teaches a network is left as it is, so that the
// network does not learn the correction as well.
func (w *window) correctSlow(j int, scores []float32) {
	slow := w.slowness(j)
	if slow <= 0 || !w.asked {
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
