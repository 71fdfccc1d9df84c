// Package commands answers heddle's commands on Discord. Each command has a name, a
// description in every language, and a function that answers it. They are registered
// with Discord again whenever they have changed.
package commands

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"heddle/bot/gate"
	"heddle/bot/guilds"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/lru"
	"heddle/store"
)

// timeout bounds each of three steps: to acknowledge a command, to find its answer, and
// to send that. Discord waits 3 seconds for the acknowledgement.
const timeout = 30 * time.Second

// Settings are what commands tell people about how heddle is run.
type Settings struct {
	Chat      Model          // that answers
	Fallbacks []Model        // that answer if Chat fails, in this order
	Embedding Model          // that turns messages into vectors; the zero Model for none
	Keep      time.Duration  // how long answers are stored
	Contact   string         // whom people can ask; empty for nobody
	Operators []graph.UserID // whom commands for operators answer
}

// Model is a model that receives what people write.
type Model struct {
	Provider string // the host of its address
	Name     string
}

// Deps is what New needs. All fields must be set.
type Deps struct {
	REST      REST
	Outbox    Outbox
	Responses Responses
	Readers   Readers
	History   History
	Previews  Previewer
	Asides    Asides
	People    People
	Gate      Gate
	// Explain returns what people read about an error.
	Explain func(error) phrases.Phrase
	Log     *slog.Logger
}

// Gate decides whom heddle answers; gate.Gate does.
type Gate interface {
	Permits(by gate.Asker) bool
}

// Outbox answers commands; outbox.Interactions does.
type Outbox interface {
	Receiver
	// Fill replaces what the person sees by a text with buttons.
	Fill(ctx context.Context, p outbox.Press, text string, buttons outbox.Rows) error
	// Withdraw deletes what was promised to everybody, and sends an ephemeral reply
	// instead.
	Withdraw(ctx context.Context, p outbox.Press, text string) error
	// SendEphemeral sends an ephemeral reply, or a direct message to whoever used a command
	// that is too old for one.
	SendEphemeral(ctx context.Context, p outbox.Press, text string) error
	// Add sends another part of the answer.
	Add(ctx context.Context, p outbox.Press, text string, buttons outbox.Rows) error
}

// Receiver sends the first response to an interaction, within Discord's 3 seconds;
// outbox.Interactions is one. Its methods fail with outbox.ErrAnswered if another
// process answers.
type Receiver interface {
	// Promise tells Discord that an answer is coming.
	Promise(ctx context.Context, p outbox.Press) error
	// Acknowledge tells Discord that a press was received.
	Acknowledge(ctx context.Context, p outbox.Press) error
	// Open opens a form.
	Open(ctx context.Context, p outbox.Press, form outbox.Form) error
	// Complete offers completions of the option that is being typed.
	Complete(ctx context.Context, p outbox.Press, offered []string) error
}

// Commands answers commands. Its methods may be called from any goroutine.
type Commands struct {
	all       []Command
	operators []graph.UserID
	contact   string // whom people can ask; empty for nobody
	why       *why
	outbox    Outbox
	rest      REST
	explain   func(error) phrases.Phrase
	log       *slog.Logger
}

