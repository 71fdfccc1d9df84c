package alternatives

import (
	"context"
	"errors"
	"log/slog"

	"heddle/bot/answer"
	"heddle/bot/commands"
	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/internal/discord"
	"heddle/internal/wait"
	"heddle/store"
)

// buttons does what the buttons below answers are for.
type buttons struct{ *Displays }

// Buttons returns what answers presses of the buttons below answers and of those in their
// menus.
func (a *Alternatives) Buttons() []commands.Command {
	b := &buttons{a.Displays}
	return []commands.Command{
		{Button: buttonShow, Quiet: true, Answer: b.pressed(b.show)},
		{Button: buttonAgain, Quiet: true, Asks: true, Answer: b.pressed(a.again)},
		{Button: buttonStop, Quiet: true, Answer: b.pressed(b.stop)},
		{Button: buttonMore, Afresh: true, Answer: b.pressed(b.open)},
		{Button: itemDelete, Answer: b.chosen(b.remove)},
		{Button: itemThread, Answer: b.chosen(b.startThread)},
		{Button: itemFile, Answer: b.chosen(b.sendFile)},
	}
}

// press carries out a press of a button.
type press func(ctx context.Context, log *slog.Logger, use *commands.Use) (commands.Reply, error)

// pressed returns a press of a button on an answer in the form that commands take. If the press
// fails, whoever pressed reads why.
func (b *buttons) pressed(do press) func(context.Context, *commands.Use) (commands.Reply, error) {
	return func(ctx context.Context, use *commands.Use) (commands.Reply, error) {
		log := b.deps.Log.With("press", use.ID, "channel", use.Channel, "message", use.Message)
		reply, err := do(ctx, log, use)
		if err != nil {
			reply.Text = use.Language.Say(b.refusal(ctx, log, use, err))
		}
		return reply, nil
	}
}

// chosen returns what pressed does for a button in the menu of the answer that the button names.
func (b *buttons) chosen(do press) func(context.Context, *commands.Use) (commands.Reply, error) {
	return func(ctx context.Context, use *commands.Use) (commands.Reply, error) {
		about := *use
		if named := about.Message.UnmarshalText([]byte(use.Rest)) == nil; !use.Private || !named {
			return use.Say("button_unknown", nil), nil
		}
		return b.pressed(do)(ctx, &about)
	}
}

// show shows the alternative that the pressed button leads to. If that alternative is
// gone, show tells the person so, and removes the buttons that lead nowhere.
func (b *buttons) show(ctx context.Context, log *slog.Logger, use *commands.Use) (commands.Reply, error) {
	response, ok := parseResponse(use.Rest)
	if !ok {
		return use.Say("button_unknown", nil), nil
	}
	d, release, err := b.lockPressed(ctx, log, use)
	if err != nil {
		return commands.Reply{}, err
	}
	defer release()
	to := indexOf(d.all, response)
	if to < 0 || len(d.all) < 2 {
		return commands.Reply{Text: use.Language.Say(commands.PressSentence(reply.ErrAnswersGone))}, b.relabel(ctx, d)
	}
	if err := b.Displays.show(ctx, log, d, to, reply.Interaction(use.ID)); err != nil {
		return commands.Reply{}, err
	}
	log.InfoContext(ctx, "another alternative is shown", "trigger", d.all[to].Trigger, "shown", to+1, "of", len(d.all))
	return commands.Reply{}, nil
}

// stop ends an answer that grows, for who asked for it and for moderators. What stands
// stays. The process that hears of presses in a channel is the one that answers there,
// unless the channel has just moved to it.
func (b *buttons) stop(ctx context.Context, log *slog.Logger, use *commands.Use) (commands.Reply, error) {
	asker, replyTo := parseStop(use.Rest)
	switch {
	case asker != use.User.ID && !use.May(discord.PermissionManageMessages):
		return use.Say("stop_denied", nil), nil
	case !b.stops.stop(replyTo):
		return use.Say("stop_late", nil), nil
	}
	log.InfoContext(ctx, "an answer is stopped by whom it is for, or by a moderator")
	return commands.Reply{}, nil
}

// readPressed reads the answer on which a button was pressed, once it is recorded.
func (ds *Displays) readPressed(ctx context.Context, use *commands.Use) (*display, error) {
	if use.Guild != 0 && !ds.deps.Guilds.Knows(use.Channel) {
		return nil, commands.ErrPlaceUnknown
	}
	use.AwaitRecord(ctx, ds.deps.Store.Responses)
	return ds.read(ctx, use.Place.Scope, use.Channel, use.Message)
}

