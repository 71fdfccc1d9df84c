package discordtest

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"heddle/graph"
)

// ErrCommand reports that a person has no such command to use.
var ErrCommand = errors.New("discordtest: no such command to use")

// Invocation is a use of a command.
type Invocation struct {
	// Command is its name; those of a group and a subcommand follow after spaces.
	Command string
	// Options are strings, integers, booleans, ids of channels and attachments by the names of options.
	Options map[string]any
	// Target is the message in whose menu the command is chosen; zero for slash commands.
	Target graph.MessageID
}

// Invoke uses a command of a bot's in a channel as a person. The bot gets
// INTERACTION_CREATE. Invoke returns ErrCommand if Discord's clients would not offer that
// person the command there, or would not send it with those options.
func (i *Interactions) Invoke(id graph.ChannelID, who, bot graph.UserID, use Invocation) (InteractionID, error) {
	w := i.world
	w.mu.Lock()
	defer w.mu.Unlock()
	c, b := w.channels[id], w.mustBot(bot)
	if c == nil || c.permissions(who)&ViewChannel == 0 {
		return 0, fmt.Errorf("use %q in channel %s: %w", use.Command, id, ErrCommand)
	}
	data, err := (&invoking{world: w, channel: c, bot: b, who: who, use: use, resolved: resolved{object{}, map[string]wireAttachment{}}}).data()
	if err != nil {
		return 0, fmt.Errorf("use %q in channel %s: %w", use.Command, id, err)
	}
	in := w.newInteraction(b, c, who)
	in.Kind, in.Command, in.data = InteractionCommand, use.Command, data
	private := contextOf(c, b) == ContextPrivate
	if private || b.offers(data["name"].(string), InstalledGuild) == nil || c.guild != nil && c.guild.member(b.id) == nil {
		in.installed = InstalledUser
	}
	in.tell(c, nil)
	return in.ID, nil
}

// offers returns the command with a name that is available to an installation, or nil.
// A command that does not name installations is available to all that the application
// supports.
func (b *bot) offers(name string, installed int) *Command {
	for i := range b.commands {
		c := &b.commands[i]
		if c.Name == name && (c.Installations == nil && (installed == InstalledGuild || b.forUsers) || slices.Contains(c.Installations, installed)) {
			return c
		}
	}
	return nil
}

// resolved is the objects that the options of an invocation name by id.
type resolved struct {
	Channels object                    `json:"channels,omitempty"`
	Files    map[string]wireAttachment `json:"attachments,omitempty"`
}

// invoking is one use of a command while its interaction is being built.
type invoking struct {
	world    *world
	channel  *channel
	bot      *bot
	who      graph.UserID
	use      Invocation
	resolved resolved
}

// data returns the data of the interaction, or ErrCommand if Discord would not offer the
// command.
func (i *invoking) data() (object, error) {
	names := strings.Split(i.use.Command, " ")
	command := i.offered(names)
	if command == nil {
		return nil, ErrCommand
	}
	data := object{"id": command.ID, "name": command.Name, "type": command.Type}
	if command.Type != CommandSlash {
		m := i.channel.messages.find(i.use.Target)
		if command.Type != CommandMessage || m == nil {
			return nil, fmt.Errorf("target %s: %w", i.use.Target, ErrCommand)
		}
		shown := rendering{i.world, viewer{bot: i.bot, content: true}}.message(i.channel, m)
		data["target_id"], data["resolved"] = m.ID, object{"messages": object{m.ID.String(): shown}}
		return data, nil
	}
	options, err := i.options(command.Options, names[1:])
	if err != nil {
		return nil, err
	}
	if len(options) > 0 {
		data["options"] = options
	}
	data["resolved"] = i.resolved
	return data, nil
}

