package discord

import (
	"strings"
	"time"

	"heddle/graph"
)

// InteractionID is an interaction's id.
type InteractionID = graph.ID[interactionKind]

type interactionKind struct{}

// InteractionType is a kind of interaction.
type InteractionType int

// The kinds of interactions that heddle answers.
const (
	InteractionCommand   InteractionType = 2 // a command was used
	InteractionComponent InteractionType = 3 // a button was pressed
	InteractionForm      InteractionType = 5 // a form was sent, which an answer opened
)

// Interaction is a use of one of heddle's buttons, commands or forms.
type Interaction struct {
	ID          InteractionID   `wire:"id"`
	Type        InteractionType `wire:"type"`
	Application graph.UserID    `wire:"application_id"`
	Token       string          `wire:"token"` // a secret with which to answer
	Guild       graph.GuildID   `wire:"guild_id"`
	Channel     graph.ChannelID `wire:"channel_id"`
	At          Channel         `wire:"channel"`    // what the event says about the channel
	Message     graph.MessageID `wire:"message/id"` // with the button
	Private     bool            // only User sees Message
	Changed     time.Time       `wire:"message/edited_timestamp"` // when Message was sent, or last edited
	User        User            `wire:"user"`
	Member      *Member         `wire:"member"` // the user's membership in Guild; nil if not sent
	Others      []Member        // those of others whom the command is about
	Foreign     bool            // the user installed heddle only for themselves, so heddle may not be a member here
	Permissions Permissions     `wire:"member/permissions"` // what Member may do in Channel
	Own         Permissions     `wire:"app_permissions"`    // what heddle may do in Channel
	Locale      string          `wire:"locale"`             // of the user, such as "de" or "en-US"
	GuildLocale string          `wire:"guild_locale"`       // empty outside of guilds

	CustomID string  `wire:"data/custom_id"` // the button or the form; empty for a command
	Entered  string  // what was entered into the form's field
	Command  Command // the command; zero for a button
}

// Command is a command as it was used.
type Command struct {
	// Name is the command's name, followed by those of a group and a subcommand, with
	// spaces between them.
	Name    string
	Options []CommandOption
	Target  *Message // the message whose menu holds the command; nil if it was typed
}

// CommandOption is the value of an option.
type CommandOption struct {
	Name  string
	Value string      // what was typed, or the digits of a number or an id, or "true" or "false"
	File  *Attachment // the file that Value names, which is not on a message; nil for none
}

// The types of options that hold others, and of files.
const (
	optionSubcommand = 1
	optionGroup      = 2
	optionFile       = 11
)

// The kinds of installations of an application.
const (
	installedForGuild = "0"
	installedForUser  = "1"
)

// contextBotDM is the context of interactions in a direct message with heddle.
const contextBotDM = 1

// flagEphemeral is the flag of a message that one person sees.
const flagEphemeral = 1 << 6

// complete implements completer.
func (i *Interaction) complete(o object, _ int) {
	i.Private = integerOf(o.field("message/flags"))&flagEphemeral != 0
	if i.Changed.IsZero() {
		i.Changed = i.Message.Time()
	}
	if i.Channel == 0 {
		i.Channel = i.At.ID
	}
	const owners = "authorizing_integration_owners/"
	i.Foreign = o.given(owners+installedForUser) && !o.given(owners+installedForGuild) && integerOf(o["context"]) != contextBotDM
	if i.Member != nil {
		if i.User.ID == 0 {
			i.User = i.Member.User
		}
		i.User.Nick = i.Member.Nick
	}
	i.Others = resolvedMembers(parseObject(o.field("data/resolved")))
	switch data := parseObject(o["data"]); i.Type {
	case InteractionForm:
		i.Entered = entered(data)
	case InteractionCommand:
		i.CustomID, i.Command = "", decodeCommand(data)
	case InteractionComponent: // its fields are read by their tags
	}
}

// resolvedMembers returns the memberships in what Discord resolves for a command, where the users
// stand in another list.
func resolvedMembers(resolved object) (members []Member) {
	users := parseObject(resolved["users"])
	for id, raw := range parseObject(resolved["members"]) {
		member := decode[Member](raw)
		if member.User = decode[User](users[id]); member.User.ID != 0 {
			member.User.Nick = member.Nick
			members = append(members, member)
		}
	}
	return members
}

// entered returns the text in the first field of a form, which may be in a row or in a
// label.
func entered(data object) string {
	for _, raw := range itemsOf(data["components"]) {
		row := parseObject(raw)
		for _, field := range append(itemsOf(row["components"]), row["component"]) {
			if o := parseObject(field); o.given("value") {
				return textOf(o["value"])
			}
		}
	}
	return ""
}

// decodeCommand reads which command was used, with the names of its groups and
// subcommands, and the options given.
func decodeCommand(data object) Command {
	names := []string{textOf(data["name"])}
	options := itemsOf(data["options"])
	for range maxDepth {
		if len(options) != 1 {
			break
		}
		inner := parseObject(options[0])
		if kind := integerOf(inner["type"]); kind != optionSubcommand && kind != optionGroup {
			break
		}
		names, options = append(names, textOf(inner["name"])), itemsOf(inner["options"])
	}
	c := Command{Name: strings.Join(names, " ")}
	files := parseObject(data.field("resolved/attachments"))
	for _, raw := range options {
		o := parseObject(raw)
		option := CommandOption{Name: textOf(o["name"]), Value: textOf(o["value"])}
		if file := files[option.Value]; integerOf(o["type"]) == optionFile && parseObject(file) != nil {
			option.File = new(decode[Attachment](file))
		}
		c.Options = append(c.Options, option)
	}
	if target := textOf(data["target_id"]); target != "" {
		if m, err := Decode[Message](parseObject(data.field("resolved/messages"))[target]); err == nil {
			c.Target = &m
		}
	}
	return c
}
