package alternatives

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/guilds"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/bot/work"
	"heddle/internal/discord"
	"heddle/internal/wait"
	"heddle/store"
)

const (
	pressTimeout = 30 * time.Second // bounds acknowledging a press, and each step of what follows
	storingTime  = 2 * time.Second  // from sending a part of an answer to recording it
	justSent     = 10 * time.Second // from when a message was sent or edited until a press
)

// Press is a button of heddle's that somebody pressed. Its Message is the answer that
// the button is about, also if the button is one of a menu.
type Press struct {
	discord.Interaction

	Place    guilds.Place
	button   string // its name; empty for one that this version does not know
	response store.ResponseID
}

// ParsePress returns a press of a button.
func ParsePress(press discord.Interaction, place guilds.Place) *Press {
	if name, answer, ok := parseItem(press.CustomID); ok && press.Private {
		press.Message = answer
		return &Press{Interaction: press, Place: place, button: name}
	}
	if _, _, ok := parseStop(press.CustomID); ok {
		return &Press{Interaction: press, Place: place, button: buttonStop}
	}
	if name, response, ok := parseButton(press.CustomID); ok {
		return &Press{press, place, name, response}
	}
	return &Press{Interaction: press, Place: place}
}

// IsKnown reports whether the button is one of this version of heddle's.
func (p *Press) IsKnown() bool { return p.button != "" }

// Asks reports whether the press has a question answered. It then waits its turn in
// the channel.
func (p *Press) Asks() bool { return p.button == buttonAgain }

// at returns where to answer the person who pressed.
func (p *Press) at() outbox.Press {
	return outbox.Press{ID: p.ID, Application: p.Application, Token: p.Token, Person: p.User.ID}
}

// Acknowledge acknowledges a press and reports whether it is this process's to handle.
// If several processes hear of a press, the one whose acknowledgement Discord accepts
// handles it. Discord waits 3 seconds and then accepts none.
func (a *Alternatives) Acknowledge(ctx context.Context, log *slog.Logger, p *Press) bool {
	ctx, cancel := context.WithTimeout(ctx, pressTimeout)
	defer cancel()
	acknowledge := a.replies.Acknowledge
	if p.button == buttonMore {
		acknowledge = a.replies.Promise
	}
	err := acknowledge(ctx, p.at())
	switch {
	case errors.Is(err, outbox.ErrAnswered):
		log.DebugContext(ctx, "a press is answered by another process, or came too late")
	case err != nil:
		log.WarnContext(ctx, "a press could not be acknowledged and is dropped", "error", err)
	}
	return err == nil
}

// Do handles a press that asks no question. It shows another alternative, stops an
// answer, opens the menu of an answer, or does what was chosen there.
func (a *Alternatives) Do(ctx context.Context, log *slog.Logger, p *Press) {
	stepping, cancel := context.WithTimeout(ctx, pressTimeout)
	defer cancel()
	do := a.step
	switch p.button {
	case buttonStop:
		do = a.stop
	case buttonMore:
		do = menu{a}.open
	case itemDelete:
		do = menu{a}.remove
	case itemThread:
		do = menu{a}.startThread
	case itemFile:
		do = menu{a}.sendFile
	}
	if err := do(stepping, log, p); err != nil {
		a.Refuse(ctx, log, p, err)
	}
}

// step shows the alternative that the pressed button leads to. If that alternative is
// gone, step tells the person so, and removes the buttons that lead nowhere.
func (a *Alternatives) step(ctx context.Context, log *slog.Logger, p *Press) error {
	d, release, err := a.lockPressed(ctx, log, p)
	if err != nil {
		return err
	}
	defer release()
	to := indexOf(d.all, p.response)
	if to < 0 || len(d.all) < 2 {
		a.tell(ctx, log, p, a.explain(ErrAnswersGone))
		return a.relabel(ctx, d)
	}
	if err := a.show(ctx, log, d, to, outbox.Interaction(p.ID)); err != nil {
		return err
	}
	log.InfoContext(ctx, "another alternative is shown", "trigger", d.all[to].Trigger, "shown", to+1, "of", len(d.all))
	return nil
}

// stop ends an answer that grows, for who asked for it and for moderators. What stands
// stays. The process that hears of presses in a channel is the one that answers there,
// unless the channel has just moved to it.
func (a *Alternatives) stop(ctx context.Context, log *slog.Logger, p *Press) error {
	asker, replyTo, _ := parseStop(p.CustomID)
	switch {
	case asker != p.User.ID && !p.moderates():
		a.tell(ctx, log, p, phrases.Phrase{ID: phrases.StopDenied})
	case a.stops.stop(replyTo):
		log.InfoContext(ctx, "an answer is stopped by whom it is for, or by a moderator")
	default:
		a.tell(ctx, log, p, phrases.Phrase{ID: phrases.StopLate})
	}
	return nil
}

