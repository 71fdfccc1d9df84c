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
	"heddle/bot/phrases"
	"heddle/bot/reply"
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

// Commands returns the commands for catching up and for finding talks, and what answers the
// buttons below lists of talks.
func (c *Catchup) Commands() []commands.Command {
	channels := []commands.Option{
		{Name: optionChannel, Type: discordgo.ApplicationCommandOptionChannel},
		{Name: optionChannel + "-2", Describe: "option_further", Type: discordgo.ApplicationCommandOptionChannel},
		{Name: optionChannel + "-3", Describe: "option_further", Type: discordgo.ApplicationCommandOptionChannel},
	}
	words := commands.Option{Name: optionWords, Type: discordgo.ApplicationCommandOptionString, Required: true, Longest: 200}
	since := commands.Option{Name: optionSince, Type: discordgo.ApplicationCommandOptionString, Longest: 40}
	public := commands.Option{Name: optionPublic, Type: discordgo.ApplicationCommandOptionBoolean}
	return []commands.Command{
		{
			Name: "heddle catchup", Options: slices.Concat([]commands.Option{since}, channels, []commands.Option{public}),
			Public: isPublic, Answer: c.catchUp, Asks: true,
		},
		{Name: "heddle find", Options: append([]commands.Option{words}, channels...), Answer: c.find},
		{Button: buttonList, Asks: true, Answer: c.turnPage},
		{Button: buttonTalk, Answer: c.pressed(show)},
		{Button: buttonTell, Asks: true, Answer: c.pressed(c.tell)},
		{Button: buttonAsk, Asks: true, Answer: c.pressed(c.ask), Form: c.form},
		{Button: buttonMove, Answer: c.pressed(c.move)},
	}
}

func isPublic(use *commands.Use) bool { return use.Is(optionPublic, "true") }

// begin returns a query of the person who uses a command or presses a button, without what it
// is about. It fails with a phrases.RefusedError for somebody whom heddle does not answer.
func (c *Catchup) begin(ctx context.Context, use *commands.Use) (query, error) {
	switch {
	case c.deps.Gate.OptedOut(use.User.ID):
		return query{}, phrases.Refused("not_read", nil)
	case !c.deps.Gate.Permits(use.Asker()):
		return query{}, phrases.Refused("not_permitted", nil)
	case c.settings.Paused(ctx, use.Guild):
		return query{}, phrases.Refused("paused", nil)
	}
	return query{Question: use.About(graph.MessageID(use.ID)), language: use.Language, public: isPublic(use)}, nil
}

