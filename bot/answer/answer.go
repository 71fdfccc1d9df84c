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
	"strings"
	"sync"
	"time"

	"heddle/bot/conversation"
	"heddle/bot/limits"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/bot/sources"
	"heddle/bot/tools"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/telemetry"
	"heddle/llm"
	"heddle/store"
)

// Deps are what New needs. All fields but People must be set.
type Deps struct {
	Preparer *conversation.Preparer
	History  History
	Store    *store.Store
	Outbox   *outbox.Outbox
	Model    Model
	Loop     *tools.Loop
	Guilds   Guilds
	People   sources.People // nil: nobody opts out
	Leases   *work.Leases
	Writes   Flusher
	Observer Observer
	// Explain returns what people read about an error.
	Explain func(error) phrases.Phrase
	// Flush is how long after a shutdown began the end of an answer may still be sent.
	Flush time.Duration
	Log   *slog.Logger
}

// Flusher waits until earlier deletions have reached the store; deferred.Writes is one.
type Flusher interface {
	Flush(ctx context.Context)
}

// Guilds returns heddle's account and the scopes of channels, and decides who may read
// their history; guilds.Permissions does.
type Guilds interface {
	sources.Channels

	Self() discord.User
	// MayReadHistory reports whether both a member and heddle may read a channel's
	// history.
	MayReadHistory(ctx context.Context, guild graph.GuildID, channel graph.ChannelID, user graph.UserID) (bool, error)
}

// Answers answers questions. Its methods may be called from any goroutine.
type Answers struct {
	preparer *conversation.Preparer
	lookup   *lookup
	earlier  earlier
	recorder *recorder
	notified *notified
	deleted  *deletedQuestions
	loop     *tools.Loop
	outbox   *outbox.Outbox
	writes   Flusher
	guilds   Guilds
	explain  func(error) phrases.Phrase
	flush    time.Duration
	counts   *counts
}

// New returns Answers that work with deps.
func New(deps Deps, settings Settings) *Answers {
	responses, model := deps.Store.Responses, deps.Model.Model()
	if deps.People == nil {
		deps.People = conversation.Everybody{}
	}
	lookup := newLookup(responses, deps.Leases, deps.Guilds, deps.People, model, settings.ReuseFor)
	return &Answers{
		preparer: deps.Preparer,
		lookup:   lookup,
		earlier:  responses,
		recorder: &recorder{
			responses: responses, history: deps.History, guilds: deps.Guilds, people: deps.People, observer: deps.Observer,
			model: model, certainty: newCertainty(deps.Store.Measures, deps.Model, settings, deps.Log),
		},
		notified: newNotified(),
		deleted:  &deletedQuestions{deps.Outbox, deps.Flush},
		loop:     deps.Loop,
		outbox:   deps.Outbox,
		writes:   deps.Writes,
		guilds:   deps.Guilds,
		explain:  deps.Explain,
		flush:    deps.Flush,
		counts:   lookup.counts,
	}
}

// Prepare reads a job's conversation and shapes it into what the model is asked. It
// fails with work.ErrQuestionGone if the question was deleted.
func (a *Answers) Prepare(ctx context.Context, job Job) (*Prepared, error) {
	started := time.Now()
	from, err := a.preparer.Prepare(ctx, job.Question.Question)
	if err != nil {
		return nil, err
	}
	return &Prepared{Job: job, Prepared: from, started: started}, nil
}

// Read returns the newest version of a question. It fails with work.ErrQuestionGone if
// the question was deleted.
func (a *Answers) Read(ctx context.Context, q conversation.Question) (graph.Message, error) {
	return a.preparer.Read(ctx, q)
}

// Give answers a prepared question: with a stored answer to an equal path, with one
// that is being made for somebody else, or by asking the model.
func (a *Answers) Give(ctx context.Context, log *slog.Logger, p *Prepared) (Outcome, error) {
	ctx = limits.With(ctx, p.Account)
	ctx, p.gone = a.deleted.watch(ctx, p.Job, p.started)
	a.recorder.begins(p)
	if kept := a.kept(ctx, log, p); kept != nil {
		return a.resend(ctx, log, p, kept)
	}
	looked := telemetry.Stage(ctx, telemetry.LookUp)
	found, lead, err := a.lookup.find(ctx, log, p)
	looked()
	switch {
	case err != nil:
		return a.Fail(ctx, log, p.Job, err)
	case found != nil:
		return a.repeat(ctx, log, p, found)
	}
	defer lead.end()
	return a.ask(ctx, log, p, lead.share)
}