// readPressed reads the answer on which a button was pressed. An answer gets its buttons with
// its end, and is recorded right after that. readPressed therefore waits for the record of one
// that was just sent or edited.
func (a *Alternatives) readPressed(ctx context.Context, p *Press) (*display, error) {
	for began := time.Now(); ; {
		d, err := a.read(ctx, p.Place.Scope, p.Channel, p.Message)
		if !errors.Is(err, ErrAnswersGone) || p.ID.Time().Sub(p.Changed) > justSent || time.Since(began) > storingTime {
			return d, err
		}
		if wait.For(ctx, lockPause) != nil {
			return nil, err
		}
	}
}

// lockPressed locks the answer on which a button was pressed, and reads it.
func (a *Alternatives) lockPressed(ctx context.Context, log *slog.Logger, p *Press) (d *display, release func(), err error) {
	if _, err = a.readPressed(ctx, p); err != nil {
		return nil, nil, err
	}
	return a.readLocked(ctx, log, store.Place{Scope: p.Place.Scope, Channel: p.Channel, Message: p.Message})
}

// Ask has the question answered that the press is about. If something fails before the
// answer begins, the person who pressed is told.
func (a *Alternatives) Ask(ctx context.Context, log *slog.Logger, p *Press) (answer.Outcome, error) {
	q := answer.Question{Question: conversation.Question{Guild: p.Guild, Channel: p.Channel, Place: p.Place, Asker: p.User.ID}}
	d, release, err := a.lockPressed(ctx, log, p)
	if err != nil {
		a.Refuse(ctx, log, p, err)
		return answer.Dropped, nil
	}
	q.ID = d.current().Trigger
	ctx, end := a.inflight.Begin(ctx, q.ID)
	defer end()
	outcome, err := func() (answer.Outcome, error) {
		defer release() // before the answers beside this one are locked
		return a.askAfresh(ctx, log.With("trigger", q.ID), p, d, q)
	}()
	if outcome == answer.Answered {
		a.relabelBeside(ctx, log, q)
	}
	return outcome, err
}

// askAfresh has a question answered once more, in place of the answer that stands. The
// replaced answer stays an alternative unless the question was edited since. If the
// message shows another answer by now than when the button was shown, askAfresh only
// tells the person who pressed.
func (a *Alternatives) askAfresh(ctx context.Context, log *slog.Logger, p *Press, d *display, q answer.Question) (answer.Outcome, error) {
	shown := d.current()
	if shown.ID != p.response {
		a.tell(ctx, log, p, phrases.Phrase{ID: phrases.AnswerChanged})
		return answer.Dropped, nil
	}
	if generation := a.generation(ctx, log, q, shown, &d.newest); generation != shown.Generation {
		job := a.edit(q, generation, d.parts, d.reply, p)
		job.Fresh = true
		return a.answerInPlace(ctx, log, job, shown)
	}
	job := a.afresh(q, d, p)
	ready, err := a.answers.Prepare(ctx, job)
	if err != nil {
		return a.answers.Fail(ctx, log, job, err)
	}
	return a.answers.Give(ctx, log, ready)
}

// Refuse tells the person who pressed, and nobody else, why the press failed. If the
// answers are gone, Refuse removes the buttons.
func (a *Alternatives) Refuse(ctx context.Context, log *slog.Logger, p *Press, err error) {
	ending, cancel := work.Ending(ctx, a.flush)
	defer cancel()
	log.Log(ctx, work.LogLevel(err), "nothing came of a press, the person is told", "error", err)
	if errors.Is(err, ErrAnswersGone) {
		if err := a.outbox.SetButtons(ending, p.Channel, p.Message, nil); err != nil {
			log.WarnContext(ctx, "buttons that lead nowhere could not be removed", "error", err)
		}
	}
	a.tell(ending, log, p, a.explain(err))
}

// RefuseUnknown answers a press of a button that this version of heddle does not know,
// such as one of an earlier version.
func (a *Alternatives) RefuseUnknown(ctx context.Context, log *slog.Logger, p *Press) {
	log.InfoContext(ctx, "a press of an unknown button is refused")
	a.tell(ctx, log, p, phrases.Phrase{ID: phrases.ButtonUnknown})
}

// tell tells the person who pressed something, in their language.
func (ds *displays) tell(ctx context.Context, log *slog.Logger, p *Press, said phrases.Phrase) {
	if err := ds.replies.SendEphemeral(ctx, p.at(), p.language().Say(said)); err != nil {
		log.WarnContext(ctx, "the person who pressed a button could not be told why nothing came of it", "error", err)
	}
}
