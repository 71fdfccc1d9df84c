package bot

import (
	"slices"

	"heddle/graph"
	"heddle/graph/path"
)

// tailRoom is how many tokens of the budget are kept free for the tail: always as
// many, so that what others say meanwhile moves no path's cut.
func (b *Bot) tailRoom() int { return b.settings.Budget / 8 }

// background are messages of other talks as turns, oldest first: the newest that fit
// into the tail.
func (b *Bot) background(nodes []graph.Node) []path.Turn {
	messages := make([]graph.Message, len(nodes))
	for i, node := range nodes {
		messages[i] = node.Message
	}
	names := path.Speakers(messages)
	room := b.tailRoom()
	var turns []path.Turn
	for _, message := range slices.Backward(messages) {
		turn := path.TurnOf(message, names[message.Author], false)
		if b.settings.Budget > 0 && b.settings.Count != nil {
			if room -= b.settings.Count(turn); room < 0 {
				break
			}
		}
		turns = append(turns, turn)
	}
	slices.Reverse(turns)
	return turns
}
