package evaluation

import "slices"

// Parents measures how well the messages that people replied to are found when the
// replies are hidden. The values are means over all replies of a log.
type Parents struct {
	Replies        int     `json:"replies"`
	InConversation float64 `json:"in_conversation"` // share of the replies whose parent is in the conversation
	InSent         float64 `json:"in_sent"`
	Conversation   float64 `json:"conversation"` // number of messages chosen for the conversation
	Sent           float64 `json:"sent"`
}

// ParentsOf returns the measurement of one reply, given its parent and the chosen
// messages.
func ParentsOf(parent int, conversation, background []int) Parents {
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

// Plus returns the sum of two measurements.
func (p Parents) Plus(o Parents) Parents {
	return Parents{
		Replies: p.Replies + o.Replies, InConversation: p.InConversation + o.InConversation, InSent: p.InSent + o.InSent,
		Conversation: p.Conversation + o.Conversation, Sent: p.Sent + o.Sent,
	}
}

// Mean returns the mean of a sum.
func (p Parents) Mean() Parents {
	n := float64(max(p.Replies, 1))
	return Parents{Replies: p.Replies, InConversation: p.InConversation / n, InSent: p.InSent / n, Conversation: p.Conversation / n, Sent: p.Sent / n}
}
