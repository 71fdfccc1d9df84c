package catchup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/answer"
	"heddle/bot/commands"
	"heddle/bot/conversation"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/bot/sources"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/markdown"
)

// The names of options.
const (
	optionSince   = "since"
	optionChannel = "channel"
	optionPublic  = "public"
	optionWords   = "words"
)

// Commands returns the commands for catching up and for finding talks.
func (c *Catchup) Commands() []commands.Command {
	channels := []commands.Option{
		{Name: optionChannel, Type: discordgo.ApplicationCommandOptionChannel},
		{Name: optionChannel + "-2", Describe: phrases.OptionFurther, Type: discordgo.ApplicationCommandOptionChannel},
		{Name: optionChannel + "-3", Describe: phrases.OptionFurther, Type: discordgo.ApplicationCommandOptionChannel},
	}
	words := commands.Option{Name: optionWords, Type: discordgo.ApplicationCommandOptionString, Required: true, Longest: 200}
	since := commands.Option{Name: optionSince, Type: discordgo.ApplicationCommandOptionString, Longest: 40}
	public := commands.Option{Name: optionPublic, Type: discordgo.ApplicationCommandOptionBoolean}
	return []commands.Command{
		{
			Name: "heddle catchup", Options: slices.Concat([]commands.Option{since}, channels, []commands.Option{public}),
			Public: isPublic, Answer: c.catchUp, Asks: asks, Buttons: buttonPrefix, Press: c.press, Form: c.form,
		},
		{
			Name: "heddle find", Options: append([]commands.Option{words}, channels...),
			Answer: c.find,
		},
	}
}

// asks reports whether the model may have to be asked for what a use shows.
func asks(use *commands.Use) bool {
	does, _, _, _ := parseButton(strings.TrimPrefix(use.CustomID, buttonPrefix))
	return does != showTalk && does != toThread
}

func isPublic(use *commands.Use) bool {
	value, _ := use.Option(optionPublic)
	return value == "true"
}

// askerOf returns the person who uses a command or presses a button.
func askerOf(use *commands.Use) asker {
	return asker{person: use.User.ID, guild: use.Guild, channel: use.Channel, scope: use.Place.Scope, public: isPublic(use)}
}

// refusal returns what somebody reads whom heddle does not answer, or nil for anybody
// else.
func (c *Catchup) refusal(ctx context.Context, use *commands.Use) *commands.Reply {
	refused := phrases.NotRead
	switch {
	case c.deps.Gate.OptedOut(use.User.ID):
	case !c.deps.Gate.Permits(use.Asker()):
		refused = phrases.NotPermitted
	case c.paused(ctx, use.Guild):
		refused = phrases.Paused
	default:
		return nil
	}
	reply := use.Say(refused, nil)
	return &reply
}

// queryOf returns the query described by the options of a command.
func (c *Catchup) queryOf(use *commands.Use) (query, error) {
	q := query{until: graph.FirstMessageID(use.ID.Time()), channels: nil}
	if text, given := use.Option(optionSince); given {
		since, err := parseSince(text, use.ID.Time())
		if err != nil {
			return q, err
		}
		q.since = since
	}
	for _, name := range []string{optionChannel, optionChannel + "-2", optionChannel + "-3"} {
		text, given := use.Option(name)
		if id, err := strconv.ParseUint(text, 10, 64); given && err == nil && !slices.Contains(q.channels, graph.ChannelID(id)) {
			q.channels = append(q.channels, graph.ChannelID(id))
		}
	}
	if len(q.channels) == 0 {
		q.channels = []graph.ChannelID{use.Channel}
	}
	return q, nil
}

// catchUp answers /heddle catchup.
func (c *Catchup) catchUp(ctx context.Context, use *commands.Use) (commands.Reply, error) {
	if refusal := c.refusal(ctx, use); refusal != nil {
		return *refusal, nil
	}
	q, err := c.queryOf(use)
	if err != nil {
		return sayError(use, err)
	}
	return c.list(ctx, use, q, 0)
}

// list returns a page of the talks that a query is about; the first page is 0.
func (c *Catchup) list(ctx context.Context, use *commands.Use, q query, page int) (commands.Reply, error) {
	by := askerOf(use)
	s, err := c.read(ctx, by, q)
	if err != nil {
		return sayError(use, err)
	}
	talks := sorted(s.talks)
	if len(talks) == 0 {
		return use.Say(phrases.CatchUpNothing, nil), nil
	}
	trouble := c.describe(ctx, by, graph.MessageID(use.ID), talks)
	return (&telling{language: use.Language, guild: use.Guild, stretch: s, query: q}).page(page, trouble), nil
}

// mostAsked is the length in characters of the longest question about a talk.
const mostAsked = 300

// form returns the form that a button opens to ask a question about a talk, or nil if
// it opens none.
func (c *Catchup) form(use *commands.Use, rest string) *outbox.Form {
	does, q, about, ok := parseButton(rest)
	if !ok || does != askOwn || c.deps.Gate.OptedOut(use.User.ID) || !c.deps.Gate.Permits(use.Asker()) {
		return nil
	}
	return &outbox.Form{
		ID: q.name(askOwn, about), Title: use.Language.Text(phrases.FormAsk, nil), Label: use.Language.Text(phrases.FormQuestion, nil), Most: mostAsked,
	}
}

