package evaluation

import (
	"cmp"
	"slices"
	"time"

	"heddle/graph"
)

// Sight is everything that a strategy may see: the messages before a trigger, by
// ascending id, and the trigger.
type Sight struct {
	Before  []graph.Message
	Trigger graph.Message
}

// Chosen is what a strategy chose, as indices of Sight.Before, oldest first.
type Chosen struct {
	Conversation []int
	Background   []int
	Recalled     []int
	// Graph is what heddle chose them by; nil for all other strategies.
	Graph *graph.Graph
}

// sent returns everything that was chosen: the conversation, the background, and
// what is recalled.
func (c *Chosen) sent() []int { return slices.Concat(c.Conversation, c.Background, c.Recalled) }

// Strategy chooses a context. It is called for the triggers of a log in order.
type Strategy func(Sight) (Chosen, error)

// Last takes the newest n messages.
func Last(n int) Strategy {
	return func(sight Sight) (Chosen, error) {
		return Chosen{Conversation: newest(sight.Before, n, time.Time{})}, nil
	}
}

// Window takes the messages of the last d before the trigger, at most limit of them.
func Window(d time.Duration, limit int) Strategy {
	return func(sight Sight) (Chosen, error) {
		return Chosen{Conversation: newest(sight.Before, limit, sight.Trigger.Time.Add(-d))}, nil
	}
}

// newest returns the newest n conversational messages, oldest first, up to the first
// that was sent before since.
func newest(messages []graph.Message, n int, since time.Time) []int {
	var chosen []int
	for i := len(messages) - 1; i >= 0 && len(chosen) < n; i-- {
		if messages[i].System {
			continue
		}
		if messages[i].Time.Before(since) {
			break
		}
		chosen = append(chosen, i)
	}
	slices.Reverse(chosen)
	return chosen
}

// ReplyChain follows a chain like llmcord: from each message to the one that it replies
// to, or else to the message directly before it if the same person wrote it. It takes
// at most limit messages.
func ReplyChain(limit int) Strategy {
	return func(sight Sight) (Chosen, error) {
		var chosen []int
		at, m := len(sight.Before), sight.Trigger
		for len(chosen) < limit {
			at = chainParent(sight.Before[:at], &m)
			if at < 0 {
				break
			}
			chosen = append(chosen, at)
			m = sight.Before[at]
		}
		slices.Reverse(chosen)
		return Chosen{Conversation: chosen}, nil
	}
}

// chainParent returns the index of the message that m replies to, or -1.
func chainParent(before []graph.Message, m *graph.Message) int {
	for _, r := range m.References {
		if r.Kind != graph.ReferenceReply {
			continue
		}
		if to, held := find(before, r.Message); held {
			return to
		}
		return -1
	}
	for i := range slices.Backward(before) {
		switch {
		case before[i].System:
		case before[i].Author == m.Author:
			return i
		default:
			return -1
		}
	}
	return -1
}

func find(messages []graph.Message, id graph.MessageID) (int, bool) {
	return slices.BinarySearchFunc(messages, id, func(m graph.Message, id graph.MessageID) int { return cmp.Compare(m.ID, id) })
}
