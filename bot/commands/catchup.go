package commands

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/answer"
	"heddle/bot/catchup"
	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/bot/questions"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
)

// The names of options.
const (
	optionSince   = "since"
	optionChannel = "channel"
	optionPublic  = "public"
	optionWords   = "words"
)

// Talks answers commands, and presses of buttons, about talks.
type Talks struct {
	Catchup   *catchup.Catchup
	Gate      *questions.Gate
	Overrides *conversation.Overrides
	Replies   *reply.Replies
	Contact   string // whom people can ask about trouble that lasts; empty for nobody
}

// Commands returns the commands for catching up and for finding talks, and what answers the
// buttons below lists of talks.
func (t *Talks) Commands() []Command {
	channels := []Option{
		{Name: optionChannel, Type: discordgo.ApplicationCommandOptionChannel},
		{Name: optionChannel + "-2", Describe: "option_further", Type: discordgo.ApplicationCommandOptionChannel},
		{Name: optionChannel + "-3", Describe: "option_further", Type: discordgo.ApplicationCommandOptionChannel},
	}
	words := Option{Name: optionWords, Type: discordgo.ApplicationCommandOptionString, Required: true, Longest: 200}
	since := Option{Name: optionSince, Type: discordgo.ApplicationCommandOptionString, Longest: 40}
	public := Option{Name: optionPublic, Type: discordgo.ApplicationCommandOptionBoolean}
	return []Command{
		{
			Name: "heddle catchup", Options: slices.Concat([]Option{since}, channels, []Option{public}),
			Public: isPublic, Answer: t.catchUp, Asks: true,
		},
		{Name: "heddle find", Options: append([]Option{words}, channels...), Answer: t.find},
		{Button: catchup.ButtonList, Asks: true, Answer: t.turnPage},
		{Button: catchup.ButtonTalk, Answer: t.pressed(show)},
		{Button: catchup.ButtonTell, Asks: true, Answer: t.pressed(t.tell)},
		{Button: catchup.ButtonAsk, Asks: true, Answer: t.pressed(t.ask), Form: t.form},
		{Button: catchup.ButtonMove, Answer: t.pressed(t.move)},
	}
}

func isPublic(use *Use) bool { return use.Is(optionPublic, "true") }

// begin returns a query of the person who uses a command or presses a button, without what it
// is about. It fails with a phrases.RefusedError for somebody whom heddle does not answer.
func (t *Talks) begin(ctx context.Context, use *Use) (catchup.Query, error) {
	switch {
	case t.Gate.OptedOut(use.User.ID):
		return catchup.Query{}, phrases.Refused("not_read", nil)
	case !t.Gate.Permits(use.Asker()):
		return catchup.Query{}, phrases.Refused("not_permitted", nil)
	case t.Overrides.Paused(ctx, use.Guild):
		return catchup.Query{}, phrases.Refused("paused", nil)
	}
	return catchup.Query{Question: use.About(graph.MessageID(use.ID)), Language: use.Language, Public: isPublic(use)}, nil
}

// queryOf returns the query described by the options of a command.
func (t *Talks) queryOf(ctx context.Context, use *Use) (catchup.Query, error) {
	q, err := t.begin(ctx, use)
	if err != nil {
		return q, err
	}
	q.Until = graph.FirstMessageID(use.ID.Time())
	if text, given := use.Option(optionSince); given {
		if q.Since, err = catchup.ParseSince(text, use.ID.Time()); err != nil {
			return q, err
		}
	}
	for _, name := range []string{optionChannel, optionChannel + "-2", optionChannel + "-3"} {
		text, _ := use.Option(name)
		if id, err := strconv.ParseUint(text, 10, 64); err == nil && !slices.Contains(q.Channels, graph.ChannelID(id)) {
			q.Channels = append(q.Channels, graph.ChannelID(id))
		}
	}
	if len(q.Channels) == 0 {
		q.Channels = []graph.ChannelID{use.Channel}
	}
	return q, nil
}

// catchUp answers /heddle catchup.
func (t *Talks) catchUp(ctx context.Context, use *Use) (Reply, error) {
	q, err := t.queryOf(ctx, use)
	if err != nil {
		return Reply{}, err
	}
	shown, err := t.Catchup.List(ctx, q, 0)
	return t.reply(use, shown), err
}

// queryIn returns the query in the name of the button that somebody pressed, and what the
// button is about.
func (t *Talks) queryIn(ctx context.Context, use *Use) (q catchup.Query, about uint64, err error) {
	if q, err = t.begin(ctx, use); err != nil {
		return q, 0, err
	}
	about, ok := q.Parse(use.Rest)
	if !ok {
		return q, 0, phrases.Refused("catchup_stale", nil)
	}
	return q, about, nil
}

