package answer

import (
	"context"
	"log/slog"

	"heddle/bot/outbox"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/llm"
	"heddle/store"
)

// Digest is what was talked about, as people read it.
type Digest struct {
	Text    string
	Buttons outbox.Rows
	Sources []store.SourceRef // what it was made from
}

// Teller makes digests; catchup.Catchup does.
type Teller interface {
	// Digest returns what was talked about in the channel of a question since whoever asks
	// last wrote there, for everybody to read. It reports false if there is nothing to tell.
	Digest(ctx context.Context, q Question, asker graph.UserID) (d Digest, told bool, err error)
}

// Digests answers calls: mentions of heddle without words that reply to nothing. Whoever
// calls is told what was talked about, which asks no question. Its methods may be called
// from any goroutine.
type Digests struct {
	answers *Answers
	teller  Teller
}

// NewDigests returns Digests that are told by a teller, if it is not nil.
func NewDigests(answers *Answers, teller Teller) *Digests { return &Digests{answers, teller} }

// Give answers what was prepared: a call with what was talked about, and anything else, or
// a call where there is nothing to tell, as Answers does.
func (d *Digests) Give(ctx context.Context, log *slog.Logger, p *Prepared) (Outcome, error) {
	if d.teller == nil || !p.calls || p.Place.Direct || p.hidden || p.alone {
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

// digest has a call told what was talked about, while heddle types.
func (d *Digests) digest(ctx context.Context, p *Prepared) (digest Digest, told bool, err error) {
	typing, stop := context.WithCancel(ctx)
	defer d.answers.outbox.Typing(typing, p.Channel)()
	defer stop()
	return d.teller.Digest(ctx, p.Question, p.asker())
}

// send sends a digest and records it, so that it is erased with what it was made from, and
// replaced if the call is edited. It is given to nobody else: it tells what one person
// missed.
func (d *Digests) send(ctx context.Context, log *slog.Logger, p *Prepared, digest *Digest) (Outcome, error) {
	a := d.answers
	p.account.Unasked(ctx) // the model was charged for each request
	ctx, p.gone = a.watching(ctx, p.Job, p.started)
	a.recorder.begins(p)
	response := a.recorder.response(p, llm.Answer{Text: digest.Text, FinishReason: llm.FinishStop})
	response.Sources, response.TimeBound = append(response.Sources, digest.Sources...), true
	a.recorder.made(p, &response)
	ending, cancel := work.Ending(ctx, a.flush)
	defer cancel()
	sent, err := a.outbox.Put(ending, p.to(), digest.Text, outbox.Final{Buttons: digest.Buttons})
	if work.IsQuestionGone(ctx) {
		return a.remove(ctx, p.Channel, p.standing(sent))
	}
	a.recorder.record(ending, log, p.Job, &response, whole(sent, err))
	if err != nil {
		return unsent(ctx, log, err)
	}
	return Answered, nil
}
