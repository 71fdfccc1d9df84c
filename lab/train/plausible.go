package train

import (
	"math"

	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/internal/evaluation"
	"heddle/lab/chatlog"
)

const (
	// leastPlausible is the natural logarithm of how much likelier replies must be than
	// random earlier messages.
	leastPlausible = 0.0
	// fewReplies is the least number of replies for a judgement.
	fewReplies = 10
	// mostChecked bounds the replies of a log that are checked.
	mostChecked = 200
)

// implausible reports whether the replies of a log look random. Learning from such a
// log would spoil what is learnt from others.
func implausible(log *chatlog.Log, model *affinity.Model) bool {
	gain, replies := plausibility(log, model)
	return replies >= fewReplies && gain < leastPlausible
}

// usualMost is the greatest share of replies in a log that is learnt from.
const usualMost = 0.8

// mostlyReplies reports whether people seem to use the reply button for nearly every
// message.
func mostlyReplies(log *chatlog.Log) bool {
	return log.Replies >= fewReplies && float64(log.Replies) > usualMost*float64(len(log.Messages))
}

// plausibility returns the natural logarithm of how much likelier replies are than
// random messages, and how many replies were checked.
func plausibility(log *chatlog.Log, model *affinity.Model) (gain float64, replies int) {
	const history, floor = 100, 1e-4
	step := max(1, log.Replies/mostChecked)
	seen := 0
	for i := range log.Messages {
		parent := evaluation.ReplyOf(&log.Messages[i])
		if parent < 0 {
			continue
		}
		if seen++; seen%step != 0 {
			continue
		}
		chosen, _ := evaluation.Last(history)(evaluation.Sight{Before: log.Messages[:i]})
		picked := chosen.Conversation
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
		hidden := chatlog.WithoutAddress(chatlog.WithoutReply(log.Messages[i]), log.Messages[parent].Author)
		window[len(window)-1] = &hidden
		row := model.Links(window).Row(len(window) - 1)
		gain += math.Log(max(floor, float64(row[at])) * float64(len(row)))
		replies++
	}
	return gain / float64(max(replies, 1)), replies
}
