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

	"heddle/bot/conversation"
	"heddle/bot/reply"
	"heddle/bot/tools"
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

// recorder records answers: for the conversation, in the store and for the observer.
type recorder struct {
	deps      Deps
	rule      *conversation.Rights
	responses *store.Responses
	compared  Confidence
}

// response returns the record of an answer that was not sent yet.
func (r *recorder) response(p *Prepared, answer llm.Answer) store.Response {
	input, lineage := p.Input()
	input.RequestHash, input.Without, input.Model = answer.RequestHash, answer.Without, cmp.Or(answer.Asked, p.Model, r.deps.Model.Model())
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
		response.Confidence = &store.Confidence{Value: c.Value, Method: "logprobs", Tokens: c.Tokens, Min: c.Min}
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
	input, lineage := p.Input()
	again := *stored
	// The stored answer has only the hash of its path, which is equal.
	again.Path, again.Tools, again.Context = input.Path, input.Tools, input.Context
	again.Sources, again.Lineage = conversation.Inherit(input.Sources, stored.Sources), lineage
	again.Output = stored.WithoutTokens() // nothing was sampled
	standing := r.standing(p)
	again.ID, again.Reuses, again.Reused = p.reuseID(stored), stored.Original(), standing.Created
	again.Usage = store.Usage{} // nothing was charged
	again.Channel, again.Trigger, again.Asked, again.Reply, again.Generation = standing.Channel, standing.Trigger, standing.Asked, standing.Reply, standing.Generation
	return again
}

// standing returns the record of where a job's answer stands.
func (r *recorder) standing(p *Prepared) store.Standing {
	standing := store.Standing{
		Scope: p.Place.Scope, Channel: p.Channel, Trigger: p.ID, Asked: p.Parts, Generation: p.Generation,
		Self: r.deps.Guilds.Self().ID, Created: time.Now(),
	}
	if reply := p.Where.Trigger; reply != p.ID {
		standing.Reply = reply
	}
	return standing
}

// reuseID returns the id of a stored answer that is given again to a question. It depends
// on nothing but the two, so recording the answer once more after a crash has no effect.
func (p *Prepared) reuseID(stored *store.Response) store.ResponseID {
	original := stored.Original()
	sum := sha256.Sum256(fmt.Appendf(slices.Clone(original[:]), " %d %d %d", p.ID, p.Where.Trigger, p.Generation))
	return store.ResponseID(sum[:len(original)])
}

// record records an answer as it was sent. If it replaced another, its messages show it
// from now on. It reports whether the answer may stand: if something that it was made from
// was taken back since the question was asked, only a tombstone is recorded.
func (r *recorder) record(ctx context.Context, log *slog.Logger, job Job, response *store.Response, sent []reply.Sent) (stands bool) {
	defer telemetry.Stage(ctx, telemetry.Record)()
	r.recordSent(job, sent)
	var also []store.Also
	if job.Record != nil {
		also = job.Record.Remember(sent)
	}
	r.deps.Recent.Shows(reply.IDs(sent), response.ID)
	save := r.responses.Save
	if len(job.Where.Over) > 0 {
		save = r.responses.SaveShown
	}
	return r.keep(ctx, log, response, sent, save, also...)
}

// keep stores an answer as it was sent, or a tombstone, and reports whether the answer may
// stand; see record.
func (r *recorder) keep(
	ctx context.Context, log *slog.Logger, response *store.Response, sent []reply.Sent,
	save func(context.Context, store.Response, ...store.Also) error, also ...store.Also,
) (stands bool) {
	response.Replies = replies(sent)
	r.judge(ctx, response)
	r.deps.Writes.Await(ctx, response.Scope) // what was deleted meanwhile is erased first, so the store refuses an answer made from it
	out := r.rule.AnyOut(response.Sources) || slices.ContainsFunc(response.Sources, func(s store.SourceRef) bool {
		return s.Forwarded && r.deps.History.IsLost(s.Message) // where it was deleted, nobody knew of this answer
	})
	if out {
		save = r.responses.Bury
	}
	switch err := save(ctx, *response, also...); {
	case errors.Is(err, store.ErrForgotten):
		return false
	case err != nil:
		log.Log(ctx, store.LogLevel(err), "an answer could not be recorded, follow-ups will not know it", "error", err)
	}
	return !out
}