// lockPressed locks the answer on which a button was pressed, and reads it.
func (ds *Displays) lockPressed(ctx context.Context, log *slog.Logger, use *commands.Use) (d *display, release func(), err error) {
	if _, err = ds.readPressed(ctx, use); err != nil {
		return nil, nil, err
	}
	return ds.readLocked(ctx, log, store.Place{Scope: use.Place.Scope, Channel: use.Channel, Message: use.Message})
}

// refusal returns what the person who pressed reads about an error. If the answers are gone,
// refusal removes the buttons.
func (ds *Displays) refusal(ctx context.Context, log *slog.Logger, use *commands.Use, err error) phrases.Phrase {
	ending, cancel := answer.Ending(ctx, ds.deps.Flush)
	defer cancel()
	log.Log(ctx, store.LogLevel(err), "nothing came of a press, the person is told", "error", err)
	if errors.Is(err, reply.ErrAnswersGone) {
		if err := ds.deps.Replies.SetButtons(ending, use.Channel, use.Message, nil); err != nil {
			log.WarnContext(ctx, "buttons that lead nowhere could not be removed", "error", err)
		}
	}
	return commands.PressSentence(err).OrAsk(ds.settings.Contact)
}

// tell tells the person who pressed something, in their language.
func (ds *Displays) tell(ctx context.Context, log *slog.Logger, use *commands.Use, said phrases.Phrase) {
	if err := ds.deps.Replies.SendEphemeral(ctx, use.Press(), use.Language.Say(said)); err != nil {
		log.WarnContext(ctx, "the person who pressed a button could not be told why nothing came of it", "error", err)
	}
}

// again has the question answered once more that a press is about. It tries again while Discord
// does not accept the answer, of which a part may stand. An edit of the question, which ends the
// answer, is answered instead.
func (a *Alternatives) again(ctx context.Context, log *slog.Logger, use *commands.Use) (commands.Reply, error) {
	switch {
	case a.deps.Gate.OptedOut(use.User.ID):
		return commands.Reply{}, conversation.ErrOptedOut
	case !a.deps.Gate.Permits(use.Asker()):
		return commands.Reply{}, commands.ErrNotPermitted
	}
	for {
		err := a.ask(ctx, log, use)
		switch {
		case errors.Is(err, answer.ErrEdited):
			return commands.Reply{}, nil
		case !errors.Is(err, answer.ErrUnsent) || wait.For(ctx, store.Retry) != nil:
			return commands.Reply{}, err
		}
		log.InfoContext(ctx, "a press is tried again", "error", err)
	}
}

// ask has the question answered that a press is about.
func (a *Alternatives) ask(ctx context.Context, log *slog.Logger, use *commands.Use) error {
	d, release, err := a.lockPressed(ctx, log, use)
	if err != nil {
		return err
	}
	q := use.About(d.current().Trigger)
	q.Parts = d.current().Asked
	ctx, end := a.deps.Inflight.Begin(ctx, q.ID)
	defer end()
	outcome, err := func() (answer.Outcome, error) {
		defer release() // before the answers beside this one are locked
		return a.askAfresh(ctx, log.With("trigger", q.ID), use, d, q)
	}()
	if outcome == answer.Answered {
		a.relabelOthers(ctx, log, q)
	}
	return err
}

// askAfresh has a question answered once more, in place of the answer that stands. The
// replaced answer stays an alternative unless the question was edited since. If the
// message shows another answer by now than when the button was shown, askAfresh only
// tells the person who pressed.
func (a *Alternatives) askAfresh(
	ctx context.Context, log *slog.Logger, use *commands.Use, d *display, q conversation.Question,
) (answer.Outcome, error) {
	shown := d.current()
	if asked, ok := parseResponse(use.Rest); !ok || shown.ID != asked {
		a.tell(ctx, log, use, phrases.Phrase{ID: "answer_changed"})
		return answer.Dropped, nil
	}
	generation, to := a.generation(ctx, log, q, shown, &d.newest), d.to(newAlternative, reply.Interaction(use.ID))
	if generation != shown.Generation { // the files of other versions are not named
		to = reply.To{Trigger: to.Trigger, Over: to.Over}
	}
	job := a.aim(answer.Job{Question: q, Fresh: true, Generation: generation}, to, use)
	if generation != shown.Generation {
		return a.answerInPlace(ctx, log, job, shown)
	}
	ready, err := a.deps.Answers.Prepare(ctx, job)
	if err != nil {
		return a.deps.Answers.Fail(ctx, log, job, err)
	}
	return a.deps.Answers.Give(ctx, log, ready)
}
