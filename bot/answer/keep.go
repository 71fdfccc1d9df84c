package answer

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
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

const (
	// finishFailed is the finish reason of an answer that broke off, and finishStopped that of one
	// that somebody stopped. Follow-ups see the text of both, but neither is given again.
	finishFailed, finishStopped = "failed", "stopped"
)

// keeping is the storing of an answer.
type keeping struct {
	running sync.WaitGroup
	done    chan struct{}
	err     error // once done is closed
}

// keep stores an answer before anything that people can press refers to it. It was not sent as any
// message yet.
func (a *Answerer) keep(ctx context.Context, r store.Response) *keeping {
	k := &keeping{done: make(chan struct{})}
	k.running.Go(func() {
		defer close(k.done)
		k.err = a.save(ctx, &r, a.deps.Store.Responses.Save)
	})
	return k
}

// within reports whether the answer is stored, or refused, by then.
func (k *keeping) within(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-k.done:
		return true
	case <-timer.C:
		return false
	}
}

// wait returns nil once the answer is stored. It fails with store.ErrForgotten if one of its
// sources was taken back.
func (k *keeping) wait() error {
	k.running.Wait()
	return k.err
}

// save stores an answer, unless one of its sources was taken back. It fails with
// store.ErrForgotten then. What was deleted meanwhile is erased first, so that the store refuses
// what was made from it.
func (a *Answerer) save(ctx context.Context, r *store.Response, save func(context.Context, store.Response, ...store.Also) error, also ...store.Also) error {
	a.deps.Writes.Await(ctx, r.Scope)
	out := a.rule.AnyOut(r.Sources) || slices.ContainsFunc(r.Sources, func(s store.SourceRef) bool {
		return s.Forwarded && a.deps.History.IsLost(s.Message) // where it was deleted, nobody knew of this answer
	})
	if !out {
		return save(ctx, *r, also...)
	}
	return cmp.Or(a.deps.Store.Responses.Bury(ctx, *r), store.ErrForgotten)
}

// sent records an answer that was sent, or that Discord has refused with an error for good.
func (a *attempt) sent(ctx context.Context, made *made, sent []reply.Sent, err error) ([]reply.Sent, error) {
	if made.response.Artifacts = artifacts(made.files, sent, err); a.next.action == actComplete {
		made.response.Artifacts = owed(&made.response, sent)
	}
	if errors.Is(err, reply.ErrFiles) {
		sent, err = a.tellNoFiles(ctx, a.to(), sent, err)
	}
	a.own(sent)
	all := whole(sent, err)
	if len(all) == 0 {
		return sent, err
	}
	switch failure := a.done(ctx, made, all); {
	case failure == nil && made.bare: // the store is back
		if err := a.deps.Replies.SetButtons(ctx, a.q.Channel, all[len(all)-1].ID, a.buttons(ctx, &made.response, a.next.over)); err != nil {
			a.log.WarnContext(ctx, "an answer got no buttons", "error", err)
		}
	case err != nil:
	case errors.Is(failure, store.ErrForgotten):
		return sent, failure
	case failure != nil:
		a.log.Log(ctx, store.LogLevel(failure), "an answer could not be recorded, follow-ups will not know it", "error", failure)
		a.out.Unkept = true
		a.unkept.Add(a.q.repliesTo(), &made.response)
	}
	return sent, err
}

