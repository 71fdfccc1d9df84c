package playground

import (
	"context"
	"slices"

	"heddle/graph"
	"heddle/internal/drawing"
	"heddle/store"
)

// latest stands for the latest generation of answers to a question.
const latest = -1

// alternatives returns the stored answers of one generation to a question, oldest
// first, with the messages of a channel that show them. If the store cannot be read, it
// returns none, and the graph is drawn without them.
func (l *lens) alternatives(ctx context.Context, channel graph.ChannelID, trigger graph.MessageID, generation int) []drawing.Alternative {
	views := []drawing.Alternative{}
	responses, last := l.contexts.stored(ctx, trigger)
	if generation == latest {
		generation = last
	}
	for _, r := range store.Alternatives(responses, generation) {
		view := drawing.Alternative{Model: r.Model, At: store.Given(&r), Response: r.ResponseHash, Path: r.PathHash, Shown: []graph.MessageID{}}
		for _, id := range l.contexts.showing(responses, r.Original()) {
			if l.begins(channel, id) {
				view.Shown = append(view.Shown, id)
			}
		}
		views = append(views, view)
	}
	return views
}

// begins reports whether a message is in a channel and is the first message of an
// answer.
func (l *lens) begins(channel graph.ChannelID, id graph.MessageID) bool {
	m, ok := l.world.discord.Chat.Message(channel, id)
	if !ok || m.Reference == nil {
		return ok
	}
	before, ok := l.world.discord.Chat.Message(channel, m.Reference.Message)
	return !ok || before.Author != l.world.bot.User
}

// stored returns the stored answers to a question, and the generation of the latest. It
// returns none if there are none or the store cannot be read.
func (c *contexts) stored(ctx context.Context, trigger graph.MessageID) (answers []store.Response, generation int) {
	c.mu.Lock()
	asked, ok := c.asked.values[trigger]
	from := c.answers
	c.mu.Unlock()
	if !ok || from == nil {
		return nil, 0
	}
	answers, err := from.ByTrigger(ctx, asked.scope, trigger)
	if err != nil {
		return nil, 0
	}
	return answers, asked.generation
}

// showing returns the messages that show an answer or a reuse of it.
func (c *contexts) showing(records []store.Response, original store.ResponseID) []graph.MessageID {
	c.mu.Lock()
	defer c.mu.Unlock()
	var messages []graph.MessageID
	for message, shown := range c.shown.values {
		at := slices.IndexFunc(records, func(r store.Response) bool { return r.ID == shown })
		if at >= 0 && records[at].Original() == original {
			messages = append(messages, message)
		}
	}
	slices.Sort(messages)
	return messages
}
