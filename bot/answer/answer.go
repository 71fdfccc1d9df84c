// Package answer answers one question:
//
//	prepare → look up → ask → deliver → record
//
// A Job comes in: a question, and the Target that its answer goes to. Package
// conversation prepares what the question is answered from. If an equal path was answered
// before, the same answer is given again. Otherwise the model is asked, and its answer
// streams to Discord. An Outcome goes out. The answer is recorded, as follow-up questions
// build on it.
//
// The package knows neither queues nor buttons. A Target, which package alternatives
// makes, decides where an answer goes and what stands below it.
package answer

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"heddle/bot/catchup"
	"heddle/bot/conversation"
	"heddle/bot/guilds"
	"heddle/bot/limits"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/bot/tools"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/telemetry"
	"heddle/llm"
	"heddle/store"
)

// Settings are the operator's choice of how answers are made.
type Settings struct {
	ReuseFor   time.Duration // how long an answer may be given again; 0: never
	Confidence Confidence    // how the confidence of answers is compared
	Contact    string        // whom people can ask about trouble that lasts; empty for nobody
}

// Deps are what New needs. All fields but Catchup must be set.
type Deps struct {
	Preparer *conversation.Preparer
	History  *fetch.History
	Store    *store.Store
	Replies  *reply.Replies
	Model    *llm.Client
	Loop     *tools.Loop
	Guilds   *guilds.Cache
	People   *guilds.People
	Catchup  *catchup.Catchup // nil: mentions without words are answered like questions
	Writes   *store.Erasing
	Recent   *Recent
	// Flush is how long after a shutdown began the end of an answer may still be sent.
	Flush time.Duration
	Log   *slog.Logger
}

// Answers answers questions. Its methods may be called from any goroutine.
type Answers struct {
	deps     Deps
	contact  string
	lookup   *lookup
	recorder *recorder
	notified *notified
}

// New returns Answers that work with deps.
func New(deps Deps, settings Settings) *Answers {
	rule := &conversation.Rights{People: deps.People, Guilds: deps.Guilds, Log: deps.Log}
	return &Answers{
		deps: deps, contact: settings.Contact,
		lookup: &lookup{
			responses: deps.Store.Responses, rule: rule, model: deps.Model.Model(), reuseFor: settings.ReuseFor, calls: make(map[store.Want]*call),
		},
		recorder: &recorder{deps, rule, deps.Store.Responses, settings.Confidence},
		notified: newNotified(),
	}
}

// Prepare reads a job's conversation and shapes it into what the model is asked. It
// fails with conversation.ErrQuestionGone if the question was deleted.
func (a *Answers) Prepare(ctx context.Context, job Job) (*Prepared, error) {
	started := time.Now()
	from, err := a.deps.Preparer.Prepare(ctx, job.Question, a.deps.Loop.Offered())
	if err != nil {
		return nil, err
	}
	return &Prepared{Job: job, Prepared: from, started: started}, nil
}

// Preview returns what a question would be answered from if it were asked when it was written.
func (a *Answers) Preview(ctx context.Context, q conversation.Question) (*conversation.Prepared, error) {
	return a.deps.Preparer.Preview(ctx, q, a.deps.Loop.Offered())
}

// Read returns the newest version of a question. It fails with conversation.ErrQuestionGone if
// the question was deleted.
func (a *Answers) Read(ctx context.Context, q conversation.Question) (graph.Message, error) {
	return a.deps.Preparer.Read(ctx, q)
}

// Give answers a prepared question: with a digest, with a stored answer to an equal path,
// with one that is being made for somebody else, or by asking the model.
func (a *Answers) Give(ctx context.Context, log *slog.Logger, p *Prepared) (Outcome, error) {
	digest, told := a.digest(ctx, log, p)
	ctx = a.watch(limits.With(ctx, p.Account), p)
	a.deps.Recent.Begins(p.Where.Trigger, p.Graph, p.Built)
	if told {
		return a.sendDigest(ctx, log, p, &digest)
	}
	call, others := a.lookup.begin(p)
	defer call.end()
	looked := telemetry.Stage(ctx, telemetry.LookUp)
	found := a.lookup.find(ctx, log, p, call, others)
	looked()
	if found != nil {
		return a.repeat(ctx, log, p, found)
	}
	return a.ask(ctx, log, p, call)
}

