package answer

import (
	"context"
	"log/slog"

	"heddle/bot/conversation"
	"heddle/bot/outbox"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/llm"
	"heddle/store"
)

// Digest is a summary of the talks that somebody missed, as people read it.
type Digest struct {
	Text    string
	Buttons outbox.Rows
	Sources []store.SourceRef // what it was made from
}

// Teller makes digests; catchup.Catchup does.
type Teller interface {
	// Digest returns a digest of the talks in a question's channel since the asker last
	// wrote there. Everybody may read it. It reports false if there were none.
	Digest(ctx context.Context, q conversation.Question, asker graph.UserID) (d Digest, told bool, err error)
}

// Digests answers mentions of heddle without words that reply to nothing. They ask no
// question, so their authors get a digest of the talks that they missed. Its methods
// may be called from any goroutine.
type Digests struct {
	answers *Answers
	teller  Teller
}

// NewDigests returns Digests made by a teller. If that is nil, there are no digests.
func NewDigests(answers *Answers, teller Teller) *Digests { return &Digests{answers, teller} }

// Give answers a mention without words with a digest, if there is one. It answers
// anything else as Answers.Give does.
func (d *Digests) Give(ctx context.Context, log *slog.Logger, p *Prepared) (Outcome, error) {
	if d.teller == nil || !p.Calls || p.Place.Direct || p.Hidden || p.Alone {
		return d.answers.Give(ctx, log, p)
	}
	digest, told, err := d.digest(ctx, p)
	if err != nil {
		log.Log(ctx, work.LogLevel(err), "it could not be told what was talked about, the model answers as it would a question", "error", err)
	}
	if err != nil || !told {
		return d.answers.Give(ctx, log, p)
	}
	return d.send(ctx, log, p, &digest)
}

// digest makes the digest for a mention without words. heddle shows as typing
// meanwhile.
func (d *Digests) digest(ctx context.Context, p *Prepared) (digest Digest, told bool, err error) {
	typing, stop := context.WithCancel(ctx)
	defer d.answers.outbox.Typing(typing, p.Channel)()
	defer stop()
	return d.teller.Digest(ctx, p.Question.Question, p.Person())
}

// send sends a digest and records it, so that it is erased together with its sources,
// and replaced if the mention is edited. A digest is never reused, as it is about what
// one person missed.
func (d *Digests) send(ctx context.Context, log *slog.Logger, p *Prepared, digest *Digest) (Outcome, error) {
	a := d.answers
	p.Account.Unasked(ctx) // the model's requests were charged one by one
	ctx, p.gone = a.deleted.watch(ctx, p.Job, p.started)
	a.recorder.begins(p)
	response := a.recorder.response(p, llm.Answer{Text: digest.Text, FinishReason: llm.FinishStop})
	response.Sources, response.TimeBound = append(response.Sources, digest.Sources...), true
	a.recorder.made(p, &response)
	ending, cancel := work.Ending(ctx, a.flush)
	defer cancel()
	sent, err := a.outbox.Put(ending, p.to(), digest.Text, outbox.Final{Buttons: digest.Buttons})
	if work.IsQuestionGone(ctx) {
		return a.deleted.remove(ctx, log, p.Channel, p.standing(sent))
	}
	a.recorder.record(ending, log, p.Job, &response, whole(sent, err))
	if err != nil {
		return unsent(ctx, log, err)
	}
	return a.deleted.settle(ctx, log, p, sent, Answered)
}
