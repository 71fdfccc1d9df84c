package bot

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"

	"heddle/bot/phrases"

	"heddle/bot/outbox"
	"heddle/bot/tools"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/llm"
	"heddle/store"
)

// shown shows an answer on Discord as it comes.
type shown struct{ out *outbox.Answer }

func (s shown) Append(text string) { s.out.Append(text) }

func (s shown) Doing(tool string) { s.out.Doing(phrases.Doing(tool)) }

// uploads are the files that an answer made, as they are sent.
func uploads(files []tools.File) []discord.File {
	var all []discord.File
	for _, f := range files {
		all = append(all, discord.File{Name: f.Name, Type: f.Type, Data: f.Data})
	}
	return all
}

// artifacts are the files that Discord took: they are the last on the last message.
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

// addTools adds to the record of an answer what came of tools on its way.
func addTools(r *store.Response, outcome *tools.Outcome) {
	r.Transcript = outcome.Turns
	r.TimeBound = outcome.Once || slices.Contains(outcome.Answer.Dropped, llm.FeatureImages)
	for _, q := range outcome.Requests {
		r.Requests = append(r.Requests, store.Request{Hash: q.Hash, Turns: q.Turns, Without: q.Without})
	}
	for i := range outcome.Branches {
		r.Branches = append(r.Branches, branch(&outcome.Branches[i]))
	}
	for i := range outcome.Sources {
		m := &outcome.Sources[i]
		r.Sources = append(r.Sources, store.SourceRef{Message: m.ID, Channel: m.Channel, Author: m.Author, Edited: m.Edited})
		for _, part := range m.Parts {
			r.Sources = append(r.Sources, store.SourceRef{Message: part, Channel: m.Channel, Author: m.Author})
		}
	}
}

func branch(b *tools.Branch) store.Branch {
	finish := b.Answer.FinishReason
	if b.Refused {
		finish = finishFailed
	}
	return store.Branch{
		Call: b.Call, Turns: b.Path.Turns, Options: b.Path.Options, PathHash: b.Path.Hash(), RequestHash: b.Answer.RequestHash,
		ResponseHash: path.ResponseHash(b.Answer.Text, finish),
		Text:         b.Answer.Text, FinishReason: finish, Usage: store.Usage(b.Answer.Usage), Without: b.Answer.Without,
	}
}

// toolPlace is where tools are to work for a mention.
func (b *Bot) toolPlace(p *prepared) tools.Place {
	return tools.Place{Channel: p.channel, Trigger: p.id, Readable: b.readable(&p.mention, cmp.Or(p.asker, p.trigger.Author))}
}

// without takes out of a path what the model's provider rejected while it was asked:
// the path is one without tools then.
func (p *prepared) without(dropped []string) {
	for _, feature := range dropped {
		if feature == llm.FeatureTools {
			p.built.Path.Tools = nil
			p.built.Hash = p.built.Path.Hash()
			p.hash = p.built.Hash
		}
	}
}

// tellNoFiles tells people that Discord did not take the files of an answer, and
// gives all messages of it.
func (b *Bot) tellNoFiles(ctx context.Context, log *slog.Logger, p *prepared, sent []outbox.Sent, refusal error) ([]outbox.Sent, error) {
	log.WarnContext(ctx, "the files of an answer could not be sent", "error", refusal)
	to := p.to()
	if len(sent) > 0 {
		to = outbox.To{Channel: p.channel, Trigger: sent[len(sent)-1].ID}
	}
	told, err := b.outbox.Reply(ctx, to, phrases.NoFiles)
	return append(sent, told...), err
}

// rank notes how certain the model was among its last answers, and what that is worth.
func (b *Bot) rank(ctx context.Context, log *slog.Logger, r *store.Response) {
	if r.Confidence == nil {
		return
	}
	rank, err := b.ranks.Rank(ctx, r.Model, r.Confidence.Value)
	if err != nil {
		log.DebugContext(ctx, "a confidence could not be ranked", "error", err)
		return
	}
	r.Confidence.Rank, r.Confidence.Raw = rank, b.settings.Confidence == ConfidenceRaw
	if b.settings.Confidence == ConfidenceRank {
		return
	}
	if good, ok := b.settings.Calibrated(r.Model, r.Confidence.Value); ok {
		r.Confidence.Calibrated = &good
	}
}

// isFiles says whether of an answer only its files could not be sent.
func isFiles(err error) bool { return errors.Is(err, outbox.ErrFiles) }