// New returns the commands of a bot: its own and more.
func New(deps Deps, settings Settings, more ...Command) *Commands {
	about := &about{settings}
	ask := &ask{deps.Asides, deps.Gate, lru.New[asked, store.SummaryID](mostKept)}
	why := &why{responses: deps.Responses, readers: deps.Readers, history: deps.History, previews: deps.Previews, people: deps.People, gate: deps.Gate}
	return &Commands{
		all: append([]Command{
			{Name: "heddle help", Describe: phrases.CommandHelp, Anywhere: true, Answer: about.help},
			ask.command(),
			{Name: "heddle privacy", Describe: phrases.CommandPrivacy, Anywhere: true, Answer: about.privacy},
			{Name: "heddle opt-out", Describe: phrases.CommandOptOut, Anywhere: true, Answer: wish(deps.People.OptOut, phrases.OptedOut)},
			{Name: "heddle opt-in", Describe: phrases.CommandOptIn, Anywhere: true, Answer: wish(deps.People.OptIn, phrases.OptedIn)},
			{Name: "heddle forget-me", Describe: phrases.CommandForget, Anywhere: true, Answer: wish(deps.People.Forget, phrases.Forgotten)},
			{Describe: phrases.CommandWhy, Anywhere: true, Answer: why.showContext},
		}, more...),
		operators: settings.Operators, contact: settings.Contact,
		why: why, outbox: deps.Outbox, rest: deps.REST, explain: deps.Explain, log: deps.Log,
	}
}

// Answer answers a use of a command, or a press of a button below the answer to one.
// Only the person who used it reads the answer. If several processes hear of it, the one
// whose acknowledgement Discord accepts answers.
func (c *Commands) Answer(ctx context.Context, interaction discord.Interaction, place guilds.Place) {
	c.answer(ctx, interaction, place, c.find)
}

// Explain answers a press of the button below an answer that asks why. Only the person
// who pressed reads what the answer was made from.
func (c *Commands) Explain(ctx context.Context, press discord.Interaction, place guilds.Place) {
	c.answer(ctx, press, place, func(*Use) (acknowledging, answering) { return c.outbox.Promise, c.why.pressed })
}

type (
	acknowledging = func(context.Context, outbox.Press) error
	answering     = func(context.Context, *Use) (Reply, error)
)

// answer acknowledges an interaction with the first of the functions that find returns,
// gets a reply from the second, and sends it. It sends none if another process
// acknowledged first, or if the person was told meanwhile that the answer comes too
// late. It logs its errors.
func (c *Commands) answer(ctx context.Context, interaction discord.Interaction, place guilds.Place, find func(*Use) (acknowledging, answering)) {
	log := c.log.With("command", interaction.Command.Name, "interaction", interaction.ID, "channel", interaction.Channel)
	use := &Use{
		Interaction: interaction, Place: place, Language: phrases.In(interaction.Locale, interaction.GuildLocale),
		operates: slices.Contains(c.operators, interaction.User.ID), contact: c.contact,
	}
	at := outbox.Press{ID: interaction.ID, Application: interaction.Application, Token: interaction.Token, Person: interaction.User.ID, Public: c.isPublic(use)}
	if interaction.Type == discord.InteractionCompletion {
		_ = during(ctx, timeout, func(ctx context.Context) error { c.complete(ctx, use, at); return nil })
		return
	}
	acknowledge, answer := find(use)
	err := during(ctx, timeout, func(ctx context.Context) error { return acknowledge(ctx, at) })
	switch {
	case errors.Is(err, outbox.ErrAnswered):
		log.DebugContext(ctx, "a command is answered by another process, or was read too late")
		return
	case err != nil:
		log.WarnContext(ctx, "a command could not be acknowledged and is dropped", "error", err)
		return
	}
	if answer == nil {
		return
	}
	var given Reply
	end := c.patience(ctx, log, use, at)
	err = during(ctx, c.within(&interaction), func(ctx context.Context) (err error) {
		given, err = answer(ctx, use)
		return err
	})
	if err != nil {
		log.Log(ctx, work.LogLevel(err), "a command failed, the person is told", "error", err)
		given = Reply{Text: use.Language.Say(c.explain(err)), Personal: true}
	}
	if end() {
		given.keep(ctx, log)
		return
	}
	err = during(ctx, timeout, func(ctx context.Context) error { return c.send(ctx, at, given) })
	switch {
	case errors.Is(err, outbox.ErrExpired):
		given.keep(ctx, log)
		c.tellLate(ctx, log, use, at)
	case err != nil:
		log.WarnContext(ctx, "a command could not be answered, its user waits in vain", "error", err)
	}
}

