package answer

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/bot/tools"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/internal/telemetry"
	"heddle/llm"
	"heddle/store"
)

// shown shows an answer on Discord as it grows.
type shown struct {
	out   *outbox.Answer
	said  phrases.Language
	first func() // called with the first text, and possibly again
	seen  func() // called before anything is shown, and possibly again
}

// newShown returns a shown for an answer that the model is asked for now. It calls
// speak once there is text to read.
func newShown(ctx context.Context, out *outbox.Answer, said phrases.Language, speak func()) *shown {
	asked := time.Now()
	return &shown{out: out, said: said, seen: func() {}, first: sync.OnceFunc(func() {
		speak()
		telemetry.Took(ctx, telemetry.FirstText, time.Since(asked))
	})}
}

// Append implements tools.Show.
func (s *shown) Append(text string) {
	s.first()
	s.seen()
	s.out.Append(text)
}

// Doing implements tools.Show.
func (s *shown) Doing(tool string) {
	s.seen()
	s.out.Doing(s.said.Doing(tool))
}

// toolPlace returns where tools work for a job.
func (a *Answers) toolPlace(p *Prepared) tools.Place {
	return tools.Place{Channel: p.Channel, Trigger: p.ID, Names: p.Names, Purse: p.Account, Readable: func(ctx context.Context) (bool, error) {
		return a.guilds.MayReadHistory(ctx, p.Guild, p.Channel, p.Person())
	}}
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
func artifacts(files []tools.File, sent []outbox.Sent, sending error) []store.Artifact {
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
			Attachment: ids[i], Message: last.ID, Name: f.Name, Title: f.Title, Type: f.Type, Size: int64(len(f.Data)),
		}
	}
	return made
}

// isFiles reports whether only the files of an answer could not be sent.
func isFiles(err error) bool { return errors.Is(err, outbox.ErrFiles) }

// tellNoFiles tells people that Discord refused the files of an answer, and returns all
// messages of the answer.
func (a *Answers) tellNoFiles(ctx context.Context, log *slog.Logger, p *Prepared, sent []outbox.Sent, refusal error) ([]outbox.Sent, error) {
	log.WarnContext(ctx, "the files of an answer could not be sent, people are told", "error", refusal)
	to := p.to()
	if len(sent) > 0 {
		to = outbox.To{Channel: p.Channel, Trigger: sent[len(sent)-1].ID}
	}
	told, err := a.outbox.Reply(ctx, to, p.language().Say(fileRefused(refusal)))
	return append(sent, told...), err
}

// fileRefused returns the phrase about files that Discord refused.
func fileRefused(refusal error) phrases.Phrase {
	e, answered := errors.AsType[*discord.Error](refusal)
	switch {
	case errors.Is(refusal, outbox.ErrNoPermission), discord.IsForbidden(refusal):
		return phrases.Phrase{ID: phrases.FileForbidden}
	case discord.HasCode(refusal, discord.CodeTooLarge), answered && e.Status == http.StatusRequestEntityTooLarge:
		return phrases.Phrase{ID: phrases.FileTooLarge}
	case answered:
		return phrases.Refusal(e.Status, e.Code)
	default:
		return phrases.Phrase{ID: phrases.DiscordTrouble}
	}
}

// addTools adds to the record of an answer what its tools did.
func addTools(r *store.Response, outcome *tools.Outcome) {
	r.Transcript = outcome.Turns
	r.TimeBound = outcome.Once || slices.Contains(outcome.Answer.Dropped, llm.FeatureImages)
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
	for i := range outcome.Sources {
		m := &outcome.Sources[i]
		r.Sources = append(r.Sources, store.SourceRef{Message: m.ID, Channel: m.Channel, Author: m.Author, Edited: m.Edited})
		for _, part := range m.Parts {
			r.Sources = append(r.Sources, store.SourceRef{Message: part, Channel: m.Channel, Author: m.Author})
		}
	}
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
