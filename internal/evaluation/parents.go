package evaluation

import (
	"math"
	"slices"

	"heddle/graph"
)

// Parents measures how well the messages that people replied to are found when the
// replies are hidden. The values are means over all replies of a log.
type Parents struct {
	Replies        int     `json:"replies"`
	InConversation float64 `json:"in_conversation"` // share of the replies whose parent is in the conversation
	InSent         float64 `json:"in_sent"`
	Conversation   float64 `json:"conversation"` // number of messages chosen for the conversation
	Sent           float64 `json:"sent"`
	Characters     float64 `json:"characters"`     // of the messages sent, where it was counted
	OtherChains    float64 `json:"other_chains"`   // number of those sent whose chain of replies is not the parent's
	Untold         float64 `json:"cannot_be_told"` // number of those sent that are in no chain of replies
}

// ParentsOf returns the measurement of one reply, given its parent and what was chosen.
// chains is what chainsOf returns for the log, or nil.
func ParentsOf(parent int, chosen *Chosen, chains []int) Parents {
	sent := chosen.sent()
	p := Parents{Replies: 1, Conversation: float64(len(chosen.Conversation)), Sent: float64(len(sent))}
	if slices.Contains(chosen.Conversation, parent) {
		p.InConversation = 1
	}
	if slices.Contains(sent, parent) {
		p.InSent = 1
	}
	for _, i := range sent {
		switch {
		case chains == nil || i == parent || chains[i] == chains[parent]:
		case chains[i] == alone:
			p.Untold++
		default:
			p.OtherChains++
		}
	}
	return p
}

// alone stands for the chain of a message that is in none.
const alone = -1

// chainsOf returns for each message the first one of its chain of replies, or alone. The
// replies are those that people made.
func chainsOf(messages []graph.Message) []int {
	chains := make([]int, len(messages))
	for i := range messages {
		chains[i] = alone
		if to := ReplyOf(&messages[i]); to >= 0 {
			if chains[to] == alone {
				chains[to] = to
			}
			chains[i] = chains[to]
		}
	}
	return chains
}

// Plus returns the sum of two measurements.
func (p Parents) Plus(o Parents) Parents {
	return Parents{
		Replies: p.Replies + o.Replies, InConversation: p.InConversation + o.InConversation, InSent: p.InSent + o.InSent,
		Conversation: p.Conversation + o.Conversation, Sent: p.Sent + o.Sent, Characters: p.Characters + o.Characters,
		OtherChains: p.OtherChains + o.OtherChains, Untold: p.Untold + o.Untold,
	}
}

// unsure returns the standard error of the share that is found.
func (p Parents) unsure() float64 {
	return math.Sqrt(max(p.InSent*(1-p.InSent), 0.01) / float64(max(p.Replies, 1)))
}

// Mean returns the mean of a sum.
func (p Parents) Mean() Parents {
	n := float64(max(p.Replies, 1))
	return Parents{
		Replies: p.Replies, InConversation: p.InConversation / n, InSent: p.InSent / n,
		Conversation: p.Conversation / n, Sent: p.Sent / n, Characters: p.Characters / n, OtherChains: p.OtherChains / n, Untold: p.Untold / n,
	}
}