// recordSent adds what heddle sent to the channel's history.
func (r *recorder) recordSent(job Job, sent []reply.Sent) {
	for _, s := range sent {
		said := s.Message
		if said == nil {
			said = &discord.Message{ID: s.ID}
		}
		r.deps.History.Own(job.Channel, job.Where.Trigger, said)
	}
}

func replies(sent []reply.Sent) []store.Reply {
	replies := make([]store.Reply, len(sent))
	for i, s := range sent {
		replies[i] = store.Reply{ID: s.ID, Text: s.Text}
	}
	return replies
}

// uploads returns the files that an answer made, in the form in which they are sent.
func uploads(files []tools.File) []discord.File {
	var all []discord.File
	for _, f := range files {
		all = append(all, discord.File{Name: f.Name, Type: f.Type, Data: f.Data})
	}
	return all
}

// artifacts returns the files that Discord accepted. They are the last attachments of the
// last message.
func artifacts(files []tools.File, sent []reply.Sent, sending error) []store.Artifact {
	if sending != nil || len(sent) == 0 || len(files) == 0 {
		return nil
	}
	last := sent[len(sent)-1]
	if len(last.Attachments) < len(files) {
		return nil
	}
	ids := last.Attachments[len(last.Attachments)-len(files):]
	made := make([]store.Artifact, len(files))
	for i, f := range files {
		made[i] = store.Artifact{
			Artifact: path.Artifact{Attachment: ids[i], Message: last.ID, Name: f.Name}, Title: f.Title, Type: f.Type, Size: int64(len(f.Data)),
		}
	}
	return made
}

// addTools adds to the record of an answer what its tools did. They read from past.
func addTools(r *store.Response, outcome *tools.Outcome, past *conversation.Past) {
	r.Transcript, r.Outside = outcome.Turns, together(r.Outside, outcome.Outside)
	r.TimeBound = outcome.Once || slices.ContainsFunc(outcome.Answer.Dropped, llm.IsOfImages)
	for i, q := range outcome.Requests {
		request := store.Request{Hash: q.Hash, Turns: q.Turns, Model: unless(r.Model, q.Model), Without: q.Without}
		if i < len(outcome.Requests)-1 { // the response itself has those of the last request
			request.Tokens = sampled(q.Tokens)
		}
		r.Requests = append(r.Requests, request)
	}
	for i := range outcome.Branches {
		r.Branches = append(r.Branches, branch(&outcome.Branches[i], r.Model))
	}
	r.Sources = append(r.Sources, past.Of(outcome.Sources...)...)
}

// together returns the names in two lists, each once.
func together(a, b []string) []string {
	all := slices.Sorted(slices.Values(slices.Concat(a, b)))
	return slices.Compact(all)
}

// unless returns the model that was asked, or "" if it is the one that made the answer.
func unless(answered, asked string) string {
	if asked == answered {
		return ""
	}
	return asked
}

func branch(b *tools.Branch, answered string) store.Branch {
	finish := b.Answer.FinishReason
	if b.Refused {
		finish = finishFailed
	}
	return store.Branch{
		Call: b.Call, Turns: b.Path.Turns, Options: b.Path.Options, PathHash: b.Path.Hash(), RequestHash: b.Answer.RequestHash,
		ResponseHash: path.ResponseHash(b.Answer.Text, finish),
		Model:        unless(answered, b.Answer.Asked), Text: b.Answer.Text, FinishReason: finish, Usage: store.Usage(b.Answer.Usage), Without: b.Answer.Without, Tokens: sampled(b.Answer.Tokens),
	}
}
