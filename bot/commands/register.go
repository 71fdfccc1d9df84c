package commands

import (
	"bytes"
	"cmp"
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
			c.deps.Log.DebugContext(ctx, "this server knows no commands, heddle answers mentions alone", "error", err)
			return
		}
		c.deps.Log.WarnContext(ctx, "commands could not be registered with Discord, heddle tries again", "in", pause, "error", err)
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
	answer, err := c.deps.REST.Do(ctx, discord.Call{Method: http.MethodGet, Path: path + "?with_localizations=true"})
	if err != nil {
		return fmt.Errorf("read the registered commands: %w", err)
	}
	var known []definition
	if err := json.Unmarshal(answer, &known); err != nil {
		return fmt.Errorf("decode the registered commands: %w", err)
	}
	wanted := define(c.all)
	if bytes.Equal(essence(known), essence(wanted)) {
		return nil
	}
	if _, err := c.deps.REST.Do(ctx, discord.Call{Method: http.MethodPut, Path: path, Body: wanted}); err != nil {
		return fmt.Errorf("register the commands: %w", err)
	}
	c.deps.Log.InfoContext(ctx, "commands are registered with Discord")
	return nil
}

// essence returns commands in a form in which they can be compared, without what Discord
// adds to them.
func essence(commands []definition) []byte {
	sorted := slices.SortedFunc(slices.Values(commands), func(a, b definition) int { return strings.Compare(a.Name, b.Name) })
	text, err := json.Marshal(sorted)
	if err != nil {
		return nil // no field can fail
	}
	return text
}

// The commands as Discord documents them, as far as heddle's need it. discordgo's types
// write null for every list that a command does not have.
type (
	definition struct {
		Type         discordgo.ApplicationCommandType   `json:"type"`
		Name         string                             `json:"name"`
		Names        map[string]string                  `json:"name_localizations,omitempty"`
		Description  string                             `json:"description,omitempty"`
		Descriptions map[string]string                  `json:"description_localizations,omitempty"`
		Contexts     []discordgo.InteractionContextType `json:"contexts,omitempty"`
		Options      []Option                           `json:"options,omitempty"`
		Permissions  *string                            `json:"default_member_permissions,omitempty"` // heddle's have none
	}

	// Option is an option of a slash command. Descriptions are filled in from Describe, or
	// from the phrase option_NAME.
	Option struct {
		Describe     phrases.ID                             `json:"-"`
		Type         discordgo.ApplicationCommandOptionType `json:"type"`
		Name         string                                 `json:"name"`
		Description  string                                 `json:"description"`
		Descriptions map[string]string                      `json:"description_localizations,omitempty"`
		Required     bool                                   `json:"required,omitempty"`
		Least        *float64                               `json:"min_value,omitempty"`
		Most         float64                                `json:"max_value,omitempty"`
		Longest      int                                    `json:"max_length,omitempty"` // of a text, in characters
		Choices      []Choice                               `json:"choices,omitempty"`
		Options      []Option                               `json:"options,omitempty"`
	}

	// Choice is a value that an option can have. Names are filled in from the phrase
	// choice_VALUE, unless Name is the same in every language.
	Choice struct {
		Name  string            `json:"name"`
		Names map[string]string `json:"name_localizations,omitempty"`
		Value string            `json:"value"`
	}
)

// define returns commands in the form that Discord expects. Slash commands are
// subcommands of /heddle.
func define(all []Command) []definition {
	// Without kinds of installations Discord takes those that the application has.
	everywhere := []discordgo.InteractionContextType{
		discordgo.InteractionContextGuild, discordgo.InteractionContextBotDM, discordgo.InteractionContextPrivateChannel,
	}
	root := definition{
		Type: discordgo.ChatApplicationCommand, Name: "heddle", Contexts: everywhere,
		Description: phrases.English("command_heddle"), Descriptions: phrases.Localized("command_heddle"),
	}
	var menus []definition
	for _, c := range all {
		name, slash := strings.CutPrefix(c.Name, root.Name+" ")
		switch {
		case slash:
			option := Option{Type: discordgo.ApplicationCommandOptionSubCommand, Name: name, Describe: describing("command", name), Options: c.Options}
			root.Options = append(root.Options, option.described())
		case c.Name != "":
			menus = append(menus, definition{
				Type: discordgo.MessageApplicationCommand, Name: c.Name, Names: phrases.Localized(c.Menu), Contexts: everywhere,
			})
		}
	}
	return append([]definition{root}, menus...)
}

// describing returns the phrase that describes a command, an option or a choice.
func describing(kind, name string) phrases.ID {
	return phrases.ID(kind + "_" + strings.ReplaceAll(name, "-", "_"))
}

// described returns an option with its descriptions in every language.
func (o Option) described() Option {
	by := cmp.Or(o.Describe, describing("option", o.Name))
	o.Description, o.Descriptions = phrases.English(by), phrases.Localized(by)
	o.Choices, o.Options = slices.Clone(o.Choices), slices.Clone(o.Options)
	for i := range o.Choices {
		if c := &o.Choices[i]; c.Name == "" {
			by := describing("choice", c.Value)
			c.Name, c.Names = phrases.English(by), phrases.Localized(by)
		}
	}
	for i := range o.Options {
		o.Options[i] = o.Options[i].described()
	}
	return o
}
