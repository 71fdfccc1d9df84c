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

// finishFailed is the finish reason of an answer that broke off. Follow-ups see its text,
// but it is never given again.
const finishFailed = "failed"

// finishStopped is the finish reason of an answer that somebody stopped. Follow-ups see
// its text, but it is never given again.
const finishStopped = "stopped"

// finishOf returns the finish reason of an answer that broke off with an error.
func finishOf(err error) string {
	if errors.Is(err, ErrHalted) {
		return finishStopped
	}
	return finishFailed
}

// History records what heddle itself sent; fetch.History does. Discord's own events may
// arrive late, and the next question may be waiting.
type History interface {
	Own(channel graph.ChannelID, trigger graph.MessageID, sent *discord.Message)
}

// Responses stores answers by the paths that they answer. Its methods may be called
// from any goroutine. Their errors during an outage wrap store.ErrUnavailable.
type Responses interface {
	Save(ctx context.Context, response store.Response) error
	// SaveShown is Save for an answer that replaced another in its messages.
	SaveShown(ctx context.Context, response store.Response) error
	// Seek returns a response that may be given again, or the lead to ask for one. It
	// waits while another process has the lead.
	Seek(ctx context.Context, want store.Want, ttl time.Duration) (store.Sought, error)
	// Summary returns the newest summary with an id, and reports whether there is one.
	Summary(ctx context.Context, scope store.Scope, id store.SummaryID) (store.Recalled, bool, error)
}

// recorder records answers: for the conversation, in the store and for the observer.
type recorder struct {
	responses Responses
	history   History
	guilds    Guilds
	people    sources.People
	observer  Observer
	model     string
	certainty *certainty
}

// begins tells the observer that an answer begins.
func (r *recorder) begins(p *Prepared) { r.observer.Begins(p.answers(), p.Graph, p.Built) }

// made tells the observer what a response was made from. A response that replaces another
// counts as shown from now on, as its last edit must not arrive before the observer
// knows.
func (r *recorder) made(p *Prepared, response *store.Response) {
	r.observer.Made(response, p.Graph, p.Built)
	r.observer.Shows(p.over(), response.ID)
}

// response returns the record of an answer that was not sent yet.
func (r *recorder) response(p *Prepared, answer llm.Answer) store.Response {
	input, lineage := p.Record()
	input.RequestHash, input.Without, input.Model = answer.RequestHash, answer.Without, cmp.Or(answer.Asked, p.Model, r.model)
	if !slices.Contains(answer.Without, llm.FeatureImages) {
		input.Pictures = p.Pictures()
	}
	if answer.RequestHash != (path.Hash{}) {
		input.Tail = p.Request().Tail
	}
	response := store.Response{
		Standing: r.standing(p), Input: input, Lineage: lineage,
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
	again := madeFrom(p, *stored)
	again.Output = stored.WithoutTokens() // nothing was sampled
	standing := r.standing(p)
	again.ID, again.Reuses, again.Reused = p.reuseID(stored), stored.Original(), standing.Created
	again.Usage = store.Usage{} // nothing was charged
	again.Channel, again.Trigger, again.Reply, again.Generation = standing.Channel, standing.Trigger, standing.Reply, standing.Generation
	return again
}

// madeFrom adds to a stored answer to an equal path what it is recorded as made from: the
// path, of which look-ups return only the hash, and the sources of both.
func madeFrom(p *Prepared, stored store.Response) store.Response {
	input, lineage := p.Record()
	stored.Path, stored.Tools, stored.Context = input.Path, input.Tools, input.Context
	stored.Sources, stored.Lineage = sources.Inherit(input.Sources, stored.Sources), lineage
	return stored
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

// reuseID returns the id of a stored answer that is given again to a question. It depends
// on nothing but the two, so recording the answer once more after a crash has no effect.
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
	if job.Record != nil {
		job.Record.Sent(sent)
	}
	response.Replies = replies(sent)
	r.certainty.judge(ctx, log, response)
	r.observer.Shows(parts(sent), response.ID)
	if sources.AnyOut(r.people, response.Sources) { // somebody opted out since the question was asked
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