// ask streams an answer from the model. It calls share with the answer as soon as it is
// complete, if others who ask the same may have it.
func (a *Answers) ask(ctx context.Context, log *slog.Logger, p *Prepared, share func(*store.Response)) (Outcome, error) {
	outcome, out, err := a.grow(ctx, p)
	answer := outcome.Answer
	if work.IsQuestionGone(ctx) {
		return a.deleted.takeBack(ctx, log, out)
	}
	a.counts.asked(p, answer.Usage)
	p.log(ctx, log, answer, blame(out, err))
	if err != nil {
		answer.FinishReason = finishOf(err)
		countTurned(ctx, err)
		if strings.TrimSpace(answer.Text) == "" && (len(p.over()) > 0 || a.isSilent(p, err)) {
			ending, cancel := work.Ending(ctx, a.flush)
			defer cancel()
			return a.passOver(ending, log, p, out, answer, err)
		}
	}
	response := a.recorder.response(p, answer)
	response.Notice = a.notice(p, answer, err)
	addTools(&response, &outcome)
	a.recorder.made(p, &response)
	shareIfReusable(response, share)
	return a.deliver(ctx, log, p, out, &outcome, &response)
}

// deliver sends the end of an answer with its files and buttons, and records the answer.
// If the question is deleted meanwhile, deliver deletes the answer again.
func (a *Answers) deliver(
	ctx context.Context, log *slog.Logger, p *Prepared, out *outbox.Answer, made *tools.Outcome, response *store.Response,
) (Outcome, error) {
	ending, cancel := work.Ending(ctx, a.flush)
	defer cancel()
	final := p.Target.Final(ending, log, response, response.Notice)
	final.Files = uploads(made.Files)
	delivered := telemetry.Stage(ending, telemetry.Deliver)
	sent, sending := out.Finish(ending, final)
	delivered()
	if work.IsQuestionGone(ctx) {
		return a.deleted.takeBack(ctx, log, out)
	}
	response.Artifacts = artifacts(made.Files, sent, sending)
	a.preparer.Measure(ending, p.Prepared, &made.Answer, len(made.Requests))
	if isFiles(sending) {
		sent, sending = a.tellNoFiles(ending, log, p, sent, sending)
	}
	a.recorder.record(ending, log, p.Job, response, whole(sent, sending))
	countAnswered(p, made)
	switch {
	case work.IsQuestionGone(ctx): // it was deleted while the answer was sent and recorded
		return a.deleted.takeBack(ctx, log, out)
	case sending != nil:
		return unsent(ctx, log, sending)
	case response.FinishReason == finishFailed:
		return a.deleted.settle(ctx, log, p, sent, Failed)
	default:
		return a.deleted.settle(ctx, log, p, sent, Answered)
	}
}

// ErrHalted means that somebody stopped an answer. Its text so far is the whole answer.
var ErrHalted = errors.New("somebody stopped the answer")

// errStopped means that the model was stopped because Discord accepts no more of its
// answer.
var errStopped = errors.New("discord refuses the answer")

// blame returns the error to log about the model: errStopped if it was stopped because
// of Discord, and none if somebody stopped it.
func blame(out *outbox.Answer, err error) error {
	select {
	case <-out.Stopped():
		return errStopped
	default:
	}
	if errors.Is(err, ErrHalted) {
		return nil
	}
	return err
}

