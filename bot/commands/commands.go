// Package commands answers heddle's commands on Discord. Each command has a name, a
// description in every language, and a function that answers it; Discord is told of all
// of them when they changed.
package commands

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/gate"
	"heddle/bot/guilds"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/bot/work"
	"heddle/internal/discord"
)

// timeout bounds the answer to a command. Discord waits 3 seconds for the first word.
const timeout = 30 * time.Second

// Settings are what commands tell of how heddle is run.
type Settings struct {
	Provider string        // the host of the model's address
	Model    string        // its name
	Keep     time.Duration // how long answers are stored
	Contact  string        // whom people can ask; empty for nobody
}

// Deps is what New works with. All fields must be set.
type Deps struct {
	REST      REST
	Outbox    Outbox
	Responses Responses
	Readers   Readers
	History   History
	Previews  Previewer
	People    People
	Gate      Gate
	Log       *slog.Logger
}

// Gate decides whom heddle answers; gate.Gate does.
type Gate interface {
	Permits(by gate.Asker) bool
}

// Outbox answers commands; outbox.Outbox does.
type Outbox interface {
	// Promise tells Discord that an answer is coming, which only the person will see. It
	// fails with outbox.ErrAnswered if another process answers.
	Promise(ctx context.Context, p outbox.Press) error
	// Acknowledge tells Discord that a press was received.
	Acknowledge(ctx context.Context, p outbox.Press) error
	// Fill replaces what the person sees by a text with buttons.
	Fill(ctx context.Context, p outbox.Press, text string, buttons []discordgo.Button) error
}

// Commands answers commands. Its methods may be called from any goroutine.
type Commands struct {
	all    []command
	why    *why
	outbox Outbox
	rest   REST
	log    *slog.Logger
}

// Use is one use of a command, or of a button below the answer to one.
type Use struct {
	discord.Interaction

	Place    guilds.Place
	language phrases.Language
}

// reply is the answer to a command.
type reply struct {
	text    string
	buttons []discordgo.Button
}

// command is one of heddle's commands.
type command struct {
	// name is the command's name. A slash command's begins with that of the command that
	// it is part of; it is empty for a command in the menu of a message.
	name     string
	describe phrases.ID // its description, or the name in a menu
	answer   func(ctx context.Context, use *Use) (reply, error)
}

// New returns the commands of a bot.
func New(deps Deps, settings Settings) *Commands {
	about := &about{settings}
	why := &why{deps.Responses, deps.Readers, deps.History, deps.Previews, deps.Gate}
	return &Commands{
		all: []command{
			{name: "heddle help", describe: phrases.CommandHelp, answer: about.help},
			{name: "heddle privacy", describe: phrases.CommandPrivacy, answer: about.privacy},
			{name: "heddle opt-out", describe: phrases.CommandOptOut, answer: wish(deps.People.OptOut, phrases.OptedOut)},
			{name: "heddle opt-in", describe: phrases.CommandOptIn, answer: wish(deps.People.OptIn, phrases.OptedIn)},
			{name: "heddle forget-me", describe: phrases.CommandForget, answer: wish(deps.People.Forget, phrases.Forgotten)},
			{describe: phrases.CommandWhy, answer: why.showContext},
		},
		why: why, outbox: deps.Outbox, rest: deps.REST, log: deps.Log,
	}
}

// Answer answers a use of a command, or a press of a button below the answer to one.
// Only the person who used it reads the answer. If several processes hear of it, the one
// whose acknowledgement Discord accepts answers.
func (c *Commands) Answer(ctx context.Context, interaction discord.Interaction, place guilds.Place) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	log := c.log.With("command", interaction.Command.Name, "interaction", interaction.ID, "channel", interaction.Channel)
	use := &Use{interaction, place, phrases.In(interaction.Locale, interaction.GuildLocale)}
	at := outbox.Press{ID: interaction.ID, Application: interaction.Application, Token: interaction.Token}
	acknowledge, answer := c.outbox.Promise, c.find(interaction.Command.Name)
	if message, page, ok := parsePage(interaction.CustomID); ok {
		acknowledge = c.outbox.Acknowledge
		answer = func(ctx context.Context, use *Use) (reply, error) { return c.why.page(ctx, use, message, page) }
	}
	err := acknowledge(ctx, at)
	switch {
	case errors.Is(err, outbox.ErrAnswered):
		log.DebugContext(ctx, "a command is answered by another process, or was read too late")
		return
	case err != nil:
		log.WarnContext(ctx, "a command could not be acknowledged and is dropped", "error", err)
		return
	}
	given, err := answer(ctx, use)
	if err != nil {
		log.Log(ctx, work.LogLevel(err), "a command failed, the person is told", "error", err)
		given = reply{text: use.language.Text(phrases.CommandFailed, nil)}
	}
	if err := c.outbox.Fill(ctx, at, given.text, given.buttons); err != nil {
		log.WarnContext(ctx, "a command could not be answered, its user waits in vain", "error", err)
	}
}

// Answers reports whether an interaction is one that Answer answers.
func Answers(i *discord.Interaction) bool {
	_, _, turns := parsePage(i.CustomID)
	return i.Type == discord.InteractionCommand || turns
}

// find returns what answers the command with a name. A command may be of another version
// of heddle.
func (c *Commands) find(name string) func(context.Context, *Use) (reply, error) {
	at := slices.IndexFunc(c.all, func(known command) bool { return known.title() == name })
	if at < 0 {
		return func(_ context.Context, use *Use) (reply, error) {
			return reply{text: use.language.Text(phrases.CommandUnknown, nil)}, nil
		}
	}
	return c.all[at].answer
}

// title returns what Discord calls the command.
func (c *command) title() string {
	if c.name == "" {
		return phrases.English(c.describe)
	}
	return c.name
}
