package discordtest

import (
	"errors"
	"fmt"
	"maps"
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
	// Options are strings, integers, booleans, ids or attachments by the names of options.
	Options map[string]any
	// Target is the message in whose menu the command is chosen; zero for slash commands.
	Target graph.MessageID
}

// Invoke uses a command of a bot's in a channel as a person. The bot gets
// INTERACTION_CREATE. Invoke returns ErrCommand if Discord's clients would not offer that
// person the command there, or would not send it with those options.
func (i *Interactions) Invoke(id graph.ChannelID, who, bot graph.UserID, use Invocation) (InteractionID, error) {
	return i.invoke(id, who, bot, use, "")
}

// Complete types into an option of a command, which asks the bot for completions.
// Interaction.Choices holds what it answers.
func (i *Interactions) Complete(id graph.ChannelID, who, bot graph.UserID, use Invocation, option string) (InteractionID, error) {
	return i.invoke(id, who, bot, use, option)
}

// invoke uses a command, or asks for completions of the focused option, on behalf of a
// person. focused is "" for a use.
func (i *Interactions) invoke(id graph.ChannelID, who, bot graph.UserID, use Invocation, focused string) (InteractionID, error) {
	w := i.world
	w.mu.Lock()
	defer w.mu.Unlock()
	c, b := w.channels[id], w.mustBot(bot)
	if c == nil || c.permissions(who)&ViewChannel == 0 {
		return 0, fmt.Errorf("use %q in channel %s: %w", use.Command, id, ErrCommand)
	}
	data, err := (&invoking{world: w, channel: c, bot: b, who: who, use: use, focused: focused}).data()
	if err != nil {
		return 0, fmt.Errorf("use %q in channel %s: %w", use.Command, id, err)
	}
	in := w.newInteraction(b, c, who)
	in.Kind, in.Command, in.data = InteractionCommand, use.Command, data
	if focused != "" {
		in.Kind = InteractionCompletion
	}
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

// invoking is one use of a command while its interaction is being built.
type invoking struct {
	world    *world
	channel  *channel
	bot      *bot
	who      graph.UserID
	use      Invocation
	focused  string // the option that is being typed; empty when the command is sent
	resolved resolved
}

// resolved is the objects that an invocation names by id.
type resolved struct{ users, channels, roles, messages, files map[string]any }

// data returns the data of the interaction, or ErrCommand if Discord would not offer the
// command.
func (i *invoking) data() (map[string]any, error) {
	names := strings.Split(i.use.Command, " ")
	command := i.offered(names)
	if command == nil {
		return nil, ErrCommand
	}
	data := map[string]any{"id": command.ID, "name": command.Name, "type": command.Type}
	if command.Type != CommandSlash {
		m := i.channel.messages.find(i.use.Target)
		if command.Type != CommandMessage || m == nil {
			return nil, fmt.Errorf("target %s: %w", i.use.Target, ErrCommand)
		}
		i.resolved.messages = map[string]any{m.ID.String(): rendering{i.world, viewer{bot: i.bot, content: true}}.message(i.channel, m)}
		data["target_id"], data["resolved"] = m.ID, i.resolved.wire()
		return data, nil
	}
	options, err := i.options(command.Options, names[1:])
	if err != nil {
		return nil, err
	}
	if len(options) > 0 {
		data["options"] = options
	}
	if wire := i.resolved.wire(); len(wire) > 0 {
		data["resolved"] = wire
	}
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
	if command == nil || command.Contexts != nil && !slices.Contains(command.Contexts, i.context()) {
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

// context returns where the command is used.
func (i *invoking) context() int { return contextOf(i.channel, i.bot) }

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
func (i *invoking) options(offered []CommandOption, names []string) ([]map[string]any, error) {
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
		one := map[string]any{"name": offered[at].Name, "type": offered[at].Type}
		if len(inner) > 0 {
			one["options"] = inner
		}
		return []map[string]any{one}, nil
	}
	return i.values(offered)
}

// values returns the values of options. While one is typed, others may be missing.
func (i *invoking) values(offered []CommandOption) ([]map[string]any, error) {
	given := maps.Clone(i.use.Options)
	var wire []map[string]any
	for k := range offered {
		o := &offered[k]
		value, ok := given[o.Name]
		delete(given, o.Name)
		if !ok {
			if o.Required && i.focused == "" {
				return nil, fmt.Errorf("option %q is missing: %w", o.Name, ErrCommand)
			}
			continue
		}
		one := map[string]any{"name": o.Name, "type": o.Type, "value": i.value(o, value)}
		switch {
		case o.Name == i.focused && o.Completed:
			one["focused"] = true
		case one["value"] == nil || !o.allows(value):
			return nil, fmt.Errorf("option %q cannot be %v: %w", o.Name, value, ErrCommand)
		}
		wire = append(wire, one)
	}
	if len(given) > 0 {
		return nil, fmt.Errorf("there are no options %v: %w", given, ErrCommand)
	}
	return wire, nil
}

// value returns a value as an interaction carries it, or nil if it has the wrong type.
// Objects that it names by id are added to i.resolved.
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
		if o.Type == OptionInteger || o.Type == OptionNumber {
			return v
		}
	case graph.UserID:
		if u := i.world.users[v]; u != nil && o.Type == OptionUser {
			set(&i.resolved.users, v.String(), wireUserOf(u))
			return v
		}
	case graph.ChannelID:
		if c := i.world.channels[v]; c != nil && o.Type == OptionChannel {
			set(&i.resolved.channels, v.String(), wireChannelOf(c))
			return v
		}
	case graph.RoleID:
		if o.Type == OptionRole && i.channel.guild != nil && i.channel.guild.role(v) != nil {
			set(&i.resolved.roles, v.String(), wireRoleOf(i.channel.guild.role(v)))
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
	wire := i.world.links.wireAttachment(loosePath(i.bot.application, &kept), &kept)
	wire.Ephemeral = true
	set(&i.resolved.files, kept.ID.String(), wire)
	return kept.ID
}

// set sets a value in a map, which it makes first if it is nil.
func set(all *map[string]any, id string, value any) {
	if *all == nil {
		*all = map[string]any{}
	}
	(*all)[id] = value
}

// wire returns the objects that the options name, as an interaction carries them. Kinds of
// which there is none are left out.
func (r *resolved) wire() map[string]any {
	wire := map[string]any{}
	for name, all := range map[string]map[string]any{"users": r.users, "channels": r.channels, "roles": r.roles, "messages": r.messages, "attachments": r.files} {
		if len(all) > 0 {
			wire[name] = all
		}
	}
	return wire
}

// allows reports whether a value is among an option's choices and within its bounds.
func (o *CommandOption) allows(value any) bool {
	if n, ok := value.(int); ok && (o.Least != nil && float64(n) < *o.Least || o.Most != nil && float64(n) > *o.Most) {
		return false
	}
	return len(o.Choices) == 0 || slices.ContainsFunc(o.Choices, func(c Choice) bool { return fmt.Sprint(c.Value) == fmt.Sprint(value) })
}
