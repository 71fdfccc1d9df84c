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
	"heddle/store"
)

// pressTimeout bounds acknowledging a press, and each step of what follows.
const pressTimeout = 30 * time.Second

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
	name, response, ok := parseButton(press.CustomID)
	if !ok {
		name = ""
	}
	return &Press{press, place, name, response}
}

// IsKnown reports whether the button is one of this version of heddle's.
func (p *Press) IsKnown() bool { return p.button != "" }

// Asks reports whether the press has a question answered. It then waits its turn in
// the channel.
func (p *Press) Asks() bool { return p.button == buttonAgain || p.button == buttonEdit }

// at returns where to answer the person who pressed.
func (p *Press) at() outbox.Press {
	return outbox.Press{ID: p.ID, Application: p.Application, Token: p.Token, Person: p.User.ID}
}

// Presses does what buttons are pressed for. Its methods may be called from any
// goroutine.
type Presses struct {
	answers  *answer.Answers
	edits    *Edits
	displays *displays
	pressed  *pressed
	menu     *menu
	inflight *work.Inflight
	outbox   *outbox.Outbox
	replies  *outbox.Interactions
	explain  func(error) phrases.Phrase
	flush    time.Duration
}

// Acknowledge acknowledges a press and reports whether it is this process's to handle.
// If several processes hear of a press, the one whose acknowledgement Discord accepts
// handles it. Discord waits 3 seconds and then accepts none.
func (s *Presses) Acknowledge(ctx context.Context, log *slog.Logger, p *Press) bool {
	ctx, cancel := context.WithTimeout(ctx, pressTimeout)
	defer cancel()
	acknowledge := s.replies.Acknowledge
	if p.button == buttonMore {
		acknowledge = s.replies.Promise
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
func (s *Presses) Do(ctx context.Context, log *slog.Logger, p *Press) {
	stepping, cancel := context.WithTimeout(ctx, pressTimeout)
	defer cancel()
	do := s.step
	switch p.button {
	case buttonStop:
		do = s.stop
	case buttonMore:
		do = s.menu.open
	case itemDelete:
		do = s.menu.remove
	case itemThread:
		do = s.menu.startThread
	case itemFile:
		do = s.menu.sendFile
	}
	if err := do(stepping, log, p); err != nil {
		s.Refuse(ctx, log, p, err)
	}
}

// step shows the alternative that the pressed button leads to. If that alternative is
// gone, step tells the person so, and removes the buttons that lead nowhere.
func (s *Presses) step(ctx context.Context, log *slog.Logger, p *Press) error {
	d, release, err := s.pressed.lock(ctx, log, p)
	if err != nil {
		return err
	}
	defer release()
	to := indexOf(d.all, p.response)
	if to < 0 || len(d.all) < 2 {
		s.teller(log, p)(ctx, s.explain(ErrAnswersGone))
		return s.displays.relabel(ctx, d)
	}
	if err := s.displays.show(ctx, log, d, to, outbox.Interaction(p.ID)); err != nil {
		return err
	}
	log.InfoContext(ctx, "another alternative is shown", "trigger", d.all[to].Trigger, "shown", to+1, "of", len(d.all))
	return nil
}

// Ask has the question answered that the press is about. If something fails before the
// answer begins, the person who pressed is told.
func (s *Presses) Ask(ctx context.Context, log *slog.Logger, p *Press) (answer.Outcome, error) {
	question := answer.Question{Question: conversation.Question{Guild: p.Guild, Channel: p.Channel, Place: p.Place, Asker: p.User.ID}}
	outcome, err := s.ask(ctx, log, p, &question)
	if outcome == answer.Answered && p.button == buttonAgain {
		s.displays.recount(ctx, log, question, s.flush)
	}
	return outcome, err
}

// ask has the question answered that the press is about, and fills in the fields of
// question.
func (s *Presses) ask(ctx context.Context, log *slog.Logger, p *Press, question *answer.Question) (answer.Outcome, error) {
	d, release, err := s.pressed.lock(ctx, log, p)
	if err != nil {
		s.Refuse(ctx, log, p, err)
		return answer.Dropped, nil
	}
	defer release()
	question.ID = d.current().Trigger
	ctx, end := s.inflight.Begin(ctx, question.ID)
	defer end()
	log = log.With("trigger", question.ID)
	if p.button == buttonEdit {
		return s.answerEdit(ctx, log, p, d, *question)
	}
	return s.askAfresh(ctx, log, p, d, *question)
}

// askAfresh has a question answered once more, in place of the answer that stands. The
// replaced answer stays an alternative unless the question was edited since. If the
// message shows another answer by now than when the button was shown, askAfresh only
// tells the person who pressed.
func (s *Presses) askAfresh(ctx context.Context, log *slog.Logger, p *Press, d *display, q answer.Question) (answer.Outcome, error) {
	shown := d.current()
	if shown.ID != p.response {
		s.say(ctx, log, p, phrases.AnswerChanged)
		return answer.Dropped, nil
	}
	generation, err := s.edits.wording.generation(ctx, q, shown, &d.newest)
	if err != nil {
		log.DebugContext(ctx, "a question could not be compared with what was answered, it counts as unchanged", "error", err)
	}
	if generation != shown.Generation {
		job := s.edits.jobs.edit(q, generation, d.parts, d.reply, s.teller(log, p))
		job.Fresh = true
		return s.edits.answerInPlace(ctx, log, job, shown)
	}
	job := s.edits.jobs.afresh(q, d, outbox.Interaction(p.ID), s.teller(log, p))
	ready, err := s.answers.Prepare(ctx, job)
	if err != nil {
		return s.answers.Fail(ctx, log, job, err)
	}
	return s.answers.Give(ctx, log, ready)
}

// answerEdit has a question answered as it was edited, in place of the answer that
// offered to. It does nothing if somebody else has already done so since the button was
// shown.
func (s *Presses) answerEdit(ctx context.Context, log *slog.Logger, p *Press, d *display, q answer.Question) (answer.Outcome, error) {
	if !d.offers || indexOf(d.all, p.response) < 0 {
		return s.tellIf(ctx, log, p, s.displays.relabel(ctx, d))
	}
	shown := d.current()
	changed, err := s.edits.wording.changed(ctx, q, shown)
	switch {
	case err != nil:
		return s.tellIf(ctx, log, p, err)
	case !changed:
		return s.tellIf(ctx, log, p, s.displays.unoffer(ctx, d))
	}
	job := s.edits.jobs.edit(q, shown.Generation+1, d.parts, 0, s.teller(log, p)) // it stands below the question itself
	return s.edits.answerInPlace(ctx, log, job, shown)
}

// tellIf tells the person who pressed of an error, if there is one. It returns the
// outcome of a press that nothing is answered for.
func (s *Presses) tellIf(ctx context.Context, log *slog.Logger, p *Press, err error) (answer.Outcome, error) {
	if err != nil {
		s.Refuse(ctx, log, p, err)
	}
	return answer.Dropped, nil
}

// Refuse tells the person who pressed, and nobody else, why the press failed. If the
// answers are gone, Refuse removes the buttons.
func (s *Presses) Refuse(ctx context.Context, log *slog.Logger, p *Press, err error) {
	ending, cancel := work.Ending(ctx, s.flush)
	defer cancel()
	log.Log(ctx, work.LogLevel(err), "nothing came of a press, the person is told", "error", err)
	if errors.Is(err, ErrAnswersGone) {
		if err := s.outbox.SetButtons(ending, p.Channel, p.Message, nil); err != nil {
			log.WarnContext(ctx, "buttons that lead nowhere could not be removed", "error", err)
		}
	}
	s.teller(log, p)(ending, s.explain(err))
}

// RefuseUnknown answers a press of a button that this version of heddle does not know,
// such as one of an earlier version.
func (s *Presses) RefuseUnknown(ctx context.Context, log *slog.Logger, p *Press) {
	log.InfoContext(ctx, "a press of an unknown button is refused")
	s.say(ctx, log, p, phrases.ButtonUnknown)
}

// say tells the person who pressed something, in their language.
func (s *Presses) say(ctx context.Context, log *slog.Logger, p *Press, id phrases.ID) {
	s.teller(log, p)(ctx, phrases.Phrase{ID: id})
}

// teller returns what tells the person who pressed something.
func (s *Presses) teller(log *slog.Logger, p *Press) tell {
	l := p.language()
	return func(ctx context.Context, said phrases.Phrase) {
		if err := s.replies.SendEphemeral(ctx, p.at(), l.Say(said)); err != nil {
			log.WarnContext(ctx, "the person who pressed a button could not be told why nothing came of it", "error", err)
		}
	}
}