// during calls do with a context that ends after d. Each step has a time of its own, so
// that people are told when an answer took too long.
func during(ctx context.Context, d time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return do(ctx)
}

// send sends the answer to a use, in several messages if it is too long for one. The
// buttons are below the last one.
func (c *Commands) send(ctx context.Context, at outbox.Press, given Reply) error {
	if at.Public && given.Personal {
		return c.outbox.Withdraw(ctx, at, given.Text)
	}
	parts := outbox.Split(given.Text, outbox.Limit)
	if len(parts) == 0 {
		parts = []outbox.Part{{Text: given.Text}}
	}
	below := make([]outbox.Rows, len(parts))
	below[len(parts)-1] = given.Buttons
	err := c.outbox.Fill(ctx, at, parts[0].Text, below[0])
	for i, part := range parts[1:] {
		err = errors.Join(err, c.outbox.Add(ctx, at, part.Text, below[i+1]))
	}
	return err
}

// isPublic reports whether everybody reads the answer to a use.
func (c *Commands) isPublic(use *Use) bool {
	command, known := c.named(use.Command.Name)
	return known && command.Public != nil && use.isOf(command.For) && command.Public(use)
}

// within returns how long the answer to a use of a command, or to a press, may take.
func (c *Commands) within(i *discord.Interaction) time.Duration {
	command, known := c.named(i.Command.Name)
	if i.CustomID != "" {
		command, _, known = c.pressed(i.CustomID)
	}
	if known && command.Within > 0 {
		return command.Within
	}
	return timeout
}

// Answers reports whether an interaction is one that Answer answers.
func (c *Commands) Answers(i *discord.Interaction) bool {
	_, _, turns := parsePage(i.CustomID)
	_, _, pressed := c.pressed(i.CustomID)
	return i.Type == discord.InteractionCommand || i.Type == discord.InteractionCompletion || turns || pressed
}

// pressed returns the command below whose answer a button stands, and the rest of the
// button's name.
func (c *Commands) pressed(button string) (command *Command, rest string, known bool) {
	for i := range c.all {
		if prefix := c.all[i].Buttons; prefix != "" && strings.HasPrefix(button, prefix) {
			return &c.all[i], strings.TrimPrefix(button, prefix), true
		}
	}
	return nil, "", false
}

// find returns the functions that acknowledge a use and that answer it. The second is
// nil if nothing remains to be done. The command may be one of another version of
// heddle.
func (c *Commands) find(use *Use) (acknowledging, answering) {
	acknowledge := c.outbox.Acknowledge
	command, rest, pressed := c.pressed(use.CustomID)
	if !use.Private || pressed && command.Afresh { // what everybody reads stays as it is
		acknowledge = c.outbox.Promise
	}
	if message, page, ok := parsePage(use.CustomID); ok {
		return acknowledge, func(ctx context.Context, use *Use) (Reply, error) { return c.why.page(ctx, use, message, page) }
	}
	if pressed {
		if form := command.form(use, rest); form != nil {
			return func(ctx context.Context, p outbox.Press) error { return c.outbox.Open(ctx, p, *form) }, nil
		}
		return acknowledge, command.permitted(use, func(ctx context.Context, use *Use) (Reply, error) { return command.Press(ctx, use, rest) })
	}
	command, known := c.named(use.Command.Name)
	if !known {
		return c.outbox.Promise, func(_ context.Context, use *Use) (Reply, error) { return use.Say(phrases.CommandUnknown, nil), nil }
	}
	return c.outbox.Promise, command.permitted(use, command.Answer)
}

// named returns the command with a name.
func (c *Commands) named(name string) (command *Command, known bool) {
	at := slices.IndexFunc(c.all, func(known Command) bool { return known.title() == name })
	if at < 0 {
		return nil, false
	}
	return &c.all[at], true
}