// turnPage answers a press of a button that shows a page of the list.
func (t *Talks) turnPage(ctx context.Context, use *Use) (Reply, error) {
	q, page, err := t.queryIn(ctx, use)
	if err != nil {
		return Reply{}, err
	}
	shown, err := t.Catchup.List(ctx, q, int(min(page, math.MaxInt32)))
	return t.reply(use, shown), err
}

// reply returns what catching up shows as a reply, with what troubled the model.
func (t *Talks) reply(use *Use, shown catchup.Shown) Reply {
	r := Reply{Text: shown.Text, Buttons: shown.Buttons}
	if shown.Trouble != nil {
		r.Text = phrases.Lines(r.Text, "-# "+use.Language.Say(answer.Sentence(shown.Trouble).OrAsk(t.Contact)))
	}
	return r
}

// find answers /heddle find.
func (t *Talks) find(ctx context.Context, use *Use) (Reply, error) {
	q, err := t.queryOf(ctx, use)
	if err != nil {
		return Reply{}, err
	}
	words, _ := use.Option(optionWords)
	shown, err := t.Catchup.Find(ctx, q, words)
	return t.reply(use, shown), err
}

// pressed returns a press of a button about a talk in the form that commands take. The talk is
// read anew.
func (t *Talks) pressed(do func(context.Context, *Use, *catchup.View) (catchup.Shown, error)) func(context.Context, *Use) (Reply, error) {
	return func(ctx context.Context, use *Use) (Reply, error) {
		q, about, err := t.queryIn(ctx, use)
		if err != nil {
			return Reply{}, err
		}
		view, err := t.Catchup.View(ctx, q, graph.MessageID(about))
		if err != nil {
			return Reply{}, err
		}
		shown, err := do(ctx, use, view)
		return t.reply(use, shown), err
	}
}

// show shows a talk.
func show(_ context.Context, _ *Use, v *catchup.View) (catchup.Shown, error) { return v.Shown(), nil }

// tell lets the model report on a talk.
func (t *Talks) tell(ctx context.Context, use *Use, v *catchup.View) (catchup.Shown, error) {
	return t.report(ctx, use, v, ""), nil
}

// form returns the form in which a question about a talk is asked, or nil for somebody whom
// heddle does not answer.
func (t *Talks) form(use *Use) *reply.Form {
	if t.Gate.OptedOut(use.User.ID) || !t.Gate.Permits(use.Asker()) {
		return nil
	}
	return &reply.Form{
		ID: use.CustomID, Title: use.Language.Text("form_ask", nil), Label: use.Language.Text("form_question", nil), Most: catchup.MostAsked,
	}
}

// ask has the model answer the question about a talk that was asked in the form.
func (t *Talks) ask(ctx context.Context, use *Use, v *catchup.View) (catchup.Shown, error) {
	question := graph.OneLine(use.Entered, catchup.MostAsked)
	if question == "" {
		return v.Says("ask_nothing", nil), nil
	}
	return t.report(ctx, use, v, question), nil
}

// report lets the model report on a talk, or answer a question about it if there is one.
func (t *Talks) report(ctx context.Context, use *Use, v *catchup.View, question string) catchup.Shown {
	shown, err := v.Report(ctx, question)
	if err != nil {
		shown.Text = use.Language.Say(answer.Sentence(err).OrAsk(t.Contact))
	}
	return shown
}

// threadName bounds the name of a thread, in characters.
const threadName = 90

// move starts a thread from the first message of a talk, if the person may start one
// there, and posts in it what the talk was about. A talk that has a thread gets no other.
func (t *Talks) move(ctx context.Context, use *Use, v *catchup.View) (catchup.Shown, error) {
	if thread := v.Thread(); thread != 0 {
		return v.Moved(thread), nil
	}
	m := v.First()
	if m.Channel != use.Channel || use.Guild == 0 || use.Place.Parent != 0 || use.Member == nil ||
		!use.Permissions.Has(discord.PermissionCreateThreads) && !use.ManagesChannel() {
		return v.Says("catchup_no_thread", nil), nil
	}
	thread := graph.ChannelID(m.ID) // one id on Discord
	switch err := t.Replies.StartThread(ctx, m.Channel, m.ID, graph.OneLine(v.Title(), threadName)); {
	case errors.Is(err, reply.ErrThreadExists):
	case errors.Is(err, reply.ErrNoPermission):
		return v.Says("catchup_may_not", nil), nil
	case err != nil:
		return catchup.Shown{}, fmt.Errorf("move a talk to a thread: %w", err)
	default:
		if _, err := t.Replies.Reply(ctx, reply.To{Channel: thread}, v.Shown().Text); err != nil {
			return catchup.Shown{}, fmt.Errorf("tell a thread what was said: %w", err)
		}
	}
	return v.Moved(thread), nil
}
