package answer

import (
	"context"
	"errors"
	"sync"
	"time"

	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/bot/tools"
	"heddle/internal/telemetry"
)

// ErrHalted means that somebody stopped an answer. Its text so far is the whole answer.
var ErrHalted = errors.New("somebody stopped the answer")

// grow lets the model answer and shows the answer as it grows. heddle shows as typing
// until there is text to read. It ends early once nobody can read the answer any more, or
// once somebody stops it.
func (a *Answers) grow(ctx context.Context, p *Prepared) (tools.Outcome, *reply.Growing, error) {
	silent, speak := context.WithCancel(ctx)
	defer a.deps.Replies.Typing(silent, p.Channel)()
	defer speak()
	wanted, halt := context.WithCancelCause(ctx)
	defer halt(nil)
	to := p.to()
	below, end := p.Target.Growing(p.Person, func() { halt(ErrHalted) })
	defer end()
	to.Growing = below
	show := &shown{out: a.deps.Replies.Begin(ctx, to), said: p.language()}
	reading, stop := show.out.While(wanted)
	defer stop()
	asked := time.Now()
	show.first = sync.OnceFunc(func() {
		speak()
		telemetry.Took(ctx, telemetry.FirstText, time.Since(asked))
	})
	defer telemetry.Stage(ctx, telemetry.Model)()
	outcome, err := a.deps.Loop.Run(reading, p.Request(), p.toolPlace(), show)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(reading), ErrHalted) {
		err = ErrHalted
	}
	return outcome, show.out, err
}

// blame returns the error to log about the model: reply.ErrRefused if it was stopped because
// of Discord, and none if somebody stopped it.
func blame(out *reply.Growing, err error) error {
	switch {
	case out.Refused() != nil:
		return reply.ErrRefused
	case errors.Is(err, ErrHalted):
		return nil
	}
	return err
}

// toolPlace returns where tools work for a job.
func (p *Prepared) toolPlace() tools.Place {
	return tools.Place{Guild: p.Guild, Channel: p.Channel, Trigger: p.ID, Person: p.Person, Names: p.Built.Names, Account: p.Account, Past: p.Past}
}

// shown shows an answer on Discord as it grows.
type shown struct {
	out   *reply.Growing
	said  phrases.Language
	first func() // called with the first text, and possibly again
}

// Append implements tools.Show.
func (s *shown) Append(text string) {
	s.first()
	s.out.Append(text)
}

// Replace implements tools.Show.
func (s *shown) Replace(text string) { s.out.Replace(text) }

// Doing implements tools.Show.
func (s *shown) Doing(tool string) { s.out.Doing(s.said.Doing(tool)) }
