package evaluation

import (
	"math"

	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/internal/selection"
)

const (
	// leastPlausible is how much likelier, as a natural logarithm, replies have to be
	// than messages drawn at random from those before.
	leastPlausible = 0.0
	// fewReplies is the least number of replies that is judged.
	fewReplies = 10
	// mostChecked bounds the replies of a log that are checked.
	mostChecked = 200
)

// implausible reports whether the replies of a log look as if they had been pressed at
// random. Learning from them would ruin what is learnt elsewhere.
func implausible(log *Log, model *affinity.Model) bool {
	gain, replies := plausibility(log, model)
	return replies >= fewReplies && gain < leastPlausible
}

// usualMost is the largest share of replies that is learnt from.
const usualMost = 0.8

// mostlyReplies reports whether people seem to press the reply button for everything.
func mostlyReplies(log *Log) bool {
	return log.Replies >= fewReplies && float64(log.Replies) > usualMost*float64(len(log.Messages))
}

// plausibility is how much likelier replies are than chance, and how many were checked.
func plausibility(log *Log, model *affinity.Model) (gain float64, replies int) {
	const history, floor = 100, 1e-4
	step := max(1, log.Replies/mostChecked)
	seen := 0
	for i := range log.Messages {
		parent := replyOf(&log.Messages[i])
		if parent < 0 {
			continue
		}
		if seen++; seen%step != 0 {
			continue
		}
		picked := selection.Last(history)(selection.Sight{Before: log.Messages[:i]}).Conversation
		picked = append(picked, i)
		window, at := make([]*graph.Message, len(picked)), -1
		for k, j := range picked {
			window[k] = &log.Messages[j]
			if j == parent {
				at = k
			}
		}
		if at < 0 {
			continue
		}
		hidden := unaddressed(mask(log.Messages[i]), log.Messages[parent].Author)
		window[len(window)-1] = &hidden
		row := model.Links(window).Row(len(window) - 1)
		gain += math.Log(max(floor, float64(row[at])) * float64(len(row)))
		replies++
	}
	return gain / float64(max(replies, 1)), replies
}
