package selection

import "heddle/graph"

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
	// Certainty is the probability that each message of Conversation, and then of
	// Background, belongs to the trigger's conversation. It is nil if the strategy
	// computes none.
	Certainty []float64
	// Parent is the message that the trigger presumably answers, or -1 if there is none
	// or the strategy does not determine it.
	Parent int
}

// Strategy chooses a context. Select is called for the triggers of a log in
// order; a strategy is used by one goroutine at a time.
type Strategy interface {
	Select(sight Sight) (Chosen, error)
}

// Func is a function that is a Strategy.
type Func func(Sight) Chosen

// Select calls f.
func (f Func) Select(sight Sight) (Chosen, error) { return f(sight), nil }
