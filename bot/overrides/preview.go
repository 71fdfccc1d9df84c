package overrides

import (
	"context"
	"fmt"
	"slices"

	"heddle/bot/commands"
	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/fetch"
	"heddle/graph"
)

// shownChanges is how many messages of each kind a preview names.
const shownChanges = 5

// preview returns lines with what the last question of a channel is answered from now,
// and would be.
func (c *contextCommand) preview(ctx context.Context, use *commands.Use, wanted thresholds) (string, error) {
	question, found, err := c.lastQuestion(ctx, use)
	if err != nil || !found {
		return use.Language.Text(phrases.ContextNoQuestion, nil), err
	}
	q := conversation.Question{Guild: use.Guild, Channel: use.Channel, ID: question, Place: use.Place, Asker: use.User.ID}
	before, err := c.previews.Preview(ctx, q)
	if err != nil {
		return "", fmt.Errorf("choose as it is: %w", err)
	}
	chosen := c.In(ctx, use.Guild, use.Channel, use.Place.Parent)
	chosen.MinLinear, chosen.MaxTotal, chosen.TimeThreshold = &wanted.newest, &wanted.most, wanted.pause
	q.Chosen = &chosen
	after, err := c.previews.Preview(ctx, q)
	if err != nil {
		return "", fmt.Errorf("choose as it would be: %w", err)
	}
	changed := slices.Concat(
		changes(use, "+", without(after.Conversation, before.Conversation)),
		changes(use, "−", without(before.Conversation, after.Conversation)))
	counts := use.Language.Count(phrases.ContextCounts, len(after.Conversation), phrases.Values{"Before": len(before.Conversation)})
	if len(changed) == 0 {
		counts = use.Language.Text(phrases.ContextSame, nil)
	}
	return phrases.Lines(append([]string{commands.Cite(use.Guild, &before.Trigger), counts}, changed...)...), nil
}

// lastQuestion returns the last message in a channel that heddle answered.
func (c *contextCommand) lastQuestion(ctx context.Context, use *commands.Use) (graph.MessageID, bool, error) {
	next, heard := c.history.Next(use.Channel)
	if !heard {
		next = graph.MessageID(use.ID) // an interaction's id is greater than those of all messages so far
	}
	source := c.history.Mention(fetch.Place{Channel: use.Channel, Trigger: next, NoHistory: use.Place.NoHistory}).Source(ctx)
	before, err := graph.Recent(source, graph.Message{ID: next, Channel: use.Channel}, graph.Options{})
	if err != nil {
		return 0, false, fmt.Errorf("look for the last question: %w", err)
	}
	for _, m := range slices.Backward(before) {
		if m.Answers != 0 {
			return m.Answers, true, nil
		}
	}
	return 0, false, nil
}

// without returns the messages of some nodes that are not among others.
func without(nodes, others []graph.Node) []*graph.Message {
	among := make(map[graph.MessageID]bool)
	for i := range others {
		among[others[i].Message.ID] = true
	}
	var left []*graph.Message
	for i := range nodes {
		if !among[nodes[i].Message.ID] {
			left = append(left, nodes[i].Message)
		}
	}
	return left
}

// changes returns lines that cite messages behind a sign.
func changes(use *commands.Use, sign string, messages []*graph.Message) []string {
	var lines []string
	for _, m := range messages[:min(len(messages), shownChanges)] {
		lines = append(lines, sign+" "+commands.Cite(use.Guild, m))
	}
	if more := len(messages) - shownChanges; more > 0 {
		lines = append(lines, use.Language.Count(phrases.ContextMore, more, phrases.Values{"Sign": sign}))
	}
	return lines
}
