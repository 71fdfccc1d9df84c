package playground

import (
	"slices"
	"strconv"
	"strings"

	"heddle/graph"
	"heddle/internal/discordtest"
)

// commandView is a command in the form that the page gets. A subcommand is a separate
// commandView, with a name like "heddle help".
type commandView struct {
	Type        int          `json:"type"` // discordtest.CommandSlash or CommandMessage
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Options     []optionView `json:"options"`

	options []discordtest.CommandOption
}

type optionView struct {
	Name     string `json:"name"`
	Required bool   `json:"required"`
}

// commands lists the commands that heddle registered.
func (p *page) commands() []commandView {
	all := []commandView{}
	for _, c := range p.world.discord.People.Commands(p.world.bot.User) {
		all = append(all, flatten(c.Type, c.Name, c.Description, c.Options)...)
	}
	return all
}

// flatten returns a command, or its subcommands if it has some.
func flatten(kind int, name, description string, options []discordtest.CommandOption) []commandView {
	if len(options) > 0 && options[0].Type <= discordtest.OptionGroup {
		var all []commandView
		for _, o := range options {
			all = append(all, flatten(kind, name+" "+o.Name, o.Description, o.Options)...)
		}
		return all
	}
	c := commandView{Type: kind, Name: name, Description: description, Options: []optionView{}, options: options}
	for _, o := range options {
		c.Options = append(c.Options, optionView{o.Name, o.Required})
	}
	return []commandView{c}
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
	at := slices.IndexFunc(all, func(c commandView) bool {
		return c.Name == r.Command && (c.Type == discordtest.CommandMessage) == (r.Target != 0)
	})
	if at < 0 {
		return nil, refusedError("heddle has no such command")
	}
	use := discordtest.Invocation{Command: r.Command, Target: r.Target, Options: make(map[string]any, len(r.Options))}
	for name, typed := range r.Options {
		o := slices.IndexFunc(all[at].options, func(o discordtest.CommandOption) bool { return o.Name == name })
		if o < 0 {
			return nil, refusedError("/" + r.Command + " has no option " + name)
		}
		value, ok := read(&all[at].options[o], typed)
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
func needs(c *commandView) string {
	if c.Type == discordtest.CommandMessage {
		return "Discord does not offer " + c.Name + " here"
	}
	var b strings.Builder
	b.WriteString("Discord does not send this; type /" + c.Name)
	for _, o := range c.options {
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
