package eval

import (
	"slices"

	"heddle/internal/evaluation"
	"heddle/lab/chatlog"
)

// certaintyBins is the number of ranges of probability in a Calibration.
const certaintyBins = 10

// Calibration compares claimed probabilities with the truth, by range of probability.
type Calibration [certaintyBins]struct{ Count, Claimed, True float64 }

// claim counts a message that was claimed to belong with probability p.
//
//nolint:revive // what is true is counted, no function is chosen
func (c *Calibration) claim(p float64, belongs bool) {
	bin := &c[min(certaintyBins-1, max(0, int(p*certaintyBins)))]
	bin.Count++
	bin.Claimed += p
	if belongs {
		bin.True++
	}
}

// compare compares the probabilities of the messages chosen for a trigger with people's
// marks.
func (c *Calibration) compare(log *chatlog.Log, trigger int, chosen *evaluation.Chosen) {
	if chosen.Graph == nil {
		return
	}
	for _, node := range slices.Concat(chosen.Graph.Conversation, chosen.Graph.Background) {
		if talk := log.Gold[evaluation.Index(node.Message.ID)].Conversation; talk != 0 {
			c.claim(node.Probability, talk == log.Gold[trigger].Conversation)
		}
	}
}

func (c *Calibration) plus(o *Calibration) {
	for k := range c {
		c[k].Count += o[k].Count
		c[k].Claimed += o[k].Claimed
		c[k].True += o[k].True
	}
}

// Error is the expected calibration error: how far, on average over all messages,
// the share that belongs lies from the probability claimed.
func (c *Calibration) Error() float64 {
	off, count := 0.0, 0.0
	for k := range c {
		off += abs(c[k].Claimed - c[k].True)
		count += c[k].Count
	}
	return off / max(count, 1)
}

func abs(x float64) float64 { return max(x, -x) }
