package playground

import (
	"slices"
	"strconv"
	"strings"

	"heddle/graph"
	"heddle/internal/discordtest"
)

// commands lists the commands that heddle registered. A subcommand is listed as a command
// with a name like "heddle help".
func (p *page) commands() []discordtest.Command {
	all := []discordtest.Command{}
	for _, c := range p.world.discord.People.Commands(p.world.bot.User) {
		all = append(all, flatten(c)...)
	}
	return all
}

// flatten returns a command, or its subcommands if it has some.
func flatten(c discordtest.Command) (all []discordtest.Command) {
	if len(c.Options) == 0 || c.Options[0].Type > discordtest.OptionGroup {
		return []discordtest.Command{c}
	}
	for _, o := range c.Options {
		all = append(all, flatten(discordtest.Command{Type: c.Type, Name: c.Name + " " + o.Name, Description: o.Description, Options: o.Options})...)
	}
	return all
}

type invokeRequest struct {
	Channel graph.ChannelID   `json:"channel"`
	Author  graph.UserID      `json:"author"`
	Command string            `json:"command"`
	Options map[string]string `json:"options"` // as typed, by name
	Target  graph.MessageID   `json:"target"`  // in whose menu it is; zero for typed ones
}

// invoke uses a command. The page learns of the results by events.
func (p *page) invoke(r invokeRequest) (any, error) {
	if _, known := p.world.channel(r.Channel); !known || !p.world.hasPerson(r.Author) || !p.world.sees(r.Author, r.Channel) {
		return nil, errNobody
	}
	all := p.commands()
	at := slices.IndexFunc(all, func(c discordtest.Command) bool {
		return c.Name == r.Command && (c.Type == discordtest.CommandMessage) == (r.Target != 0)
	})
	if at < 0 {
		return nil, refusedError("heddle has no such command")
	}
	use := discordtest.Invocation{Command: r.Command, Target: r.Target, Options: make(map[string]any, len(r.Options))}
	for name, typed := range r.Options {
		o := slices.IndexFunc(all[at].Options, func(o discordtest.CommandOption) bool { return o.Name == name })
		if o < 0 {
			return nil, refusedError("/" + r.Command + " has no option " + name)
		}
		value, ok := read(&all[at].Options[o], typed)
		if !ok {
			return nil, refusedError("/" + r.Command + " cannot take that as its " + name)
		}
		use.Options[name] = value
	}
	id, err := p.world.discord.Interactions.Invoke(r.Channel, r.Author, p.world.bot.User, use)
	if err != nil {
		return nil, refusedError(needs(&all[at]))
	}
	return acted{id}, nil
}

// needs returns a sentence that describes the options of a command.
func needs(c *discordtest.Command) string {
	if c.Type == discordtest.CommandMessage {
		return "Discord does not offer " + c.Name + " here"
	}
	var b strings.Builder
	b.WriteString("Discord does not send this; type /" + c.Name)
	for _, o := range c.Options {
		if o.Required {
			b.WriteString(" " + o.Name + ":…")
		}
	}
	return b.String()
}

// read converts the text typed for an option to its type, and reports whether that is
// possible.
func read(o *discordtest.CommandOption, typed string) (any, bool) {
	for _, choice := range o.Choices {
		if strings.EqualFold(choice.Name, typed) {
			return choice.Value, true
		}
	}
	switch o.Type {
	case discordtest.OptionInteger:
		n, err := strconv.Atoi(typed)
		return n, err == nil
	case discordtest.OptionBoolean:
		v, err := strconv.ParseBool(strings.ToLower(typed))
		return v, err == nil
	case discordtest.OptionChannel:
		id, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimPrefix(typed, "<#"), ">"), 10, 64)
		return graph.ChannelID(id), err == nil
	}
	return typed, typed != ""
}
