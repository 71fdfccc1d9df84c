package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"heddle/bot/alternatives"
	"heddle/bot/commands"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// press is the key of a queue of its own for one interaction, or for one message whose buttons
// are corrected. Discord does not wait for an answer that is being streamed.
type press struct {
	interaction discord.InteractionID
	message     graph.MessageID
}

// dedupeKey is what somebody wants who presses a button. Pressing it again wants no more.
type dedupeKey struct {
	message graph.MessageID
	button  string
	person  graph.UserID
}

// presser answers presses of the button that asks afresh.
type presser struct {
	answers *answerer
	// asking are the queues of commands that ask the model. They have slots of their own, so
	// that a model that hangs delays nothing else.
	asking  *queues[press]
	presses *alternatives.Alternatives
	pending sync.Map // by dedupeKey: the newest press that waits for its turn
}

// Press handles a press of the button that asks the question of an answer once more.
func (d *Dispatcher) Press(pressed discord.Interaction) {
	p := commands.NewUse(pressed, d.answers.intake.guilds.PlaceOf(&pressed))
	err := d.answers.presses.push(press{interaction: p.ID}, job{by: asker{p.Guild, p.User.ID}, run: func(ctx context.Context) { d.pressed.handle(ctx, p) }})
	if err != nil {
		d.answers.log.Warn("a press is ignored", "press", p.ID, "channel", p.Channel, "error", err)
	}
}

// handle acknowledges a press and carries it out. The process whose acknowledgement
// Discord accepts is the only one to do so. The press waits its turn in the channel. If
// somebody presses one button several times, only the newest press waits.
func (d *presser) handle(ctx context.Context, p *commands.Use) {
	log := d.pressLog(p)
	presses := d.presses
	if !presses.Acknowledge(ctx, log, p) {
		return
	}
	switch {
	case d.answers.intake.gate.OptedOut(p.User.ID):
		presses.Refuse(ctx, log, p, work.ErrOptedOut)
	case !d.answers.intake.gate.Permits(p.Asker()):
		presses.Refuse(ctx, log, p, work.ErrNotPermitted)
	default:
		d.queuePress(ctx, p)
	}
}

func (d *presser) pressLog(p *commands.Use) *slog.Logger {
	return d.answers.log.With("press", p.ID, "channel", p.Channel, "message", p.Message)
}

// queuePress has a press wait for its turn in its channel.
func (d *presser) queuePress(ctx context.Context, p *commands.Use) {
	key := dedupeKey{p.Message, p.CustomID, p.User.ID}
	if _, waits := d.pending.Swap(key, p); waits {
		return
	}
	err := d.answers.queues.push(p.Channel, job{by: asker{p.Guild, p.User.ID}, run: func(ctx context.Context) {
		if newest, waits := d.pending.LoadAndDelete(key); waits {
			d.ask(ctx, newest.(*commands.Use)) //nolint:forcetypeassert // it holds nothing else
		}
	}})
	if err == nil {
		return
	}
	if _, waits := d.pending.LoadAndDelete(key); waits {
		d.presses.Refuse(ctx, d.pressLog(p), p, err)
	}
}

// ask answers what somebody asked with a press. It tries again while Discord or the store is
// away, or while somebody else changes the answer. An edit of the question, which ends the
// answer, is answered instead.
func (d *presser) ask(ctx context.Context, p *commands.Use) {
	log := d.pressLog(p)
	_, err := d.presses.Ask(ctx, log, p)
	switch {
	case err == nil:
		log.DebugContext(ctx, "a task is done")
	case errors.Is(err, work.ErrEdited):
	case isPassing(err) && ctx.Err() == nil:
		log.InfoContext(ctx, "a press is tried again later", "error", err)
		time.AfterFunc(work.Retry, func() { d.queuePress(ctx, p) })
	default:
		d.presses.Refuse(ctx, log, p, err)
	}
}

// Interaction runs answer, which responds to a use of a command, in a queue of its own. If
// the response needs the model, answer returns soon, with the function that asks it. That
// waits for its turn.
func (d *Dispatcher) Interaction(i *discord.Interaction, answer func(context.Context) (ask func(context.Context))) {
	key, by := press{interaction: i.ID}, asker{i.Guild, i.User.ID}
	log := d.answers.log.With("interaction", i.ID)
	err := d.answers.presses.push(key, job{by: by, run: func(ctx context.Context) {
		ask := answer(ctx)
		if ask == nil {
			return
		}
		if err := d.pressed.asking.push(key, job{by: by, run: ask}); err != nil {
			log.WarnContext(ctx, "a command is not answered", "error", err)
		}
	}})
	if err != nil {
		log.Warn("a command is ignored", "error", err)
	}
}

// Once has one of several processes do something.
func (d *Dispatcher) Once(guild graph.GuildID, key store.ClaimKey, do func(context.Context) error) {
	err := d.answers.presses.push(press{interaction: discord.InteractionID(guild)}, job{by: asker{guild: guild}, run: func(ctx context.Context) {
		if err := d.answers.once(ctx, key, func() error { return do(ctx) }); err != nil {
			d.answers.log.Log(ctx, work.LogLevel(err), "what is done once for a guild failed", "guild", guild, "error", err)
		}
	}})
	if err != nil {
		d.answers.log.Warn("a guild is not greeted", "guild", guild, "error", err)
	}
}

// once does something unless another process does or did it, and marks it as done.
func (d *answerer) once(ctx context.Context, key store.ClaimKey, do func() error) error {
	lease, err := d.claims.Claim(ctx, key, d.leases.TTL())
	switch {
	case errors.Is(err, store.ErrHeld), errors.Is(err, store.ErrDone):
		return nil
	case errors.Is(err, store.ErrUnavailable) && d.leases.Alone():
		return do()
	case err != nil:
		return err
	}
	if err := do(); err != nil {
		return errors.Join(err, d.claims.Release(ctx, lease))
	}
	d.records.Add(func(ctx context.Context) error { return d.claims.Done(ctx, lease, "done") })
	return nil
}