// press answers a press of a button below a list, or a question that was asked in a form.
func (c *Catchup) press(ctx context.Context, use *commands.Use, rest string) (commands.Reply, error) {
	if refusal := c.refusal(ctx, use); refusal != nil {
		return *refusal, nil
	}
	does, q, about, ok := parseButton(rest)
	if !ok {
		return use.Say(phrases.CatchUpStale, nil), nil
	}
	if does == showList {
		return c.list(ctx, use, q, int(min(about, mostMessages)))
	}
	by := askerOf(use)
	s, err := c.read(ctx, by, q)
	if err != nil {
		return sayError(use, err)
	}
	at := slices.IndexFunc(s.talks, func(t *talk) bool {
		return slices.ContainsFunc(t.Messages[t.fresh:], func(m graph.Message) bool { return m.ID == graph.MessageID(about) })
	})
	if at < 0 {
		return use.Say(phrases.CatchUpStale, nil), nil
	}
	t := s.talks[at]
	c.recall(ctx, by, t)
	tell := &telling{language: use.Language, guild: use.Guild, stretch: s, query: q}
	switch does {
	case askModel:
		return c.account(ctx, use, tell, t, "")
	case askOwn:
		question := graph.OneLine(use.Entered, mostAsked)
		if question == "" {
			return tell.says(t, phrases.AskNothing, nil), nil
		}
		return c.account(ctx, use, tell, t, question)
	case toThread:
		return c.move(ctx, use, tell, t)
	case showTalk, showList:
	}
	return tell.talk(t), nil
}

// account lets the model report on a talk, or answer a question about it if there is
// one.
func (c *Catchup) account(ctx context.Context, use *commands.Use, tell *telling, t *talk, question string) (commands.Reply, error) {
	account, err := c.report(ctx, askerOf(use), t, question)
	if err != nil {
		why := c.deps.Explain(err)
		return commands.Reply{Text: use.Language.Say(why), Buttons: tell.below(t)}, nil
	}
	return tell.account(t, question, account), nil
}

// sayError returns what people read about a refusalError. It returns any other error.
func sayError(use *commands.Use, err error) (commands.Reply, error) {
	if refused, ok := errors.AsType[*refusalError](err); ok {
		return use.Say(refused.why, phrases.Values{"Missing": use.Language.Permissions(refused.missing)}), nil
	}
	return commands.Reply{}, fmt.Errorf("part what was said: %w", err)
}

// threadName bounds the name of a thread, in characters.
const threadName = 90

// move starts a thread from the first message of a talk, if the person may start one
// there, and posts in it what the talk was about. A talk that has a thread gets no other.
func (c *Catchup) move(ctx context.Context, use *commands.Use, tell *telling, t *talk) (commands.Reply, error) {
	if t.thread != 0 {
		return tell.says(t, phrases.CatchUpMoved, phrases.Values{"Where": discord.Mention(t.thread)}), nil
	}
	m := t.from()
	if m.Channel != use.Channel || use.Guild == 0 || use.Place.Parent != 0 || use.Member == nil ||
		!use.Permissions.Has(discord.PermissionCreateThreads) && !use.ManagesChannel() {
		return tell.says(t, phrases.CatchUpNoThread, nil), nil
	}
	name := t.Title
	if name == "" {
		name = markdown.Unmarked(m.Says())
	}
	thread := graph.ChannelID(m.ID) // one id on Discord
	switch err := c.deps.Outbox.StartThread(ctx, m.Channel, m.ID, graph.OneLine(name, threadName)); {
	case errors.Is(err, outbox.ErrThreadExists):
	case errors.Is(err, outbox.ErrNoPermission):
		return tell.says(t, phrases.CatchUpMayNot, nil), nil
	case err != nil:
		return commands.Reply{}, fmt.Errorf("move a talk to a thread: %w", err)
	default:
		if _, err := c.deps.Outbox.Reply(ctx, outbox.To{Channel: thread}, tell.talk(t).Text); err != nil {
			return commands.Reply{}, fmt.Errorf("tell a thread what was said: %w", err)
		}
	}
	t.thread = thread
	return tell.says(t, phrases.CatchUpMoved, phrases.Values{"Where": discord.Mention(t.thread)}), nil
}

// digestTalks is the number of talks in a digest. A button leads to the others.
const digestTalks = 3

// Digest implements answer.Teller. It describes the talks that matter most to the
// person who asked. A button below shows all talks, only to the person who presses it.
func (c *Catchup) Digest(ctx context.Context, q conversation.Question, person graph.UserID) (d answer.Digest, told bool, err error) {
	by := asker{person: person, guild: q.Guild, channel: q.Channel, scope: q.Place.Scope, public: true}
	asked := query{until: q.ID, channels: []graph.ChannelID{q.Channel}}
	s, err := c.read(ctx, by, asked)
	if _, refused := errors.AsType[*refusalError](err); refused || err == nil && len(s.talks) == 0 {
		return d, false, nil
	}
	if err != nil {
		return d, false, fmt.Errorf("part what was said: %w", err)
	}
	shown := sorted(s.talks)
	shown = shown[:min(len(shown), digestTalks)]
	trouble := c.describe(ctx, by, q.ID, shown)
	asked.since = s.since // the others who press wrote at other times
	d = (&telling{language: phrases.In(q.Place.Locale), guild: q.Guild, stretch: s, query: asked}).digest(shown, trouble)
	for _, t := range shown {
		d.Sources = sources.Inherit(append(d.Sources, t.sources...), t.made)
	}
	return d, true, nil
}

// digest returns the digest of the talks that come first.
func (t *telling) digest(shown []*talk, trouble *phrases.Phrase) answer.Digest {
	lines := []string{t.head()}
	for i, one := range shown {
		lines = append(lines, t.entry(i, one))
	}
	if trouble != nil {
		lines = append(lines, "-# "+t.language.Say(*trouble))
	}
	all := outbox.Button(t.query.name(showList, 0), t.say(phrases.LabelAllTalks, nil))
	return answer.Digest{Text: strings.Join(lines, "\n"), Buttons: outbox.Rows{{all}}}
}
