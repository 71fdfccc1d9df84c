package bot

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"heddle/graph"
	"heddle/store"
)

// recalling is a source whose answers of heddle's own read as they were given: on
// Discord they carry notices and fences cut for its limit. A store that cannot be
// reached leaves Discord's text. What is recalled is put into recalled.
func (b *Bot) recalling(
	ctx context.Context, scope store.Scope, source graph.Source, recalled map[graph.MessageID]store.Recalled,
) graph.SourceFunc {
	asked := make(map[graph.MessageID]bool)
	return func(batch graph.Batch) (graph.Reading, error) {
		reading, err := source.Read(batch)
		if err != nil {
			return reading, err //nolint:wrapcheck // the source's own error, passed through
		}
		own := ownMessages(&reading)
		if err := b.recall(ctx, scope, own, asked, recalled); err != nil {
			return reading, err
		}
		for _, message := range own {
			if response, ok := recalled[message.ID]; ok {
				message.Text = response.Text
			}
		}
		return reading, nil
	}
}

// recall looks up, once each and in one round trip, which answers messages are.
func (b *Bot) recall(
	ctx context.Context, scope store.Scope, own []*graph.Message, asked map[graph.MessageID]bool, recalled map[graph.MessageID]store.Recalled,
) error {
	var ids []graph.MessageID
	for _, message := range own {
		if !asked[message.ID] {
			asked[message.ID] = true
			ids = append(ids, message.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	responses, err := b.responses.Recall(ctx, scope, ids)
	if err != nil && !errors.Is(err, store.ErrUnavailable) {
		return fmt.Errorf("recall answers: %w", err)
	}
	maps.Copy(recalled, responses)
	return nil
}

// bind tells a graph which versions of its messages its answers were made from.
func bind(g *graph.Graph, recalled map[graph.MessageID]store.Recalled) {
	for i := range g.Conversation {
		id := g.Conversation[i].Message.ID
		response, ok := recalled[id]
		if !ok {
			continue
		}
		sources := response.Sources()
		made := make(map[graph.MessageID]time.Time, len(sources))
		for _, source := range sources {
			made[source.Message] = source.Edited
		}
		g.Bind(id, made)
	}
}

// ownMessages points at heddle's own messages in a reading.
func ownMessages(reading *graph.Reading) []*graph.Message {
	var own []*graph.Message
	add := func(message *graph.Message) {
		if message.Origin == graph.OriginSelf {
			own = append(own, message)
		}
	}
	for i := range reading.Found {
		add(&reading.Found[i].Message)
	}
	for i := range reading.Stretches {
		for j := range reading.Stretches[i].Messages {
			add(&reading.Stretches[i].Messages[j])
		}
	}
	return own
}
