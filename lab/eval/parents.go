package eval

import (
	"slices"

	"heddle/internal/evaluation"
)

// Parents measures how well the messages that people replied to are found when the
// replies are hidden. The values are means over all replies of a log.
type Parents struct {
	Replies        int     `json:"replies"`
	InConversation float64 `json:"in_conversation"` // share of the replies whose parent is in the conversation
	InSent         float64 `json:"in_sent"`
	Conversation   float64 `json:"conversation"` // number of messages chosen for the conversation
	Sent           float64 `json:"sent"`
}

// parentsOf returns the measurement of one reply, given its parent and what was chosen.
func parentsOf(parent int, chosen *evaluation.Chosen) Parents {
	sent := slices.Concat(chosen.Conversation, chosen.Background, chosen.Recalled)
	p := Parents{Replies: 1, Conversation: float64(len(chosen.Conversation)), Sent: float64(len(sent))}
	if slices.Contains(chosen.Conversation, parent) {
		p.InConversation = 1
	}
	if slices.Contains(sent, parent) {
		p.InSent = 1
	}
	return p
}

// plus returns the sum of two measurements.
func (p Parents) plus(o Parents) Parents {
	return Parents{
		Replies: p.Replies + o.Replies, InConversation: p.InConversation + o.InConversation, InSent: p.InSent + o.InSent,
		Conversation: p.Conversation + o.Conversation, Sent: p.Sent + o.Sent,
	}
}

// mean returns the mean of a sum.
func (p Parents) mean() Parents {
	n := float64(max(p.Replies, 1))
	return Parents{p.Replies, p.InConversation / n, p.InSent / n, p.Conversation / n, p.Sent / n}
}
