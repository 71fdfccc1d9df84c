package answer

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"heddle/bot/outbox"
	"heddle/bot/sources"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/internal/telemetry"
	"heddle/llm"
	"heddle/store"
)

// finishFailed is the finish reason of an answer that broke off. Its text is kept for
// the conversation and never given again.
const finishFailed = "failed"

// finishStopped is the finish reason of an answer that somebody stopped. Its text is
// kept for the conversation and never given again.
const finishStopped = "stopped"

// finishOf returns the finish reason of an answer that broke off with an error.
func finishOf(err error) string {
	if errors.Is(err, ErrHalted) {
		return finishStopped
	}
	return finishFailed
}

// own records what heddle itself sent; fetch.History does. Discord's own events may
// arrive late, and the next question may be waiting.
type own interface {
	Own(channel graph.ChannelID, trigger graph.MessageID, sent *discord.Message)
}

// recorder records answers: for the conversation, in the store and for the observer.
type recorder struct {
	responses Responses
	history   own
	guilds    Guilds
	people    People
	observer  Observer
	model     string
	certainty *certainty
}

// begins tells the observer that an answer begins.
func (r *recorder) begins(p *Prepared) { r.observer.Begins(p.answers(), p.graph, p.built) }

// made tells the observer what a response was made from. A response that replaces
// another counts as shown from here on, so that its last edit is not seen before.
func (r *recorder) made(p *Prepared, response *store.Response) {
	r.observer.Made(response, p.graph, p.built)
	r.observer.Shows(p.over(), response.ID)
}

// response returns the record of an answer that was not sent yet.
func (r *recorder) response(p *Prepared, answer llm.Answer) store.Response {
	response := store.Response{
		Standing: r.standing(p),
		Input: store.Input{
			PathHash:    p.hash,
			FactsHash:   p.tail.Facts(p.built.Path.Options),
			RequestHash: answer.RequestHash,
			Path:        p.built.Path.Turns,
			Tools:       p.built.Path.Tools,
			Options:     p.built.Path.Options,
			Model:       cmp.Or(answer.Asked, p.model, r.model),
			Without:     answer.Without,
			Sources:     p.sources(r.guilds.Self().ID),
		},
		Output: store.Output{
			ResponseHash: path.ResponseHash(answer.Text, answer.FinishReason),
			Text:         answer.Text,
			FinishReason: answer.FinishReason,
			Usage:        store.Usage(answer.Usage),
			Reported:     answer.Model,
			Fingerprint:  answer.Fingerprint,
			Tokens:       sampled(answer.Tokens),
		},
	}
	response.Context = p.context(response.Sources)
	p.copyLineage(&response)
	if !slices.Contains(answer.Without, llm.FeatureImages) {
		response.Pictures = p.read.Pictures()
	}
	if answer.RequestHash != (path.Hash{}) {
		response.Tail = p.Request().Tail
	}
	if c := answer.Confidence; c != nil {
		response.Confidence = &store.Confidence{Value: c.Value, Method: "logprobs", Tokens: c.Tokens, Min: c.Min, P5: c.P5}
	}
	_, _ = rand.Read(response.ID[:]) // it never fails
	return response
}

// sampled returns tokens as records.
func sampled(tokens []llm.Token) []store.Token {
	var stored []store.Token
	for _, token := range tokens {
		stored = append(stored, store.Token(token))
	}
	return stored
}

// again returns the record of a stored answer that is given again.
func (r *recorder) again(p *Prepared, stored *store.Response) store.Response {
	again := *stored
	again.Output = stored.WithoutTokens() // nothing was sampled
	standing := r.standing(p)
	again.ID, again.Reuses, again.Reused = p.reuseID(stored), stored.Original(), standing.Created
	again.Usage = store.Usage{} // nothing was charged
	again.Channel, again.Trigger, again.Reply, again.Generation = standing.Channel, standing.Trigger, standing.Reply, standing.Generation
	own := p.sources(r.guilds.Self().ID)
	again.Path, again.Tools, again.Sources, again.Context = p.built.Path.Turns, p.built.Path.Tools, sources.Inherit(own, stored.Sources), p.context(own)
	p.copyLineage(&again)
	return again
}

