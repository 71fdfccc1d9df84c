package conversation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"heddle/bot/sources"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// ownAnswers looks up which of heddle's own messages in one conversation are recorded
// answers. One goroutine uses it.
type ownAnswers struct {
	responses Responses
	people    People
	scope     store.Scope
	asked     map[graph.MessageID]bool
	found     map[graph.MessageID]store.Recalled
	// withheld marks the answers that are not used. They were made from the words of
	// people who opted out or from something that was deleted, or they are empty because
	// the model failed.
	withheld map[graph.MessageID]bool
}

func newOwnAnswers(responses Responses, people People, scope store.Scope) *ownAnswers {
	return &ownAnswers{
		responses: responses, people: people, scope: scope,
		asked: make(map[graph.MessageID]bool), found: make(map[graph.MessageID]store.Recalled), withheld: make(map[graph.MessageID]bool),
	}
}

// source returns a source in which heddle's answers read as they were given. On Discord
// they have notices and are split at its limit. If the store cannot be reached,
// Discord's text is used.
func (o *ownAnswers) source(ctx context.Context, source graph.Source) graph.SourceFunc {
	return func(batch graph.Batch) (graph.Reading, error) {
		reading, err := source.Read(batch)
		if err != nil {
			return reading, err
		}
		own := ownMessages(&reading)
		if err := o.look(ctx, own); err != nil {
			return reading, err
		}
		for _, message := range own {
			response, ok := o.found[message.ID]
			if !ok {
				continue
			}
			message.Text = response.Text
			if message.Text == "" && len(message.Attachments) == 0 {
				o.withheld[message.ID] = true
			}
		}
		return o.without(source, batch, reading)
	}
}

// without removes from a reading the answers that are not used. A reference to one then
// leads to the question that it answers.
func (o *ownAnswers) without(source graph.Source, batch graph.Batch, reading graph.Reading) (graph.Reading, error) {
	if len(o.withheld) == 0 {
		return reading, nil
	}
	for i := range reading.Stretches {
		s := &reading.Stretches[i]
		s.Messages = slices.DeleteFunc(s.Messages, func(m graph.Message) bool { return o.withheld[m.ID] })
	}
	var at []int
	var questions []graph.Lookup
	for i := range reading.Found {
		found := &reading.Found[i]
		if !o.withheld[found.Message.ID] {
			continue
		}
		if question := found.Message.Answers; question != 0 {
			at, questions = append(at, i), append(questions, graph.Lookup{Channel: batch.Lookups[i].Channel, Message: question})
		}
		*found = graph.Found{State: graph.ReferenceWithheld}
	}
	if len(questions) == 0 {
		return reading, nil
	}
	beyond, err := source.Read(graph.Batch{Lookups: questions})
	if err != nil {
		return reading, err
	}
	for i := range at {
		reading.Found[at[i]] = beyond.Found[i]
	}
	return reading, nil
}

// look looks up which answers messages are, each message once, in one round trip.
func (o *ownAnswers) look(ctx context.Context, own []*graph.Message) error {
	var ids []graph.MessageID
	for _, message := range own {
		if !o.asked[message.ID] {
			o.asked[message.ID] = true
			ids = append(ids, message.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	known, err := o.responses.Recollect(ctx, o.scope, ids)
	if err != nil && !errors.Is(err, store.ErrUnavailable) {
		return fmt.Errorf("recall answers: %w", err)
	}
	maps.Copy(o.withheld, known.Erased)
	for id, response := range known.Found {
		if sources.AnyOut(o.people, response.Sources) {
			o.withheld[id] = true
			continue
		}
		o.found[id] = response
	}
	return nil
}

// bind binds the answers of a graph to the versions of messages that they were made
// from.
func (o *ownAnswers) bind(g *graph.Graph) {
	for i := range g.Conversation {
		id := g.Conversation[i].Message.ID
		response, ok := o.found[id]
		if !ok {
			continue
		}
		g.Bind(id, func(message graph.MessageID) (edited time.Time, known bool) {
			for _, source := range slices.Backward(response.Sources) {
				if source.Message == message {
					return source.Edited, true
				}
			}
			return time.Time{}, false
		})
	}
}

// forPath returns the records of the answers that were found, for the path. It uses the
// confidence that can be compared with a threshold, not the raw one.
func (o *ownAnswers) forPath() map[graph.MessageID]path.Answer {
	answers := make(map[graph.MessageID]path.Answer, len(o.found))
	for id, response := range o.found {
		answer := path.Answer{Trigger: response.Trigger, Finish: response.FinishReason, Turns: response.Transcript, Confidence: response.Confidence}
		for _, file := range response.Artifacts {
			answer.Artifacts = append(answer.Artifacts, artifact(file))
		}
		answers[id] = answer
	}
	return answers
}

// ownMessages returns heddle's own messages in a reading.
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
