package dispatch

import (
	"context"
	"errors"
	"log/slog"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/bot/work"
	"heddle/internal/discord"
	"heddle/store"
)

// ErrPlaceUnknown means that Discord has not reported a channel yet, so that the scope of
// its answers is unknown.
var ErrPlaceUnknown = errors.New("the channel is not known yet")

// ErrLate means that a press waited for so long that Discord soon takes no answer to it.
var ErrLate = errors.New("the press waited for too long")

// Press handles a press of a button. Each press has a queue of its own, as Discord does
// not wait for an answer that is being streamed.
func (d *Dispatcher) Press(pressed discord.Interaction) {
	d.intake.guilds.Meet(pressed.At, pressed.Guild)
	p := alternatives.ParsePress(pressed, d.intake.guilds.Place(pressed.Channel, pressed.Guild))
	err := d.presses.push(press{interaction: p.ID}, job{by: asker{p.Guild, p.User.ID}, run: func(ctx context.Context) { d.handlePress(ctx, p) }})
	if err != nil {
		d.log.Warn("a press is ignored", "press", p.ID, "channel", p.Channel, "error", err)
	}
}

// Interaction runs answer, which responds to a use of a command, in a queue of its own.
func (d *Dispatcher) Interaction(id discord.InteractionID, answer func(context.Context)) {
	if err := d.presses.push(press{interaction: id}, job{run: answer}); err != nil {
		d.log.Warn("a command is ignored", "interaction", id, "error", err)
	}
}

// handlePress acknowledges a press and carries it out. A press that needs a new answer
// waits its turn in the channel. If somebody presses one button several times, only the
// newest press waits.
func (d *Dispatcher) handlePress(ctx context.Context, p *alternatives.Press) {
	log := d.log.With("press", p.ID, "channel", p.Channel, "message", p.Message)
	presses := d.pressed
	if !presses.Acknowledge(ctx, log, p) {
		return
	}
	switch {
	case !p.IsKnown():
		presses.RefuseUnknown(ctx, log, p)
	case p.Guild != 0 && !d.intake.guilds.Knows(p.Channel):
		presses.Refuse(ctx, log, p, ErrPlaceUnknown)
	case p.Asks() && d.intake.optedOut(p.User.ID):
		presses.Refuse(ctx, log, p, work.ErrOptedOut)
	case p.Asks() && !d.intake.permits(p.Guild, p.Channel, p.User.ID, p.Member):
		presses.Refuse(ctx, log, p, work.ErrNotPermitted)
	case !p.Asks():
		presses.Do(ctx, log, p)
	default:
		t := &task{
			key: store.InteractionClaim(p.ID), channel: p.Channel, by: asker{p.Guild, p.User.ID}, asked: p.ID.Time(), log: log,
			do:   func(ctx context.Context, log *slog.Logger) (answer.Outcome, error) { return presses.Ask(ctx, log, p) },
			late: func(ctx context.Context) { presses.Refuse(ctx, log, p, ErrLate) },
		}
		if err := d.pushOnce(wish{p.Message, p.CustomID, p.User.ID}, t); err != nil {
			presses.Refuse(ctx, log, p, err)
		}
	}
}
