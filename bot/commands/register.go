package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
)

// REST makes requests; discord.REST does.
type REST interface {
	Do(ctx context.Context, call discord.Call) (json.RawMessage, error)
	Now() time.Time // Discord's time
}

// The number of attempts to register, and the pauses between them. Together they
// outlast an outage of Discord of an hour.
const (
	tries      = 7
	firstPause = 30 * time.Second
)

// KeepRegistered registers the commands of an application with Discord. After an error
// it tries again, with a pause that doubles each time, until ctx ends.
func (c *Commands) KeepRegistered(ctx context.Context, application graph.UserID) {
	if application == 0 {
		return
	}
	pause := firstPause
	for range tries {
		err := c.register(ctx, application)
		switch {
		case err == nil, ctx.Err() != nil:
			return
		case discord.IsNotFound(err):
			c.log.DebugContext(ctx, "this server knows no commands, heddle answers mentions alone", "error", err)
			return
		}
		c.log.WarnContext(ctx, "commands could not be registered with Discord, heddle tries again", "in", pause, "error", err)
		if wait.For(ctx, pause) != nil {
			return
		}
		pause *= 2
	}
}

// register registers the commands unless Discord has them as they are. Discord accepts
// 200 new commands a day, and clients load all of them again after each change.
func (c *Commands) register(ctx context.Context, application graph.UserID) error {
	path := "/applications/" + application.String() + "/commands"
	known, err := c.known(ctx, path)
	if err != nil {
		return fmt.Errorf("read the registered commands: %w", err)
	}
	wanted := define(c.all)
	if same(known, wanted) {
		return nil
	}
	if _, err := c.rest.Do(ctx, discord.Call{Method: http.MethodPut, Path: path, Body: wanted}); err != nil {
		return fmt.Errorf("register the commands: %w", err)
	}
	c.log.InfoContext(ctx, "commands are registered with Discord", "commands", len(c.all))
	return nil
}

func (c *Commands) known(ctx context.Context, path string) ([]*discordgo.ApplicationCommand, error) {
	answer, err := c.rest.Do(ctx, discord.Call{Method: http.MethodGet, Path: path + "?with_localizations=true"})
	if err != nil {
		return nil, err
	}
	var known []*discordgo.ApplicationCommand
	if err := json.Unmarshal(answer, &known); err != nil {
		return nil, fmt.Errorf("decode them: %w", err)
	}
	return known, nil
}

// define returns commands in the form that Discord expects. Those whose names have
// several words are subcommands of the first.
func define(all []Command) []*discordgo.ApplicationCommand {
	// Without kinds of installations Discord takes those that the application has.
	everywhere := []discordgo.InteractionContextType{
		discordgo.InteractionContextGuild, discordgo.InteractionContextBotDM, discordgo.InteractionContextPrivateChannel,
	}
	var defined []*discordgo.ApplicationCommand
	for _, c := range all {
		if c.Name == "" {
			defined = append(defined, &discordgo.ApplicationCommand{
				Type: discordgo.MessageApplicationCommand, Name: c.title(), NameLocalizations: new(localized(c.Describe)), Contexts: &everywhere,
			})
			continue
		}
		first, rest, _ := strings.Cut(c.Name, " ")
		at := slices.IndexFunc(defined, func(d *discordgo.ApplicationCommand) bool { return d.Name == first })
		if at < 0 {
			at = len(defined)
			defined = append(defined, &discordgo.ApplicationCommand{
				Type: discordgo.ChatApplicationCommand, Name: first, Contexts: &everywhere,
				Description: phrases.English(phrases.CommandHeddle), DescriptionLocalizations: new(localized(phrases.CommandHeddle)),
			})
		}
		defined[at].Options = append(defined[at].Options, &discordgo.ApplicationCommandOption{
			Type: discordgo.ApplicationCommandOptionSubCommand, Name: rest,
			Description: phrases.English(c.Describe), DescriptionLocalizations: localized(c.Describe),
			Options: defineOptions(c.Options),
		})
	}
	return defined
}

// defineOptions returns the options of a command in the form that Discord expects.
func defineOptions(options []Option) []*discordgo.ApplicationCommandOption {
	var defined []*discordgo.ApplicationCommandOption
	for _, o := range options {
		d := &discordgo.ApplicationCommandOption{
			Type: o.Type, Name: o.Name, Required: o.Required, Autocomplete: o.Complete != nil,
			Description: phrases.English(o.Describe), DescriptionLocalizations: localized(o.Describe),
		}
		switch {
		case o.Type == discordgo.ApplicationCommandOptionString:
			d.MaxLength = int(o.Max)
		case o.Max > 0:
			d.MinValue, d.MaxValue = &o.Min, o.Max
		}
		for _, c := range o.Choices {
			d.Choices = append(d.Choices, &discordgo.ApplicationCommandOptionChoice{
				Name: phrases.English(c.Name), NameLocalizations: localized(c.Name), Value: c.Value,
			})
		}
		defined = append(defined, d)
	}
	return defined
}

func localized(id phrases.ID) map[discordgo.Locale]string {
	all := make(map[discordgo.Locale]string)
	for locale, text := range phrases.Localized(id) {
		all[discordgo.Locale(locale)] = text
	}
	return all
}

// same reports whether commands are registered as wanted. It ignores what Discord adds
// to them.
func same(known, wanted []*discordgo.ApplicationCommand) bool {
	return bytes.Equal(essence(known), essence(wanted))
}

// essence returns commands in a form in which they can be compared.
func essence(commands []*discordgo.ApplicationCommand) []byte {
	plain := make([]discordgo.ApplicationCommand, len(commands))
	for i, c := range commands {
		plain[i] = discordgo.ApplicationCommand{
			Type: c.Type, Name: c.Name, NameLocalizations: c.NameLocalizations, Description: c.Description, DescriptionLocalizations: c.DescriptionLocalizations,
			DefaultMemberPermissions: c.DefaultMemberPermissions, Contexts: c.Contexts, Options: c.Options,
		}
	}
	slices.SortFunc(plain, func(a, b discordgo.ApplicationCommand) int { return strings.Compare(a.Name, b.Name) })
	text, err := json.Marshal(plain)
	if err != nil {
		return nil // no field can fail
	}
	return text
}