// standing returns the record of where a job's answer stands.
func (r *recorder) standing(p *Prepared) store.Standing {
	standing := store.Standing{
		Scope: p.Place.Scope, Channel: p.Channel, Trigger: p.ID, Generation: p.Generation,
		Self: r.guilds.Self().ID, Created: time.Now(),
	}
	if reply := p.answers(); reply != p.ID {
		standing.Reply = reply
	}
	return standing
}

// reuseID returns the id of a stored answer that is given again to a question. It
// depends only on these, so that recording the answer once more after a crash has no
// effect.
func (p *Prepared) reuseID(stored *store.Response) store.ResponseID {
	original := stored.Original()
	sum := sha256.Sum256(fmt.Appendf(slices.Clone(original[:]), " %d %d %d", p.ID, p.answers(), p.Generation))
	return store.ResponseID(sum[:len(original)])
}

// record records an answer as it was sent. If it replaced another, its messages show it
// from now on.
func (r *recorder) record(ctx context.Context, log *slog.Logger, job Job, response *store.Response, sent []outbox.Sent) {
	defer telemetry.Stage(ctx, telemetry.Record)()
	r.recordSent(job, sent)
	if job.Sent != nil {
		job.Sent(sent)
	}
	response.Replies = replies(sent)
	r.certainty.judge(ctx, log, response)
	r.observer.Shows(parts(sent), response.ID)
	if sources.AnyOut(r.people, response.Sources) { // since the question was asked
		return
	}
	save := r.responses.Save
	if len(job.over()) > 0 {
		save = r.responses.SaveShown
	}
	switch err := save(ctx, *response); {
	case err == nil:
		r.observer.Recorded(response.ID)
	case !errors.Is(err, store.ErrForgotten):
		log.Log(ctx, work.LogLevel(err), "an answer could not be recorded, follow-ups will not know it", "error", err)
	}
}

// recordSent adds what heddle sent to the channel's history.
func (r *recorder) recordSent(job Job, sent []outbox.Sent) {
	for _, s := range sent {
		said := s.Message
		if said == nil {
			said = &discord.Message{ID: s.ID, Content: s.Text}
		}
		r.history.Own(job.Channel, job.answers(), said)
	}
}

func replies(sent []outbox.Sent) []store.Reply {
	replies := make([]store.Reply, len(sent))
	for i, s := range sent {
		replies[i] = store.Reply{ID: s.ID, Text: s.Text}
	}
	return replies
}

func parts(sent []outbox.Sent) []graph.MessageID {
	ids := make([]graph.MessageID, len(sent))
	for i, s := range sent {
		ids[i] = s.ID
	}
	return ids
}

// sources returns every message that the request was made from: those on the path with
// their positions, then the background, the recalled messages, the messages with the
// files in the tail, and the sources of the summary on the path.
func (p *Prepared) sources(self graph.UserID) []store.SourceRef {
	all := make([]store.SourceRef, 0, len(p.built.Messages)+len(p.graph.Background))
	named := make(map[graph.MessageID]bool)
	add := func(message *graph.Message, position int) {
		if named[message.ID] {
			return
		}
		named[message.ID] = true
		all = append(all, store.SourceRef{
			Message: message.ID, Channel: message.Channel, Author: message.Author, Edited: message.Edited, Position: position,
		})
	}
	for i := range p.built.Messages {
		add(&p.built.Messages[i], p.built.Positions[i])
	}
	for i := range p.graph.Background {
		add(&p.graph.Background[i].Message, 0)
	}
	for i := range p.recalled {
		add(&p.recalled[i], 0)
	}
	for _, file := range p.built.Files {
		add(&graph.Message{ID: file.Message, Channel: p.Channel, Author: self}, 0)
	}
	return append(all, p.summary.asSources()...)
}