// offered returns the command if Discord's clients offer it; nil otherwise. The names of
// commands in menus may hold spaces.
func (i *invoking) offered(names []string) *Command {
	installed := InstalledGuild
	c := i.channel
	if c.guild != nil && c.guild.member(i.bot.id) == nil {
		installed = InstalledUser
	}
	if installed == InstalledUser && !slices.Contains(i.bot.installedFor, i.who) {
		return nil
	}
	name := names[0]
	if i.use.Target != 0 {
		name = i.use.Command
	}
	command := i.bot.offers(name, installed)
	if command == nil && slices.Contains(i.bot.installedFor, i.who) {
		command = i.bot.offers(name, InstalledUser)
	}
	if command == nil || command.Contexts != nil && !slices.Contains(command.Contexts, contextOf(i.channel, i.bot)) {
		return nil
	}
	if command.Permissions != nil && c.guild != nil {
		needed := Permission(idOf(*command.Permissions))
		if has := c.permissions(i.who); needed == 0 && has&Administrator == 0 || has&needed != needed {
			return nil
		}
	}
	return command
}

// contextOf returns the number that Discord gives to the kind of place that a channel is for a bot.
func contextOf(c *channel, b *bot) int {
	switch {
	case c.guild != nil:
		return ContextGuild
	case slices.Contains(c.recipients, b.user):
		return ContextBotDM
	}
	return ContextPrivate
}

// options returns the options as an interaction carries them, inside of a group and a
// subcommand if the command has them.
func (i *invoking) options(offered []CommandOption, names []string) ([]object, error) {
	if len(offered) > 0 && offered[0].Type <= OptionGroup {
		at := -1
		if len(names) > 0 {
			at = slices.IndexFunc(offered, func(o CommandOption) bool { return o.Name == names[0] && o.Type <= OptionGroup })
		}
		if at < 0 {
			return nil, fmt.Errorf("subcommand %q: %w", names, ErrCommand)
		}
		inner, err := i.options(offered[at].Options, names[1:])
		if err != nil {
			return nil, err
		}
		one := object{"name": offered[at].Name, "type": offered[at].Type}
		if len(inner) > 0 {
			one["options"] = inner
		}
		return []object{one}, nil
	}
	return i.values(offered)
}

// values returns the values of options.
func (i *invoking) values(offered []CommandOption) ([]object, error) {
	given := maps.Clone(i.use.Options)
	var wire []object
	for k := range offered {
		o := &offered[k]
		value, ok := given[o.Name]
		delete(given, o.Name)
		if !ok {
			if o.Required {
				return nil, fmt.Errorf("option %q is missing: %w", o.Name, ErrCommand)
			}
			continue
		}
		wireValue := i.value(o, value)
		if wireValue == nil || !o.allows(value) {
			return nil, fmt.Errorf("option %q cannot be %v: %w", o.Name, value, ErrCommand)
		}
		wire = append(wire, object{"name": o.Name, "type": o.Type, "value": wireValue})
	}
	if len(given) > 0 {
		return nil, fmt.Errorf("there are no options %v: %w", given, ErrCommand)
	}
	return wire, nil
}

// value returns a value as an interaction carries it, or nil if it has the wrong type.
// Channels and files are added to i.resolved.
func (i *invoking) value(o *CommandOption, value any) any {
	switch v := value.(type) {
	case string:
		if o.Type == OptionString {
			return v
		}
	case bool:
		if o.Type == OptionBoolean {
			return v
		}
	case int:
		if o.Type == OptionInteger {
			return v
		}
	case graph.ChannelID:
		if c := i.world.channels[v]; c != nil && o.Type == OptionChannel {
			i.resolved.Channels[v.String()] = wireChannelOf(c)
			return v
		}
	case Attachment:
		if o.Type == OptionFile {
			return i.attach(v)
		}
	}
	return nil
}

// attach uploads the file of an option and returns its id. The file is not attached to
// a message.
func (i *invoking) attach(file Attachment) graph.AttachmentID {
	kept := i.world.adopt([]Attachment{file})[0]
	i.world.loose[kept.ID] = &kept
	path := loosePrefix + i.bot.application.String() + "/" + kept.ID.String() + "/" + url.PathEscape(kept.Name)
	i.resolved.Files[kept.ID.String()] = i.world.wireAttachment(path, &kept)
	return kept.ID
}

// allows reports whether a value is among an option's choices and within its bounds.
func (o *CommandOption) allows(value any) bool {
	if n, ok := value.(int); ok && (o.Least != nil && float64(n) < *o.Least || o.Most != nil && float64(n) > *o.Most) {
		return false
	}
	return len(o.Choices) == 0 || slices.ContainsFunc(o.Choices, func(c Choice) bool { return fmt.Sprint(c.Value) == fmt.Sprint(value) })
}
