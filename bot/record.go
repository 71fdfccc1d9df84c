package bot

import (
	"crypto/rand"
	"slices"

	"heddle/bot/outbox"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
	"heddle/store"
)

// response is the record of an answer, not yet sent.
func (b *Bot) response(p *prepared, answer llm.Answer) store.Response {
	response := store.Response{
		Standing: store.Standing{
			Scope:      p.place.Scope,
			Channel:    p.channel,
			Trigger:    p.id,
			Reply:      p.reply,
			Generation: p.generation,
			Self:       b.guilds.Self().ID,
			Created:    b.now(),
		},
		Input: store.Input{
			PathHash:    p.hash,
			FactsHash:   p.tail.Facts(p.built.Path.Options),
			RequestHash: answer.RequestHash,
			Path:        p.built.Path.Turns,
			Tools:       p.built.Path.Tools,
			Options:     p.built.Path.Options,
			Model:       b.model.Model(),
			Without:     answer.Without,
			Sources:     p.sources(b.guilds.Self().ID),
		},
		Output: store.Output{
			ResponseHash: path.ResponseHash(answer.Text, answer.FinishReason),
			Text:         answer.Text,
			FinishReason: answer.FinishReason,
			Usage:        store.Usage(answer.Usage),
			Reported:     answer.Model,
			Fingerprint:  answer.Fingerprint,
		},
	}
	p.bequeath(&response)
	if !slices.Contains(answer.Without, llm.FeatureImages) {
		response.Pictures = p.read.pictures()
	}
	if answer.RequestHash != (path.Hash{}) {
		response.Tail = p.request().Tail
	}
	if c := answer.Confidence; c != nil {
		response.Confidence = &store.Confidence{Value: c.Value, Method: "logprobs", Tokens: c.Tokens, Min: c.Min, P5: c.P5}
	}
	_, _ = rand.Read(response.ID[:]) // it never fails
	return response
}

// bequeath notes on a response what a path that continues it has to know.
func (p *prepared) bequeath(r *store.Response) {
	r.CacheKey, r.Shown = p.cacheKey, p.shown
	r.Continues, r.Files, r.Summary = p.before, made(p.built.Files), 0
	r.Cut, r.Checkpoint, r.Dropped = p.built.Cut, p.built.Checkpoint, p.built.Dropped
	if p.summary != nil {
		r.Summary = p.summary.id
	}
}

func replies(sent []outbox.Sent) []store.Reply {
	replies := make([]store.Reply, len(sent))
	for i, s := range sent {
		replies[i] = store.Reply{ID: s.ID, Text: s.Text}
	}
	return replies
}

// sources names every message that the request was made from: the path's in their
// positions, then the background's, those that hold files told of in the tail, and the
// summary on it.
func (p *prepared) sources(self graph.UserID) []store.SourceRef {
	sources := make([]store.SourceRef, 0, len(p.built.Messages)+len(p.graph.Background))
	named := make(map[graph.MessageID]bool)
	add := func(message *graph.Message, position int) {
		if named[message.ID] {
			return
		}
		named[message.ID] = true
		sources = append(sources, store.SourceRef{
			Message: message.ID, Channel: message.Channel, Author: message.Author, Edited: message.Edited, Position: position,
		})
	}
	for i := range p.built.Messages {
		add(&p.built.Messages[i], p.built.Positions[i])
	}
	for i := range p.graph.Background {
		add(&p.graph.Background[i].Message, 0)
	}
	for _, file := range p.built.Files {
		add(&graph.Message{ID: file.Message, Channel: p.channel, Author: self}, 0)
	}
	return append(sources, p.summary.asSources()...)
}

// made are the files of a path as they are kept.
func made(files []path.Artifact) []store.Artifact {
	kept := make([]store.Artifact, len(files))
	for i, file := range files {
		kept[i] = store.Artifact{Message: file.Message, Attachment: file.Attachment, Name: file.Name}
	}
	return kept
}
