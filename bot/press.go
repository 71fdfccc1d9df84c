package bot

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/work"

	"heddle/bot/phrases"

	"heddle/bot/guilds"
	"heddle/bot/outbox"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
	"heddle/store"
)

const (
	pressTimeout = 30 * time.Second // for hearing of a press, and for each step to what was pressed for
	keepingTime  = 2 * time.Second  // from sending a part of an answer to keeping it, in another process
	justSent     = 10 * time.Second // since a message was sent or edited, by clocks that differ
)

// errPlaceUnknown says that Discord did not tell of a channel yet, and so not in
// what scope its answers are kept.
var errPlaceUnknown = errors.New("the channel is not known yet")

// press is a button of heddle's that somebody pressed.
type press struct {
	discord.Press

	place    guilds.Place
	button   string // its name
	response store.ResponseID
}

// pressed takes a button that somebody pressed. Each press has a queue of its own:
// Discord waits for no answer that is being streamed.
func (r *receiver) pressed(data json.RawMessage) error {
	b := r.bot
	told, err := discord.DecodePress(data)
	if err != nil {
		return err //nolint:wrapcheck // logged with the event's name
	}
	name, response, ok := pressedButton(told.CustomID)
	if !ok {
		if strings.HasPrefix(told.CustomID, buttonPrefix) {
			b.log.Warn("a button was pressed that is not known", "press", told.ID, "channel", told.Channel)
		}
		return nil
	}
	b.guilds.Meet(told.At, told.Guild)
	p := &press{told, b.guilds.Place(told.Channel, told.Guild), name, response}
	err = r.presses.push(graph.ChannelID(told.ID), job{run: func(ctx context.Context) { b.answerPress(ctx, r.queues, p) }})
	if err != nil {
		b.log.Warn("a press is not answered", "press", told.ID, "channel", told.Channel, "error", err)
	}
	return nil
}

// answerPress acknowledges a press and does what was pressed for. Of several
// processes that heard of it the one that Discord took the acknowledgement of does.
// Where that comes too late is Discord's to say, which waits for 3 s.
func (b *Bot) answerPress(ctx context.Context, answers *queues, p *press) {
	log := b.log.With("press", p.ID, "channel", p.Channel, "message", p.Message)
	defer func() {
		if cause := recover(); cause != nil {
			log.ErrorContext(ctx, "answering a press panicked", "stack", string(debug.Stack()))
		}
	}()
	soon, cancel := context.WithTimeout(ctx, pressTimeout)
	defer cancel()
	err := b.outbox.Acknowledge(soon, p.at())
	if errors.Is(err, outbox.ErrAnswered) {
		log.DebugContext(ctx, "a press is answered elsewhere, or too late")
		return
	}
	if err != nil {
		log.WarnContext(ctx, "a press could not be acknowledged", "error", err)
		return
	}
	if p.Guild != 0 && !b.guilds.Knows(p.Channel) {
		b.refused(ctx, log, p, errPlaceUnknown)
		return
	}
	if ask := b.asking(p.button); ask != nil {
		asking := job{run: func(ctx context.Context) { b.refused(ctx, log, p, ask(ctx, log, p)) }}
		b.refused(ctx, log, p, answers.push(p.Channel, asking))
		return
	}
	walking, done := context.WithTimeout(ctx, pressTimeout)
	defer done()
	b.refused(ctx, log, p, b.walk(walking, log, p))
}

// asking is what is done for a button that has a question answered, nil for any other.
func (b *Bot) asking(button string) func(context.Context, *slog.Logger, *press) error {
	switch button {
	case buttonAgain:
		return b.afresh
	case buttonEdit:
		return b.answerOffered
	default:
		return nil
	}
}

// at is where what is said to whom pressed goes.
func (p *press) at() outbox.Press {
	return outbox.Press{ID: p.ID, Application: p.Application, Token: p.Token}
}

// refused tells who pressed why nothing came of it, in a sentence that nobody else
// sees. Buttons that lead nowhere any more are taken away.
func (b *Bot) refused(ctx context.Context, log *slog.Logger, p *press, err error) {
	if err == nil {
		return
	}
	ending, cancel := work.Ending(ctx, b.settings.Flush)
	defer cancel()
	log.Log(ctx, level(err), "nothing came of a press", "error", err)
	if errors.Is(err, errAnswersGone) {
		if err := b.outbox.SetButtons(ending, p.Channel, p.Message, nil); err != nil {
			log.WarnContext(ctx, "buttons could not be taken away", "error", err)
		}
	}
	b.whisper(ending, log, p, pressSentence(err))
}

func (b *Bot) whisper(ctx context.Context, log *slog.Logger, p *press, text string) {
	if err := b.outbox.SendEphemeral(ctx, p.at(), text); err != nil {
		log.WarnContext(ctx, "who pressed a button could not be told", "error", err)
	}
}

