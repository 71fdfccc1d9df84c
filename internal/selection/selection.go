package selection

import "heddle/graph"

// Sight is all that a strategy may see: the messages before a trigger, by
// ascending id, and the trigger.
type Sight struct {
	Before  []graph.Message
	Trigger graph.Message
}

// Chosen is what a strategy chose, as indices of Sight.Before, oldest first.
type Chosen struct {
	Conversation []int
	Background   []int
	// Certainty is how likely each message of Conversation, then of Background,
	// belongs with the trigger. Nil where the strategy does not say.
	Certainty []float64
	// Parent is the message that the trigger is taken to answer, -1 for none or
	// where the strategy does not say.
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
