package affinity

// After a pause of a quarter of an hour or more, people seldom go on with what they said
// before it. The networks see pauses in units of the channel's pace. Where few messages are
// known, one long pause makes up most of that pace and so hides itself. There correctPauses
// counts pauses in hours. Its constants were fitted to channels of PyScript of which ten
// messages before each are known; docs/context-quality.md has the figures.
const (
	pauseFrom = 10   // log₂ of the seconds from which on a pause counts: 17 minutes
	pauseCost = 0.15 // this is taken from a link's score for each doubling from there of the longest pause that it spans
)

// correctPauses corrects the scores of the links of message j for the pauses that they span,
// as far as the messages before it do not show the pace. It leaves the scores of teachers as
// they are, as correctSlow does.
func (w *window) correctPauses(j int, scores []float32) {
	unknown := 1 - paceKnown(j)
	if unknown <= 0 || !w.asked {
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