// ask streams an answer from the model. As soon as it is complete, it is shared with those
// who ask the same, if they may have it.
func (a *Answers) ask(ctx context.Context, log *slog.Logger, p *Prepared, call *call) (Outcome, error) {
	made, out, err := a.grow(ctx, p)
	answer := made.Answer
	if IsQuestionGone(ctx) {
		return a.discard(ctx, log, out)
	}
	a.lookup.asked(p, answer.Usage)
	if cause := context.Cause(ctx); err != nil && p.isContinued(cause) {
		return a.leave(ctx, log, p, out, cause)
	}
	p.log(ctx, log, answer, blame(out, err))
	outcome := Answered
	if err != nil {
		answer.FinishReason = finishFailed
		if errors.Is(err, ErrHalted) {
			answer.FinishReason = finishStopped
		}
		if kind := llm.KindOf(err); kind == llm.Limited || kind == llm.Away {
			telemetry.Count(ctx, telemetry.Turned)
		}
		if strings.TrimSpace(answer.Text) == "" && (len(p.Where.Over) > 0 || a.notified.isSilent(p, err)) {
			return a.failSilently(ctx, log, p, out, answer, err)
		}
	}
	if answer.FinishReason == finishFailed {
		outcome = Failed
	}
	response := a.recorder.response(p, answer)
	response.Notice = a.notice(p, answer, made.Outside, err)
	addTools(&response, &made, p.Past)
	countAnswered(p, &made)
	if shared := response; reusable(&shared) { // a copy, as the response still changes
		call.share(&shared)
	}
	return a.deliver(ctx, log, p, delivery{out: out, files: made.Files, response: &response, notice: response.Notice, outcome: outcome})
}

// countAnswered counts an answer of the model if it has a text or cost tokens.
func countAnswered(p *Prepared, outcome *tools.Outcome) {
	if outcome.Answer.Usage != (llm.Usage{}) || outcome.Answer.Text != "" {
		p.Account.Answered()
	}
}

// repeat sends a stored answer again.
func (a *Answers) repeat(ctx context.Context, log *slog.Logger, p *Prepared, stored *store.Response) (Outcome, error) {
	p.Account.RefundRequest(ctx)
	again := a.recorder.again(p, stored)
	notice := stored.Notice
	if stored.Trigger != p.ID { // otherwise this is the same answer, delivered again or after the question was edited back
		notice = phrases.Lines(Notice(p.language(), &again), a.notified.noHistory(p))
	}
	log.InfoContext(ctx, "answered again", "path", p.Hash, "messages", len(p.Built.Messages), "took", time.Since(p.started))
	return a.deliver(ctx, log, p, delivery{out: a.deps.Replies.Begin(ctx, p.to()), text: again.Text, response: &again, notice: notice, outcome: Reused})
}

// digest makes the digest for a mention of heddle without words that replies to nothing,
// which asks no question. It reports false if there is none to make, or after an error,
// which it logs. heddle shows as typing meanwhile.
func (a *Answers) digest(ctx context.Context, log *slog.Logger, p *Prepared) (digest catchup.Digest, told bool) {
	if a.deps.Catchup == nil || !p.Calls || p.Place.Direct || p.Hidden || p.Alone {
		return catchup.Digest{}, false
	}
	defer a.deps.Replies.Typing(ctx, p.Channel)()
	digest, told, err := a.deps.Catchup.Digest(ctx, p.Question, p.Person)
	if err != nil {
		log.Log(ctx, store.LogLevel(err), "it could not be told what was talked about, the model answers as it would a question", "error", err)
	}
	return digest, told && err == nil
}

// sendDigest sends a digest and records it, so that it is erased together with its sources,
// and replaced if the mention is edited. A digest is never reused, as it is about what
// one person missed.
func (a *Answers) sendDigest(ctx context.Context, log *slog.Logger, p *Prepared, digest *catchup.Digest) (Outcome, error) {
	p.Account.RefundRequest(ctx) // the model's requests were charged one by one
	if digest.Trouble != nil {
		digest.Text = phrases.Lines(digest.Text, "-# "+p.language().Say(Sentence(digest.Trouble).OrAsk(a.contact)))
	}
	response := a.recorder.response(p, llm.Answer{Text: digest.Text, FinishReason: llm.FinishStop})
	response.Sources, response.TimeBound = append(response.Sources, digest.Sources...), true
	return a.deliver(ctx, log, p, delivery{
		out: a.deps.Replies.Begin(ctx, p.to()), text: digest.Text, response: &response, buttons: digest.Buttons, outcome: Answered,
	})
}

// delivery is an answer whose end is to be sent, or all of it.
type delivery struct {
	out      *reply.Growing
	text     string // behind what was sent while the answer grew
	files    []tools.File
	response *store.Response // to be recorded
	notice   string
	buttons  reply.Rows // nil: those of the target
	outcome  Outcome
}

