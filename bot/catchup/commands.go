package catchup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/commands"
	"heddle/bot/gate"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/graph"
)

// within bounds the answer to a command. The model has less time, so that there is time
// left for a list without its descriptions.
const within = 2 * time.Minute

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
		{Name: optionChannel, Describe: phrases.OptionCatchUpChannel, Type: discordgo.ApplicationCommandOptionChannel},
		{Name: optionChannel + "-2", Describe: phrases.OptionCatchUpFurther, Type: discordgo.ApplicationCommandOptionChannel},
		{Name: optionChannel + "-3", Describe: phrases.OptionCatchUpFurther, Type: discordgo.ApplicationCommandOptionChannel},
	}
	words := commands.Option{Name: optionWords, Describe: phrases.OptionFindWords, Type: discordgo.ApplicationCommandOptionString, Required: true, Max: 200}
	since := commands.Option{Name: optionSince, Describe: phrases.OptionCatchUpSince, Type: discordgo.ApplicationCommandOptionString, Max: 40}
	public := commands.Option{Name: optionPublic, Describe: phrases.OptionCatchUpPublic, Type: discordgo.ApplicationCommandOptionBoolean}
	return []commands.Command{
		{
			Name: "heddle catchup", Describe: phrases.CommandCatchUp, Options: slices.Concat([]commands.Option{since}, channels, []commands.Option{public}),
			Public: isPublic, Answer: c.catchUp, Within: within, Buttons: buttonPrefix, Press: c.press, Form: c.form,
		},
		{
			Name: "heddle find", Describe: phrases.CommandFind, Options: append([]commands.Option{words}, channels...),
			Answer: c.find, Within: within,
		},
	}
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
	case c.people.OptedOut(use.User.ID):
	case !c.permits(use):
		refused = phrases.NotPermitted
	case c.paused(ctx, use.Guild):
		refused = phrases.Paused
	default:
		return nil
	}
	reply := use.Say(refused, nil)
	return &reply
}

// permits reports whether the operator lets the person ask.
func (c *Catchup) permits(use *commands.Use) bool {
	return c.gate.Permits(gate.AskerOf(use.User.ID, use.Guild, use.Channel, use.Place.Parent, use.Member))
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
	return c.list(ctx, use, askerOf(use), q, 0, c.describer.describe)
}

// list returns a page of the talks that a query is about; the first page is 0. describe
// describes the talks.
func (c *Catchup) list(
	ctx context.Context, use *commands.Use, by asker, q query, page int, describe func(context.Context, asker, graph.MessageID, []*talk) *phrases.Phrase,
) (commands.Reply, error) {
	s, err := c.reader.read(ctx, by, q)
	if err != nil {
		return sayError(use, err)
	}
	talks := sorted(s.talks)
	if len(talks) == 0 {
		return use.Say(phrases.CatchUpNothing, nil), nil
	}
	trouble := describe(ctx, by, graph.MessageID(use.ID), talks)
	return (&telling{language: use.Language, guild: use.Guild, stretch: s, query: q}).page(page, trouble), nil
}

// mostAsked is the length in characters of the longest question about a talk.
const mostAsked = 300

// form returns the form that a button opens to ask a question about a talk, or nil if
// it opens none.
func (c *Catchup) form(use *commands.Use, rest string) *outbox.Form {
	does, q, about, ok := parseButton(rest)
	if !ok || does != askOwn || c.people.OptedOut(use.User.ID) || !c.permits(use) {
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
	by := askerOf(use)
	if does == showList {
		return c.list(ctx, use, by, q, int(min(about, mostMessages)), c.describer.describeAgain)
	}
	s, err := c.reader.read(ctx, by, q)
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
	c.describer.known.recall(ctx, t)
	tell := &telling{language: use.Language, guild: use.Guild, stretch: s, query: q}
	switch does {
	case askModel:
		return c.account(ctx, use, tell, t, "")
	case askOwn:
		return c.asked(ctx, use, tell, t)
	case toThread:
		return c.move(ctx, use, tell, t)
	case showTalk, showList:
	}
	return tell.talk(t), nil
}

// asked answers a question about a talk.
func (c *Catchup) asked(ctx context.Context, use *commands.Use, tell *telling, t *talk) (commands.Reply, error) {
	question := graph.OneLine(use.Entered, mostAsked)
	if question == "" {
		return commands.Reply{Text: use.Language.Text(phrases.AskNothing, nil), Buttons: tell.below(t)}, nil
	}
	return c.account(ctx, use, tell, t, question)
}

// account lets the model report on a talk, or answer a question about it if there is
// one.
func (c *Catchup) account(ctx context.Context, use *commands.Use, tell *telling, t *talk, question string) (commands.Reply, error) {
	account, err := c.describer.account(ctx, askerOf(use), t, question)
	if err != nil {
		why := c.describer.explain(err)
		return commands.Reply{Text: use.Language.Say(why), Buttons: tell.below(t)}, nil
	}
	return tell.account(t, question, account), nil
}

// sayError returns what people read about an error, or the error if there is nothing to say.
func sayError(use *commands.Use, err error) (commands.Reply, error) {
	if lack, ok := errors.AsType[*lackError](err); ok {
		return use.Say(phrases.CatchUpLacks, phrases.Values{"Missing": use.Language.Permissions(lack.missing)}), nil
	}
	switch {
	case errors.Is(err, errNoTime):
		return use.Say(phrases.CatchUpNoTime, nil), nil
	case errors.Is(err, errToCome):
		return use.Say(phrases.CatchUpToCome, nil), nil
	case errors.Is(err, errNoChannel):
		return use.Say(phrases.CatchUpNoChannel, nil), nil
	case errors.Is(err, errUnknown):
		return use.Say(phrases.NoMemory, nil), nil
	}
	return commands.Reply{}, fmt.Errorf("part what was said: %w", err)
}