// done adds to the record of an answer the messages as which it was sent, and marks the question as
// done in the same step. It fails with store.ErrForgotten if one of its sources was taken back.
func (a *attempt) done(ctx context.Context, made *made, sent []reply.Sent) error {
	defer telemetry.Stage(ctx, telemetry.Record)()
	a.deps.Recent.Shows(reply.IDs(sent), made.response.ID)
	a.unkept.Remove(a.q.repliesTo()) // an answer to an older version would be shown again over this one
	made.response.Replies = replies(sent)
	a.settings.Confidence.judge(ctx, &a.deps, &made.response)
	var also []store.Also
	a.out.Sent, a.out.SentFor = slices.Clone(sent), a.out.Version
	a.out.Doubt = a.out.Doubt || slices.ContainsFunc(sent, func(s reply.Sent) bool { return s.Found })
	if len(sent) > 0 && a.held != nil && a.held.lease != (store.Lease{}) && !a.out.Doubt && a.q.Cause != Pressed {
		also = a.deps.Store.Claims.Marks(a.held.doneAs(a.out.Version), string(made.ended), a.q.Taken)
	}
	save := a.deps.Store.Responses.Save
	if len(a.next.over) > 0 || a.next.action == actComplete {
		save = a.deps.Store.Responses.SaveShown
	}
	return a.save(ctx, &made.response, save, also...)
}

// own adds what heddle sent to the channel's history.
func (a *prepared) own(sent []reply.Sent) {
	for _, s := range sent {
		said := s.Message
		if said == nil {
			said = &discord.Message{ID: s.ID}
		}
		a.deps.History.Own(a.q.Channel, a.q.repliesTo(), said)
	}
}

// response returns the record of an answer that was not sent yet.
func (a *prepared) response(answer llm.Answer) store.Response {
	input, lineage := a.Input()
	input.RequestHash, input.Without, input.Model = answer.RequestHash, answer.Without, cmp.Or(answer.Asked, a.Model, a.deps.Loop.Model().Model())
	if !slices.Contains(answer.Without, llm.FeatureImages) {
		input.Pictures = a.Pictures()
	}
	if answer.RequestHash != (path.Hash{}) {
		input.Tail = a.Request().Tail
	}
	response := store.Response{
		Standing: a.standingRecord(), Input: input, Lineage: lineage,
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

// again returns the record of a stored answer that is given again. Its id depends on nothing but
// that answer and the question, so storing it once more after a crash has no effect.
func (a *prepared) again(stored *store.Response) store.Response {
	input, lineage := a.Input()
	again := *stored
	// The stored answer has only the hash of its path, which is equal.
	again.Path, again.Tools, again.Context = input.Path, input.Tools, input.Context
	again.Sources, again.Lineage = conversation.Inherit(input.Sources, stored.Sources), lineage
	again.Output = stored.WithoutTokens() // nothing was sampled
	standing := a.standingRecord()
	again.Reuses, again.Reused = stored.Original(), standing.Created
	sum := sha256.Sum256(fmt.Appendf(slices.Clone(again.Reuses[:]), " %d %d %d", a.q.ID, a.q.repliesTo(), a.generation))
	again.ID = store.ResponseID(sum[:len(again.ID)])
	again.Usage = store.Usage{} // nothing was charged
	again.Channel, again.Trigger, again.Asked, again.Reply, again.Generation = standing.Channel, standing.Trigger, standing.Asked, standing.Reply, standing.Generation
	again.Replies = nil
	return again
}

// standingRecord returns where the answer stands, for its record.
func (a *prepared) standingRecord() store.Standing {
	return store.Standing{
		Scope: a.q.Place.Scope, Channel: a.q.Channel, Trigger: a.q.ID, Asked: a.q.Parts, Reply: a.q.Beside, Generation: a.generation,
		Self: a.deps.Guilds.Self().ID, Created: time.Now(),
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

// owed returns the files of an answer that is completed. They are on its last message.
func owed(r *store.Response, sent []reply.Sent) []store.Artifact {
	if r.Owes == 0 || len(sent) == 0 || sent[len(sent)-1].Message == nil {
		return nil
	}
	last := sent[len(sent)-1].Message
	var made []store.Artifact
	for _, f := range last.Attachments[max(0, len(last.Attachments)-r.Owes):] {
		made = append(made, store.Artifact{Artifact: path.Artifact{Attachment: f.ID, Message: last.ID, Name: f.Name}, Type: f.Type, Size: f.Size})
	}
	return made
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