// grow lets the model answer and shows the answer as it grows. heddle shows as typing
// until there is text to read.
func (a *Answers) grow(ctx context.Context, p *Prepared) (tools.Outcome, *outbox.Answer, error) {
	silent, speak := context.WithCancel(ctx)
	defer a.outbox.Typing(silent, p.Channel)()
	defer speak()
	to := p.to()
	below, stopped, end := p.Target.Growing(ctx, p.Person())
	defer end()
	to.Growing = below
	out := a.outbox.Answer(ctx, to)
	show := newShown(ctx, out, p.language(), speak)
	outcome, err := show.stream(ctx, stopped, func(streaming context.Context) (tools.Outcome, error) {
		return a.loop.Run(streaming, p.Request(), a.toolPlace(p), show)
	})
	p.Drop(outcome.Answer.Dropped)
	return outcome, out, err
}

// stream shows the model's answer as it grows, and runs the tools that the model calls.
// It ends early once nobody can read the answer any more, or once somebody stops it. Both
// are watched for as soon as a part of the answer is shown.
func (s *shown) stream(ctx context.Context, stopped <-chan struct{}, ask func(context.Context) (tools.Outcome, error)) (tools.Outcome, error) {
	defer telemetry.Stage(ctx, telemetry.Model)()
	streaming, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	s.seen = sync.OnceFunc(func() {
		watching.Go(func() {
			select {
			case <-s.out.Stopped():
				cancel(errStopped)
			case <-stopped:
				cancel(ErrHalted)
			case <-streaming.Done():
			}
		})
	})
	defer watching.Wait()
	defer cancel(nil)
	outcome, err := ask(streaming)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(streaming), ErrHalted) {
		err = ErrHalted
	}
	return outcome, err
}

// repeat sends a stored answer again. It sends all of it even if the question is deleted
// in the meantime. If sending broke off, nobody would know whether Discord has created
// the message.
func (a *Answers) repeat(ctx context.Context, log *slog.Logger, p *Prepared, stored *store.Response) (Outcome, error) {
	p.Account.Unasked(ctx)
	again := a.recorder.again(p, stored)
	notice := stored.Notice
	if stored.Trigger != p.ID { // otherwise this is the same answer, delivered again or after the question was edited back
		notice = phrases.Lines(Notice(p.language(), &again), a.noHistory(p))
	}
	ending, cancel := work.Ending(ctx, a.flush)
	defer cancel()
	a.recorder.made(p, &again)
	sent, err := a.outbox.Put(ending, p.to(), stored.Text, p.Target.Final(ending, log, &again, notice))
	log.InfoContext(ctx, "answered again", "path", p.Hash(), "messages", len(p.Built.Messages), "took", time.Since(p.started))
	if work.IsQuestionGone(ctx) {
		return a.deleted.remove(ctx, log, p.Channel, p.standing(sent))
	}
	a.recorder.record(ending, log, p.Job, &again, whole(sent, err))
	if err != nil {
		return unsent(ctx, log, err)
	}
	return a.deleted.settle(ctx, log, p, sent, Reused)
}

// TakeBack deletes messages of the answer to a question that was deleted. Its outcome is
// Gone.
func (a *Answers) TakeBack(ctx context.Context, log *slog.Logger, channel graph.ChannelID, parts []graph.MessageID) (Outcome, error) {
	return a.deleted.removeAll(ctx, log, channel, parts)
}

// Stats returns the counts so far. A request is counted once its look-up has ended.
func (a *Answers) Stats() Stats { return a.counts.stats() }

// log logs how an answer ended. err is the error to log about the model.
func (p *Prepared) log(ctx context.Context, log *slog.Logger, answer llm.Answer, err error) {
	log = log.With(
		"path", p.Hash(), "messages", len(p.Built.Messages), "background", len(p.Graph.Background), "took", time.Since(p.started),
		"prompt_tokens", answer.Usage.Prompt, "completion_tokens", answer.Usage.Completion, "cached_tokens", answer.Usage.Cached,
		"extends", p.Extends,
	)
	if errors.Is(err, errStopped) {
		log.InfoContext(ctx, "the model was stopped, as Discord refuses its answer", "finish", answer.FinishReason)
		return
	}
	if err != nil {
		log.ErrorContext(ctx, "the model did not answer", "error", err)
		return
	}
	log.InfoContext(ctx, "answered", "finish", answer.FinishReason)
}