// deliver sends the end of an answer with its files and buttons, and records the answer.
// If the question is deleted meanwhile, deliver deletes the answer again. It sends all of it
// first: if sending broke off, nobody would know whether Discord has created the message.
func (a *Answers) deliver(ctx context.Context, log *slog.Logger, p *Prepared, d delivery) (Outcome, error) {
	ending, cancel := Ending(ctx, a.deps.Flush)
	defer cancel()
	// A response that replaces another counts as shown from now on, as its last edit must not
	// arrive before the observer knows.
	a.deps.Recent.Made(d.response, p.Graph, p.Built)
	a.deps.Recent.Shows(p.Where.Over, d.response.ID)
	final := reply.Final{Text: d.text, Notice: d.notice, Files: uploads(d.files), Buttons: d.buttons}
	if d.buttons == nil {
		final.Buttons = p.Target.Buttons(ending, log, d.response)
	}
	delivered := telemetry.Stage(ending, telemetry.Deliver)
	sent, err := d.out.Finish(ending, final)
	delivered()
	if isGone(ctx, err) {
		return a.discard(ctx, log, d.out)
	}
	d.response.Artifacts = artifacts(d.files, sent, err)
	if errors.Is(err, reply.ErrFiles) {
		sent, err = a.tellNoFiles(ending, log, p, sent, err)
	}
	stands := a.recorder.record(ending, log, p.Job, d.response, whole(sent, err))
	switch {
	case err != nil:
		return unsent(ctx, log, err)
	case !stands:
		return a.anew(ctx, log, p, sent)
	}
	return a.unlessGone(ctx, log, p, sent, d.outcome)
}

// mostAnew bounds how often a question is answered anew, as a person may take back one
// message after the other. The last answer then stands, and is never used.
const mostAnew = 3

// anew answers a question once more, over an answer that was made from something that was
// taken back while it was given: deleted, or by somebody who opted out or was forgotten. If that was
// the question itself, anew deletes the answer instead.
func (a *Answers) anew(ctx context.Context, log *slog.Logger, p *Prepared, sent []reply.Sent) (Outcome, error) {
	job := p.Job
	job.Begun, job.Retried, job.anew = p.standing(sent), true, p.anew+1
	if job.anew > mostAnew {
		return a.unlessGone(ctx, log, p, sent, Answered)
	}
	again, err := a.Prepare(ctx, job)
	switch {
	case err == nil && !p.Calls && slices.EqualFunc(p.Sources, again.Sources, isSame):
		// What was taken back is the answer itself, or was given back, as when somebody opts in
		// right after they were forgotten. Whatever is answered now is refused as well.
		return a.unlessGone(ctx, log, p, sent, Answered)
	case err == nil:
		log.InfoContext(ctx, "something that an answer was made from was taken back meanwhile, the question is answered anew")
		return a.Give(ctx, log, again)
	case isGone(ctx, err), errors.Is(err, conversation.ErrOptedOut):
		return a.remove(ctx, log, job.Channel, job.Begun)
	default:
		return a.Fail(ctx, log, job, err)
	}
}

// isSame reports whether two sources are the same version of a message.
func isSame(a, b store.SourceRef) bool { return a.Message == b.Message && a.Edited.Equal(b.Edited) }

// Stats returns the counts so far. A request is counted once its look-up has ended.
func (a *Answers) Stats() Stats { return a.lookup.counted() }

// log logs how an answer ended. err is the error to log about the model.
func (p *Prepared) log(ctx context.Context, log *slog.Logger, answer llm.Answer, err error) {
	_, extends := p.Continues()
	log = log.With(
		"path", p.Hash, "messages", len(p.Built.Messages), "background", len(p.Graph.Background), "took", time.Since(p.started),
		"prompt_tokens", answer.Usage.Prompt, "completion_tokens", answer.Usage.Completion, "cached_tokens", answer.Usage.Cached,
		"extends", extends,
	)
	switch {
	case errors.Is(err, reply.ErrRefused):
		log.InfoContext(ctx, "the model was stopped, as Discord refuses its answer", "finish", answer.FinishReason)
	case errors.Is(err, ErrShutdown):
		log.InfoContext(ctx, "the model was stopped, as heddle is stopping")
	case err != nil:
		log.ErrorContext(ctx, "the model did not answer", "error", err)
	default:
		log.InfoContext(ctx, "answered", "finish", answer.FinishReason)
	}
}
