package answer

import (
	"context"
	"errors"
	"strings"
	"time"

	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/bot/tools"
	"heddle/internal/telemetry"
	"heddle/llm"
)

// ask lets the model answer. It returns nil if the attempt ended without an answer.
func (a *attempt) ask(ctx context.Context, out *reply.Growing) (m *made, ended Ended, err error) {
	follows := a.followStops(ctx, a.held.lease, a.q.repliesTo())
	outcome, failure := a.grow(ctx, out, a.growing)
	follows()
	answer := outcome.Answer
	a.asked(a.Prepared, answer.Usage)
	if ended, over, err := a.interrupted(ctx, out, failure); over {
		return nil, ended, err
	}
	blamed := failure
	if out.Refused() != nil {
		blamed = reply.ErrRefused
	}
	a.logAnswer(ctx, answer, blamed)
	ended = Answered
	if failure != nil {
		answer.FinishReason, ended = finishFailed, Failed
		if errors.Is(failure, ErrHalted) {
			answer.FinishReason, ended = finishStopped, Answered
		}
		if kind := llm.KindOf(failure); kind == llm.Limited || kind == llm.Away {
			telemetry.Count(ctx, telemetry.Turned)
		}
	}
	if failure != nil && strings.TrimSpace(answer.Text) == "" {
		if ended, over, err := a.without(ctx, out, failure); over {
			return nil, ended, err
		}
	}
	m = &made{response: a.response(answer), files: outcome.Files, ended: ended}
	m.notice = a.notice(answer, outcome.Outside, failure)
	m.response.Notice = m.notice
	addTools(&m.response, &outcome, a.Past)
	a.countAnswered(&outcome)
	return m, "", nil
}

// grow shows the model's answer as it grows. heddle shows as typing until there is text to read.
// The model is stopped once nobody can read the answer any more, or once somebody stops it.
func (a *prepared) grow(ctx context.Context, out *reply.Growing, growing *growing) (tools.Outcome, error) {
	silent, speak := context.WithCancel(ctx)
	defer a.deps.Replies.Typing(silent, a.q.Channel)()
	defer speak()
	wanted, halt := context.WithCancelCause(ctx)
	defer halt(nil)
	growing.mayHalt(halt)
	defer growing.mayHalt(nil)
	reading, stop := out.While(wanted)
	defer stop()
	defer telemetry.Stage(ctx, telemetry.Model)()
	outcome, err := a.deps.Loop.Run(reading, a.Request(), a.toolPlace(), &shown{out: out, said: a.language(), asked: time.Now(), ctx: ctx, speak: speak})
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(reading), ErrHalted) {
		err = ErrHalted
	}
	return outcome, err
}

// toolPlace returns where the tools of an answer work.
func (a *prepared) toolPlace() tools.Place {
	return tools.Place{Guild: a.q.Guild, Channel: a.q.Channel, Trigger: a.q.ID, Person: a.Person, Names: a.Built.Names, Account: a.Account, Past: a.Past}
}

// shown shows an answer on Discord as it grows.
type shown struct {
	out   *reply.Growing
	said  phrases.Language
	asked time.Time          // when the model was asked
	spoke bool               // something was said
	ctx   context.Context    //nolint:containedctx // of the measurement of the first text
	speak context.CancelFunc // ends the typing indicator
}

// Append implements tools.Show.
func (s *shown) Append(text string) {
	if !s.spoke {
		s.speak()
		telemetry.Took(s.ctx, telemetry.FirstText, time.Since(s.asked))
	}
	s.spoke = true
	s.out.Append(text)
}

// Replace implements tools.Show.
func (s *shown) Replace(text string) { s.out.Replace(text) }

// Doing implements tools.Show.
func (s *shown) Doing(tool string) { s.out.Doing(s.said.Doing(tool)) }

// countAnswered counts an answer of the model if it has a text or cost tokens.
func (a *prepared) countAnswered(outcome *tools.Outcome) {
	if outcome.Answer.Usage != (llm.Usage{}) || outcome.Answer.Text != "" {
		a.Account.Answered()
	}
}

// logAnswer logs how the model ended; err is what went wrong with it.
func (a *prepared) logAnswer(ctx context.Context, answer llm.Answer, err error) {
	_, extends := a.Continues()
	log := a.log.With(
		"path", a.Hash, "messages", len(a.Built.Messages), "background", len(a.Graph.Background), "took", time.Since(a.started),
		"prompt_tokens", answer.Usage.Prompt, "completion_tokens", answer.Usage.Completion, "cached_tokens", answer.Usage.Cached,
		"extends", extends,
	)
	switch {
	case errors.Is(err, reply.ErrRefused):
		log.InfoContext(ctx, "the model was stopped, as Discord refuses its answer", "finish", answer.FinishReason)
	case errors.Is(err, ErrShutdown):
		log.InfoContext(ctx, "the model was stopped, as heddle is stopping")
	case err != nil && !errors.Is(err, ErrHalted):
		log.ErrorContext(ctx, "the model did not answer", "error", err)
	default:
		log.InfoContext(ctx, "answered", "finish", answer.FinishReason)
	}
}
