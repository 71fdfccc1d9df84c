package conversation

import (
	"context"
	"slices"
	"time"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/path"
)

// tail returns what the model is told beside the conversation. names are those of the
// speakers.
func (s *shaper) tail(ctx context.Context, c *basis, built path.Built, names *path.Names) path.Tail {
	g := c.graph
	background, beside := s.background(ctx, g.Background, names)
	tail := path.Tail{Now: time.Now(), Messages: built.Messages, Background: background, Beside: beside}
	for _, file := range built.Files {
		tail.Files = append(tail.Files, file.Name)
	}
	if built.Dropped > 0 {
		tail.Notices = append(tail.Notices, phrases.ModelLeftOut(built.Dropped))
	}
	if isDenied(g) {
		tail.Notices = append(tail.Notices, phrases.ModelNoHistory)
	}
	if c.hidden {
		tail.Notices = append(tail.Notices, phrases.ModelHidden)
	}
	if c.alone {
		tail.Notices = append(tail.Notices, phrases.ModelAlone)
	}
	if g.Trigger.AsksNothing() {
		tail.Notices = append(tail.Notices, phrases.ModelCatchUp)
	}
	return tail
}

// background returns messages of other talks as turns, oldest first, and the author of
// each. It returns the newest ones that fit into the tail's share of the budget.
func (s *shaper) background(ctx context.Context, nodes []graph.Node, names *path.Names) (turns []path.Turn, by []graph.UserID) {
	messages := make([]graph.Message, len(nodes))
	for i, node := range nodes {
		messages[i] = *node.Message
	}
	names.Meet(messages)
	for i := range messages {
		turns, by = append(turns, path.TurnOf(messages[i], names.Of(&messages[i]))), append(by, messages[i].Author)
	}
	from := s.fitting(ctx, turns)
	return turns[from:], by[from:]
}

// fitting returns from which turn on all fit into the tail's share of the budget.
func (s *shaper) fitting(ctx context.Context, turns []path.Turn) (from int) {
	room, bounded := s.tokens.tailRoom()
	if !bounded || s.tokens.surelyFit(turns, room) {
		return 0
	}
	for i, turn := range slices.Backward(turns) {
		if room -= s.tokens.count(ctx, turn); room < 0 {
			return i + 1
		}
	}
	return 0
}
