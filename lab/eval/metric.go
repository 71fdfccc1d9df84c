package eval

import "heddle/lab/chatlog"

// recallBound is the greatest number of messages that a strategy is expected to find,
// which is the default of MAX_TOTAL.
const recallBound = 30

// Score is the quality of one selection, or the mean of many.
type Score struct {
	Precision  float64 `json:"precision"` // share of the selected annotated messages that belong to the conversation
	Recall     float64 `json:"recall"`    // share of the conversation so far that was selected; of long ones 30 messages count
	F1         float64 `json:"f1"`
	Characters float64 `json:"characters"` // characters of the selected annotated messages
	Wasted     float64 `json:"wasted"`     // how many of these belong to other conversations
}

// soFar returns for every message the number of chat messages of its conversation that
// came before it. An annotated message with at least one is a trigger.
func soFar(log *chatlog.Log) []int {
	counts := make([]int, len(log.Gold))
	held := map[int]int{}
	for i := range log.Gold {
		conversation := log.Gold[i].Conversation
		if conversation == 0 || log.Messages[i].System {
			continue
		}
		counts[i] = held[conversation]
		held[conversation]++
	}
	return counts
}

// score scores what was selected for a trigger whose conversation has soFar earlier
// messages. Messages without annotations are ignored.
func score(log *chatlog.Log, trigger, soFar int, selected ...[]int) Score {
	var s Score
	annotated, right := 0, 0
	conversation := log.Gold[trigger].Conversation
	for _, list := range selected {
		for _, i := range list {
			g := &log.Gold[i]
			if g.Conversation == 0 {
				continue
			}
			annotated++
			s.Characters += float64(g.Characters)
			if g.Conversation == conversation {
				right++
			} else {
				s.Wasted += float64(g.Characters)
			}
		}
	}
	if right == 0 {
		return s
	}
	s.Precision = float64(right) / float64(annotated)
	s.Recall = min(1, float64(right)/float64(min(soFar, recallBound)))
	s.F1 = 2 * s.Precision * s.Recall / (s.Precision + s.Recall)
	return s
}

// plus returns the sum of two scores.
func (s Score) plus(o Score) Score {
	return Score{
		Precision: s.Precision + o.Precision, Recall: s.Recall + o.Recall, F1: s.F1 + o.F1,
		Characters: s.Characters + o.Characters, Wasted: s.Wasted + o.Wasted,
	}
}

// over returns the mean of a sum of n scores.
func (s Score) over(n int) Score {
	d := float64(max(n, 1))
	return Score{Precision: s.Precision / d, Recall: s.Recall / d, F1: s.F1 / d, Characters: s.Characters / d, Wasted: s.Wasted / d}
}

// times is the inverse of over: it returns the sum of n scores with the mean s.
func (s Score) times(n int) Score {
	f := float64(n)
	return Score{Precision: s.Precision * f, Recall: s.Recall * f, F1: s.F1 * f, Characters: s.Characters * f, Wasted: s.Wasted * f}
}
