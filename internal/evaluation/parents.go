package evaluation

import "slices"

// Parents is how well what people replied to is found when the reply is hidden:
// means over all replies of a log.
type Parents struct {
	Replies        int     `json:"replies"`
	InConversation float64 `json:"in_conversation"` // share of the replies
	InSent         float64 `json:"in_sent"`
	Conversation   float64 `json:"conversation"` // messages chosen
	Sent           float64 `json:"sent"`
}

// parentsOf returns what one reply counts: its parent, and what was chosen.
func parentsOf(parent int, conversation, background []int) Parents {
	p := Parents{Replies: 1, Conversation: float64(len(conversation)), Sent: float64(len(conversation) + len(background))}
	switch {
	case slices.Contains(conversation, parent):
		p.InConversation++
		p.InSent++
	case slices.Contains(background, parent):
		p.InSent++
	}
	return p
}

// plus is the sum of two sums.
func (p Parents) plus(o Parents) Parents {
	return Parents{
		p.Replies + o.Replies, p.InConversation + o.InConversation, p.InSent + o.InSent,
		p.Conversation + o.Conversation, p.Sent + o.Sent,
	}
}

// mean is a sum's mean.
func (p Parents) mean() Parents {
	n := float64(max(p.Replies, 1))
	return Parents{p.Replies, p.InConversation / n, p.InSent / n, p.Conversation / n, p.Sent / n}
}
