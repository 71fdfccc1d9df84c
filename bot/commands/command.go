package commands

import (
	"context"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/gate"
	"heddle/bot/guilds"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/internal/discord"
)

// Command is one of heddle's commands.
type Command struct {
	// Name is the command's name. A slash command's begins with that of the command that
	// it is part of; it is empty for a command in the menu of a message.
	Name     string
	Describe phrases.ID // its description, or the name in a menu
	Options  []Option
	For      Audience
	// Anywhere is set if the command also answers where heddle is no member, for people who
	// installed it for themselves.
	Anywhere bool
	// Public reports whether everybody reads the answer to a use, unless it is Personal;
	// nil: never.
	Public func(*Use) bool
	Answer func(ctx context.Context, use *Use) (Reply, error)
	// Within is how long the answer may take; 0: 30 seconds.
	Within time.Duration
	// Buttons begins the names of the buttons below the answer, with "heddle:" first.
	// Press answers a press of one and replaces what is shown. Below an answer that
	// everybody reads, and if Afresh is set, it answers instead in another message that
	// only the person who pressed sees. rest is the rest of the button's name, which
	// anybody can make up.
	Buttons string
	Afresh  bool
	Press   func(ctx context.Context, use *Use, rest string) (Reply, error)
	// Form returns the form that a press opens; nil for a press that Press answers at once.
	// What is sent of the form comes to Press, as Use.Entered, with the rest of the form's
	// name. It does not wait.
	Form func(use *Use, rest string) *outbox.Form
}

// Option is an option of a slash command.
type Option struct {
	Name     string
	Describe phrases.ID
	Type     discordgo.ApplicationCommandOptionType
	Required bool
	Min, Max float64 // of a number, or of the length of a text; 0: no bound
	Choices  []Choice
	// Complete returns what could be meant by what is typed, at most 25; nil: nothing.
	Complete func(ctx context.Context, use *Use, typed string) []string
}

// Choice is a value that an option can have.
type Choice struct {
	Name  phrases.ID
	Value string
}

// Audience is who may use a command.
type Audience uint8

// The kinds of Audience.
const (
	ForEverybody Audience = iota
	// ForAdmins is for those with Manage Server or Manage Channels. In a direct message
	// that is the person who writes there.
	ForAdmins
	ForOperators // for those whom the operator's settings name
)

// Use is one use of a command, or of a button below the answer to one.
type Use struct {
	discord.Interaction

	Place    guilds.Place
	Language phrases.Language // of the person who uses it
	operates bool
	contact  string // whom people can ask; empty for nobody
}

// Option returns the value of an option, as Discord writes it: a text, the digits of a
// number or an id, or "true" or "false". It reports false if the option was left out.
func (u *Use) Option(name string) (value string, given bool) {
	at := slices.IndexFunc(u.Command.Options, func(o discord.CommandOption) bool { return o.Name == name })
	if at < 0 {
		return "", false
	}
	return u.Command.Options[at].Value, true
}

// Files returns the files that came with the command.
func (u *Use) Files() []discord.Attachment {
	var files []discord.Attachment
	for i := range u.Command.Options {
		if file := u.Command.Options[i].File; file != nil {
			files = append(files, *file)
		}
	}
	return files
}

// Say returns a phrase as an answer. Only the person who uses the command reads it.
func (u *Use) Say(id phrases.ID, values phrases.Values) Reply {
	return Reply{Text: u.Language.Say(phrases.Phrase{ID: id, Values: values}.OrAsk(u.contact)), Personal: true}
}

// Operates reports whether an operator of heddle uses the command.
func (u *Use) Operates() bool { return u.operates }

// permitted reports whether the gate lets heddle answer the person who uses the command.
func (u *Use) permitted(by Gate) bool {
	return by.Permits(gate.AskerOf(u.User.ID, u.Guild, u.Channel, u.Place.Parent, u.Member))
}

// Manages reports whether the person who uses the command may manage the whole server.
func (u *Use) Manages() bool {
	return u.Guild == 0 || u.may(discord.PermissionManageGuild)
}

// ManagesChannel reports whether the person who uses the command may manage the
// channel.
func (u *Use) ManagesChannel() bool {
	return u.Manages() || u.may(discord.PermissionManageChannels)
}

func (u *Use) may(p discord.Permissions) bool {
	return u.Member != nil && (u.Permissions.Has(p) || u.Permissions.Has(discord.PermissionAdministrator))
}

// isOf reports whether the person who uses the command belongs to an audience.
func (u *Use) isOf(a Audience) bool {
	switch a {
	case ForOperators:
		return u.operates
	case ForAdmins:
		return u.operates || u.ManagesChannel()
	case ForEverybody:
	}
	return true
}

// Reply is the answer to a command.
type Reply struct {
	Text    string
	Buttons outbox.Rows
	// Personal is set if only the person who used the command is to read the answer,
	// whatever Command.Public says: it tells them why there is no other. It has no buttons
	// then, and is short.
	Personal bool
	// Late keeps an answer that Discord no longer takes, so that the same use gives it the
	// next time. It reports whether it could. If Late is nil, the answer is dropped.
	Late func(context.Context) (kept bool)
}

// title returns what Discord calls the command.
func (c *Command) title() string {
	if c.Name == "" {
		return phrases.English(c.Describe)
	}
	return c.Name
}

// form returns the form that a press opens; nil for none.
func (c *Command) form(use *Use, rest string) *outbox.Form {
	if c.Form == nil || use.Type != discord.InteractionComponent || !use.isOf(c.For) {
		return nil
	}
	return c.Form(use, rest)
}

// permitted returns the function that answers a use: answer, or one that explains that
// the command is not for the person.
func (c *Command) permitted(use *Use, answer func(context.Context, *Use) (Reply, error)) func(context.Context, *Use) (Reply, error) {
	refusal := phrases.AdminsOnly
	switch {
	case use.Place.Foreign && !c.Anywhere:
		refusal = phrases.Foreign
	case use.isOf(c.For):
		return answer
	case c.For == ForOperators:
		refusal = phrases.OperatorsOnly
	}
	return func(_ context.Context, use *Use) (Reply, error) { return use.Say(refusal, nil), nil }
}
