package discordtest

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"heddle/graph"
)

// The types of commands.
const (
	CommandSlash   = 1 // typed as /name
	CommandMessage = 3 // in the menu of a message
)

// The types of a command's options, of which there are more on Discord.
const (
	OptionSubcommand = 1
	OptionGroup      = 2 // of subcommands
	OptionString     = 3
	OptionInteger    = 4
	OptionBoolean    = 5
	OptionChannel    = 7
	OptionFile       = 11 // that comes with the command
)

// The contexts in which a command can be offered.
const (
	ContextGuild   = 0
	ContextBotDM   = 1 // the direct messages with the bot itself
	ContextPrivate = 2 // other direct messages
)

// The ways in which an application is installed.
const (
	InstalledGuild = 0
	InstalledUser  = 1
)

// Command is a command that an application registered for all guilds.
type Command struct {
	ID            graph.ID[commandKind] `json:"id"`
	Type          int                   `json:"type"`
	Name          string                `json:"name"`
	Names         map[string]string     `json:"name_localizations"`
	Description   string                `json:"description"`
	Descriptions  map[string]string     `json:"description_localizations"`
	Options       []CommandOption       `json:"options"`
	Permissions   *string               `json:"default_member_permissions"` // nil for everybody
	Contexts      []int                 `json:"contexts"`                   // nil for all
	Installations []int                 `json:"integration_types"`          // nil for guilds alone

	wire object // as it was registered, with what Discord adds
}

type commandKind struct{}

// CommandOption is an option, a subcommand or a group of subcommands.
type CommandOption struct {
	Type         int               `json:"type"`
	Name         string            `json:"name"`
	Names        map[string]string `json:"name_localizations"`
	Description  string            `json:"description"`
	Descriptions map[string]string `json:"description_localizations"`
	Required     bool              `json:"required"`
	Choices      []Choice          `json:"choices"`
	Options      []CommandOption   `json:"options"`
	Least        *float64          `json:"min_value"`
	Most         *float64          `json:"max_value"`
}

// Choice is a value that people choose by its name.
type Choice struct {
	Name  string            `json:"name"`
	Names map[string]string `json:"name_localizations,omitempty"`
	Value any               `json:"value"`
}

// Commands returns the commands of a bot, in the order in which they were registered.
func (p *People) Commands(id graph.UserID) []Command {
	p.world.mu.RLock()
	defer p.world.mu.RUnlock()
	return slices.Clone(p.world.mustBot(id).commands)
}

// mustBot returns a bot. It panics if there is none with that id.
func (w *world) mustBot(id graph.UserID) *bot {
	if u := w.users[id]; u != nil && u.bot != nil {
		return u.bot
	}
	panic("discordtest: no bot " + id.String())
}

// application returns the bot whose application the path names, if it is the caller's.
func (c *call) application() (*bot, error) {
	if c.bot.application != graph.UserID(c.id("application")) {
		return nil, errForbidden(20012, "You are not authorized to perform this action on this application")
	}
	return c.bot, nil
}

func listCommands(c *call) (any, error) {
	b, err := c.application()
	if err != nil {
		return nil, err
	}
	return wireCommands(b.commands), nil
}

// replaceCommands replaces all commands. A command with the same name and type keeps
// its id.
func replaceCommands(c *call, given *[]json.RawMessage) (any, error) {
	b, err := c.application()
	if err != nil {
		return nil, err
	}
	commands := make([]Command, len(*given))
	for i, raw := range *given {
		if json.Unmarshal(raw, &commands[i]) != nil || json.Unmarshal(raw, &commands[i].wire) != nil {
			return nil, errForm(strconv.Itoa(i), "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")
		}
		c.world.register(b, &commands[i])
	}
	b.commands = commands
	c.world.mu.Wake()
	return wireCommands(b.commands), nil
}

// register sets a command's id and what Discord adds.
func (w *world) register(b *bot, c *Command) {
	c.ID, c.Type = graph.ID[commandKind](w.nextID()), cmp.Or(c.Type, CommandSlash)
	for i := range b.commands {
		if old := &b.commands[i]; old.Type == c.Type && old.Name == c.Name {
			c.ID = old.ID
		}
	}
	for field, value := range map[string]any{
		"type": c.Type, "description": "", "default_member_permissions": nil, "contexts": nil,
		"integration_types": []int{InstalledGuild}, "nsfw": false,
	} {
		if c.wire[field] == nil {
			c.wire[field] = value
		}
	}
	c.wire["id"], c.wire["application_id"], c.wire["version"] = c.ID, b.application, c.ID
}

func wireCommands(commands []Command) []object {
	wire := make([]object, len(commands))
	for i := range commands {
		wire[i] = commands[i].wire
	}
	return wire
}
