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

// Outbox answers commands; outbox.Outbox does.
type Outbox interface {
	AnswerPrivately(ctx context.Context, p outbox.Press, text string) error
}

// Commands answers commands. Its methods may be called from any goroutine.
type Commands struct {
	all      []command
	outbox   Outbox
	registry *registry
	log      *slog.Logger
}

// Use is one use of a command.
type Use struct {
	discord.Interaction

	Place    guilds.Place
	language phrases.Language
}

// command is one of heddle's commands.
type command struct {
	name     string // with the name of the command that it is part of
	describe phrases.ID
	answer   func(ctx context.Context, use *Use) (string, error)
}

// New returns the commands of a bot.
func New(rest REST, sender Outbox, log *slog.Logger, settings Settings) *Commands {
	about := &about{settings}
	return &Commands{
		all: []command{
			{name: "heddle help", describe: phrases.CommandHelp, answer: about.help},
			{name: "heddle privacy", describe: phrases.CommandPrivacy, answer: about.privacy},
		},
		outbox: sender, registry: &registry{rest}, log: log,
	}
}

// Answer answers a use of a command. Only the person who used it reads the answer. If
// several processes hear of it, the one whose answer Discord accepts is the one.
func (c *Commands) Answer(ctx context.Context, interaction discord.Interaction, place guilds.Place) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	log := c.log.With("command", interaction.Command.Name, "interaction", interaction.ID, "channel", interaction.Channel)
	use := &Use{interaction, place, phrases.In(interaction.Locale, interaction.GuildLocale)}
	text, err := c.find(interaction.Command.Name)(ctx, use)
	if err != nil {
		log.Log(ctx, work.LogLevel(err), "a command failed, the person is told", "error", err)
		text = use.language.Text(phrases.CommandFailed, nil)
	}
	at := outbox.Press{ID: interaction.ID, Application: interaction.Application, Token: interaction.Token}
	err = c.outbox.AnswerPrivately(ctx, at, text)
	switch {
	case errors.Is(err, outbox.ErrAnswered):
		log.DebugContext(ctx, "a command is answered by another process, or was read too late")
	case err != nil:
		log.WarnContext(ctx, "a command could not be answered, its user sees Discord's own error", "error", err)
	}
}

// find returns what answers the command with a name. A command may be of another version
// of heddle.
func (c *Commands) find(name string) func(context.Context, *Use) (string, error) {
	at := slices.IndexFunc(c.all, func(known command) bool { return known.name == name })
	if at < 0 {
		return func(_ context.Context, use *Use) (string, error) {
			return use.language.Text(phrases.CommandUnknown, nil), nil
		}
	}
	return c.all[at].answer
}