// display takes hold of the answer on which a button was pressed, and reads it.
func (b *Bot) display(ctx context.Context, log *slog.Logger, p *press) (d *display, release func(), err error) {
	d, err = b.readKept(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	return b.holdDisplay(ctx, log, d, p.Message)
}

// readKept reads the answer on which a button was pressed. One that was just sent, or
// a part of one, may not be kept yet: that is waited for.
func (b *Bot) readKept(ctx context.Context, p *press) (*display, error) {
	ctx, cancel := context.WithTimeout(ctx, pressTimeout)
	defer cancel()
	pressed := b.now()
	for {
		underway := b.keeps(ctx, p) || b.now().Sub(p.Changed).Abs() < justSent && b.now().Sub(pressed) < keepingTime
		d, err := b.readDisplay(ctx, p.place.Scope, p.Channel, p.Message)
		if !errors.Is(err, errAnswersGone) || !underway || wait.For(ctx, holdPause) != nil {
			return d, err
		}
	}
}

// keeps says whether the answer that a message is a part of is known to be under way:
// its question is not settled, by whatever process, or this one changes what an answer
// shows there. What another process changes is not known here.
func (b *Bot) keeps(ctx context.Context, p *press) bool {
	said, heard := b.history.Message(p.Channel, p.Message)
	return heard && (!b.isSettled(ctx, said.Answers) || b.holding.in(p.Channel))
}

// isSettled says whether nothing more is kept of the answers to a trigger. Of what
// cannot be asked for nothing is waited for.
func (b *Bot) isSettled(ctx context.Context, trigger graph.MessageID) bool {
	if trigger == 0 {
		return true
	}
	_, done, err := b.claims.IsDone(ctx, store.TriggerClaim(trigger))
	return done || err != nil
}

// walk shows another of the alternatives.
func (b *Bot) walk(ctx context.Context, log *slog.Logger, p *press) error {
	d, release, err := b.display(ctx, log, p)
	if err != nil {
		return err
	}
	defer release()
	to := indexOf(d.all, p.response)
	if to < 0 || len(d.all) < 2 {
		return errAnswersGone
	}
	if err := b.show(ctx, log, d, to, outbox.Interaction(p.ID)); err != nil {
		return err
	}
	log.InfoContext(ctx, "another alternative is shown", "trigger", d.all[to].Trigger, "shown", to+1, "of", len(d.all))
	return nil
}

// remake is an answer that is made once more in its place, as somebody pressed for it.
type remake struct {
	*display

	cause outbox.Cause
}

// pressedFor is the question behind an answer, to be answered in its place as somebody
// pressed for it.
func (b *Bot) pressedFor(log *slog.Logger, p *press, d *display) mention {
	shown := &d.all[d.shown]
	return mention{
		guild: p.Guild, channel: p.Channel, id: shown.Trigger, place: p.place, reply: d.reply, asker: p.User.ID,
		generation: shown.Generation, over: d.parts,
		whisper: func(ctx context.Context, text string) { b.whisper(ctx, log, p, text) },
	}
}

// afresh has a question answered once more, in place of the answer that stands,
// which stays an alternative unless the question was edited since. Where somebody did
// so since the button was shown, that is enough.
func (b *Bot) afresh(ctx context.Context, log *slog.Logger, p *press) error {
	d, release, err := b.display(ctx, log, p)
	if err != nil {
		return err
	}
	defer release()
	shown := &d.all[d.shown]
	if shown.ID != p.response {
		return nil
	}
	question := b.pressedFor(log, p, d)
	question.fresh = true
	if question.generation, err = b.generation(ctx, question, shown, &d.newest); err != nil {
		log.DebugContext(ctx, "whether a question was edited is not known", "error", err)
	}
	b.settle(ctx, question, store.InteractionClaim(p.ID), func(ctx context.Context, log *slog.Logger) (string, error) {
		if question.generation != shown.Generation {
			return b.answerInPlace(ctx, log, question, shown)
		}
		question.anew = &remake{d, outbox.Interaction(p.ID)}
		ready, err := b.prepare(ctx, question)
		if err != nil {
			return b.fail(ctx, log, question, err)
		}
		return b.respond(ctx, log, &ready)
	})
	return nil
}

// tell says something to whom pressed for the answer, where somebody did.
func (m mention) tell(ctx context.Context, text string) {
	if m.whisper != nil {
		m.whisper(ctx, text)
	}
}

// below is what stands below an answer that was just made: its notice, and whose the
// files are that stand there already.
func (p *prepared) below(made *store.Response) string {
	if p.anew == nil {
		return made.Notice
	}
	return phrases.Lines(made.Notice, p.anew.filesOfOthers(-1, p.anew.reached(made.Text)))
}

// buttons are those below an answer that is about to be kept. Only where the question
// was answered before, or the answer is given again, can there be any.
func (b *Bot) buttons(ctx context.Context, log *slog.Logger, p *prepared, made *store.Response) []discordgo.Button {
	var before []store.Response
	if p.fresh || p.generation > 0 {
		var err error
		if before, err = b.responses.ByTrigger(ctx, made.Scope, made.Trigger); err != nil {
			log.Log(ctx, level(err), "earlier answers could not be looked up", "error", err)
			return nil
		}
	}
	all := alternatives(append(before, *made), made.Generation)
	at := indexOf(all, made.ID)
	if at < 0 {
		return nil
	}
	return buttons(all, at)
}
