package discord

import (
	"encoding/json"
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
	InteractionCommand    InteractionType = 2 // a command was used
	InteractionComponent  InteractionType = 3 // a button was pressed
	InteractionCompletion InteractionType = 4 // an option of a command is being typed
	InteractionForm       InteractionType = 5 // a form was sent, which an answer opened
)

// Interaction is a use of one of heddle's buttons, commands or forms.
type Interaction struct {
	ID          InteractionID
	Type        InteractionType
	Application graph.UserID
	Token       string // a secret with which to answer
	Guild       graph.GuildID
	Channel     graph.ChannelID
	At          Channel         // what the event says about the channel
	Message     graph.MessageID // with the button
	Private     bool            // only User sees Message
	Changed     time.Time       // when Message was sent, or last edited
	User        User
	Member      *Member     // the user's membership in Guild; nil if not sent
	Foreign     bool        // the user installed heddle only for themselves, so heddle may not be a member here
	Permissions Permissions // what Member may do in Channel
	Own         Permissions // what heddle may do in Channel
	Locale      string      // of the user, such as "de" or "en-US"
	GuildLocale string      // empty outside of guilds

	CustomID string  // the button or the form; empty for a command
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
	Name    string
	Value   string      // what was typed, or the digits of a number or an id, or "true" or "false"
	Focused bool        // it is being typed
	File    *Attachment // the file that Value names, which is not on a message; nil for none
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

// DecodeInteraction reads INTERACTION_CREATE. It fails with ErrMalformed if the
// interaction cannot be answered.
func DecodeInteraction(raw json.RawMessage) (Interaction, error) {
	o := parseObject(raw)
	i := Interaction{
		ID:          InteractionID(o.bits("id")),
		Type:        InteractionType(o.integer("type")),
		Application: graph.UserID(o.bits("application_id")),
		Token:       o.text("token"),
		Guild:       graph.GuildID(o.bits("guild_id")),
		Channel:     graph.ChannelID(o.bits("channel_id")),
		At:          decodeChannel(o.object("channel")),
		Message:     graph.MessageID(o.object("message").bits("id")),
		Private:     o.object("message").integer("flags")&flagEphemeral != 0,
		User:        decodeUser(o.object("user")),
		Permissions: Permissions(o.object("member").bits("permissions")),
		Own:         Permissions(o.bits("app_permissions")),
		Locale:      o.text("locale"),
		GuildLocale: o.text("guild_locale"),
	}
	if i.Changed = o.object("message").moment("edited_timestamp"); i.Changed.IsZero() {
		i.Changed = i.Message.Time()
	}
	if i.Channel == 0 {
		i.Channel = i.At.ID
	}
	owners := o.object("authorizing_integration_owners")
	i.Foreign = owners.given(installedForUser) && !owners.given(installedForGuild) && o.integer("context") != contextBotDM
	if i.Member = memberOf(o); i.User.ID == 0 && i.Member != nil {
		i.User = i.Member.User
	}
	switch data := o.object("data"); i.Type {
	case InteractionComponent:
		i.CustomID = data.text("custom_id")
	case InteractionForm:
		i.CustomID, i.Entered = data.text("custom_id"), entered(data)
	case InteractionCommand, InteractionCompletion:
		i.Command = decodeCommand(data)
	}
	if i.Token == "" {
		return i, malformed("an interaction without a token")
	}
	return i, needID(min(uint64(i.ID), uint64(i.Channel)), "an interaction")
}

// entered returns the text in the first field of a form, which may be in a row or in a
// label.
func entered(data object) string {
	for _, raw := range data.items("components") {
		row := fieldsOf(raw)
		for _, field := range append(row.items("components"), row.field("component")) {
			if o := fieldsOf(field); o.given("value") {
				return o.text("value")
			}
		}
	}
	return ""
}

// decodeCommand reads which command was used, with the names of its groups and
// subcommands, and the options given.
func decodeCommand(data object) Command {
	names := []string{data.text("name")}
	options := data.items("options")
	for range maxDepth {
		if len(options) != 1 {
			break
		}
		inner := fieldsOf(options[0])
		if kind := inner.integer("type"); kind != optionSubcommand && kind != optionGroup {
			break
		}
		names, options = append(names, inner.text("name")), inner.items("options")
	}
	c := Command{Name: strings.Join(names, " ")}
	files := data.object("resolved").object("attachments")
	for _, raw := range options {
		o := fieldsOf(raw)
		option := CommandOption{Name: o.text("name"), Value: o.text("value"), Focused: o.boolean("focused")}
		if file := files.object(option.Value); o.integer("type") == optionFile && file != nil {
			option.File = new(decodeAttachment(file))
		}
		c.Options = append(c.Options, option)
	}
	if target := data.text("target_id"); target != "" {
		if m, err := messageOf(data.object("resolved").object("messages").object(target)); err == nil {
			c.Target = &m
		}
	}
	return c
}