// queryOf returns the query described by the options of a command.
func (c *Catchup) queryOf(ctx context.Context, use *commands.Use) (query, error) {
	q, err := c.begin(ctx, use)
	if err != nil {
		return q, err
	}
	q.until = graph.FirstMessageID(use.ID.Time())
	if text, given := use.Option(optionSince); given {
		if q.since, err = parseSince(text, use.ID.Time()); err != nil {
			return q, err
		}
	}
	for _, name := range []string{optionChannel, optionChannel + "-2", optionChannel + "-3"} {
		text, _ := use.Option(name)
		if id, err := strconv.ParseUint(text, 10, 64); err == nil && !slices.Contains(q.channels, graph.ChannelID(id)) {
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
	q, err := c.queryOf(ctx, use)
	if err != nil {
		return commands.Reply{}, err
	}
	return c.list(ctx, q, 0)
}

// queryIn returns the query in the name of the button that somebody pressed, and what the
// button is about.
func (c *Catchup) queryIn(ctx context.Context, use *commands.Use) (q query, about uint64, err error) {
	if q, err = c.begin(ctx, use); err != nil {
		return q, 0, err
	}
	about, ok := q.parse(use.Rest)
	if !ok {
		return q, 0, phrases.Refused("catchup_stale", nil)
	}
	return q, about, nil
}

// turnPage answers a press of a button that shows a page of the list.
func (c *Catchup) turnPage(ctx context.Context, use *commands.Use) (commands.Reply, error) {
	q, page, err := c.queryIn(ctx, use)
	if err != nil {
		return commands.Reply{}, err
	}
	return c.list(ctx, q, int(min(page, mostMessages)))
}

// list returns a page of the talks that a query is about; the first page is 0.
func (c *Catchup) list(ctx context.Context, q query, page int) (commands.Reply, error) {
	s, err := c.read(ctx, q)
	if err != nil {
		return commands.Reply{}, err
	}
	if len(s.talks) == 0 {
		return commands.Reply{}, phrases.Refused("catchup_nothing", nil)
	}
	c.describe(ctx, s, s.talks)
	return s.page(page), nil
}

// press carries out a press of a button that is about a talk.
type press func(ctx context.Context, use *commands.Use, s *stretch, t *talk) (commands.Reply, error)

// pressed returns a press of a button about a talk in the form that commands take. The talk is
// read anew.
func (c *Catchup) pressed(do press) func(context.Context, *commands.Use) (commands.Reply, error) {
	return func(ctx context.Context, use *commands.Use) (commands.Reply, error) {
		q, about, err := c.queryIn(ctx, use)
		if err != nil {
			return commands.Reply{}, err
		}
		s, err := c.read(ctx, q)
		if err != nil {
			return commands.Reply{}, err
		}
		at := slices.IndexFunc(s.talks, func(t *talk) bool {
			return slices.ContainsFunc(t.Messages[t.fresh:], func(m graph.Message) bool { return m.ID == graph.MessageID(about) })
		})
		if at < 0 {
			return commands.Reply{}, phrases.Refused("catchup_stale", nil)
		}
		c.recall(ctx, s, s.talks[at])
		return do(ctx, use, s, s.talks[at])
	}
}

// show shows a talk.
func show(_ context.Context, _ *commands.Use, s *stretch, t *talk) (commands.Reply, error) {
	return s.talk(t), nil
}

// tell lets the model report on a talk.
func (c *Catchup) tell(ctx context.Context, _ *commands.Use, s *stretch, t *talk) (commands.Reply, error) {
	return c.account(ctx, s, t, ""), nil
}

// mostAsked is the length in characters of the longest question about a talk.
const mostAsked = 300

// form returns the form in which a question about a talk is asked, or nil for somebody whom
// heddle does not answer.
func (c *Catchup) form(use *commands.Use) *reply.Form {
	if c.deps.Gate.OptedOut(use.User.ID) || !c.deps.Gate.Permits(use.Asker()) {
		return nil
	}
	return &reply.Form{
		ID: use.CustomID, Title: use.Language.Text("form_ask", nil), Label: use.Language.Text("form_question", nil), Most: mostAsked,
	}
}

// ask has the model answer the question about a talk that was asked in the form.
func (c *Catchup) ask(ctx context.Context, use *commands.Use, s *stretch, t *talk) (commands.Reply, error) {
	question := graph.OneLine(use.Entered, mostAsked)
	if question == "" {
		return s.says(t, "ask_nothing", nil), nil
	}
	return c.account(ctx, s, t, question), nil
}

// account lets the model report on a talk, or answer a question about it if there is
// one.
func (c *Catchup) account(ctx context.Context, s *stretch, t *talk, question string) commands.Reply {
	account, err := c.report(ctx, s, t, question)
	if err != nil {
		return commands.Reply{Text: s.language.Say(answer.Sentence(err).OrAsk(c.settings.Contact)), Buttons: s.below(t)}
	}
	return s.account(t, question, account)
}

// threadName bounds the name of a thread, in characters.
const threadName = 90

// move starts a thread from the first message of a talk, if the person may start one
// there, and posts in it what the talk was about. A talk that has a thread gets no other.
func (c *Catchup) move(ctx context.Context, use *commands.Use, s *stretch, t *talk) (commands.Reply, error) {
	if t.thread != 0 {
		return s.says(t, "catchup_moved", phrases.Values{"Where": discord.Mention(t.thread)}), nil
	}
	m := t.from()
	if m.Channel != use.Channel || use.Guild == 0 || use.Place.Parent != 0 || use.Member == nil ||
		!use.Permissions.Has(discord.PermissionCreateThreads) && !use.ManagesChannel() {
		return s.says(t, "catchup_no_thread", nil), nil
	}
	name := t.Title
	if name == "" {
		name = markdown.Unmarked(m.Says())
	}
	thread := graph.ChannelID(m.ID) // one id on Discord
	switch err := c.deps.Replies.StartThread(ctx, m.Channel, m.ID, graph.OneLine(name, threadName)); {
	case errors.Is(err, reply.ErrThreadExists):
	case errors.Is(err, reply.ErrNoPermission):
		return s.says(t, "catchup_may_not", nil), nil
	case err != nil:
		return commands.Reply{}, fmt.Errorf("move a talk to a thread: %w", err)
	default:
		if _, err := c.deps.Replies.Reply(ctx, reply.To{Channel: thread}, s.talk(t).Text); err != nil {
			return commands.Reply{}, fmt.Errorf("tell a thread what was said: %w", err)
		}
	}
	t.thread = thread
	return s.says(t, "catchup_moved", phrases.Values{"Where": discord.Mention(t.thread)}), nil
}

// digestTalks is the number of talks in a digest. A button leads to the others.
const digestTalks = 3

// Digest implements answer.Teller. It describes the talks that matter most to the
// person who asked. A button below shows all talks, only to the person who presses it.
func (c *Catchup) Digest(ctx context.Context, q conversation.Question, person graph.UserID) (d answer.Digest, told bool, err error) {
	q.Asker = person
	s, err := c.read(ctx, query{
		Question: q, language: phrases.In(q.Place.Locale), public: true, until: q.ID, channels: []graph.ChannelID{q.Channel},
	})
	if _, refused := errors.AsType[phrases.RefusedError](err); refused || err == nil && len(s.talks) == 0 {
		return d, false, nil
	}
	if err != nil {
		return d, false, err
	}
	shown := s.talks[:min(len(s.talks), digestTalks)]
	c.describe(ctx, s, shown)
	s.since = s.began // the others who press wrote at other times
	d.Text = strings.Join(s.lines(0, len(shown)), "\n")
	d.Buttons = reply.Rows{{s.button(buttonList, 0, "label_all_talks")}}
	for _, t := range shown {
		d.Sources = conversation.Inherit(append(d.Sources, t.sources...), t.made)
	}
	return d, true, nil
}
