package commands

import (
	"context"
	"slices"
	"time"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/guilds"
	"heddle/bot/phrases"
	"heddle/bot/questions"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
	"heddle/store"
)

// Command is one of heddle's commands, or a button.
type Command struct {
	// Name is the command's name. A slash command's begins with that of the command that
	// it is part of, and the phrase command_NAME describes it. A command in the menu of a
	// message has another. A button has none.
	Name      string
	Menu      phrases.ID // the name in a menu
	Options   []Option
	Operators bool // for those alone whom the operator's settings name
	// Anywhere is set if the command also answers where heddle is no member, for people who
	// installed it for themselves.
	Anywhere bool
	// Public reports whether everybody reads the answer to a use, unless it is Personal;
	// nil: never.
	Public func(*Use) bool
	Answer func(ctx context.Context, use *Use) (Reply, error)
	// Asks is set if the answer needs the model, so that it waits for its turn.
	Asks bool
	// Button begins the name of a button, with "heddle:" first. The answer to a press
	// replaces what is shown. Below an answer that everybody reads, and if Afresh is set, it
	// stands instead in another message that only the person who pressed sees. If Quiet is
	// set, a press shows nothing but, to the person who pressed, what it says in text.
	Button string
	Afresh bool
	Quiet  bool
	// Form returns the form that a press opens; nil for a press that is answered at once.
	// What is sent of the form is answered like a press of the button with the form's name,
	// with Use.Entered. It does not wait.
	Form func(*Use) *reply.Form
}

// Use is one use of a command, or of a button below the answer to one.
type Use struct {
	discord.Interaction

	Place    guilds.Place
	Language phrases.Language // of the person who uses it
	Rest     string           // of the name of a button, behind Command.Button; anybody can make it up
	operates bool             // an operator of heddle uses it
	contact  string           // whom people can ask; empty for nobody
}

// NewUse returns a use by somebody who is no operator, of something that is in no command.
func NewUse(i discord.Interaction, place guilds.Place) *Use {
	return &Use{Interaction: i, Place: place, Language: phrases.In(i.Locale, i.GuildLocale)}
}

// Press returns where to answer the person.
func (u *Use) Press() reply.Press {
	return reply.Press{ID: u.ID, Application: u.Application, Token: u.Token, Person: u.User.ID}
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

// Is reports whether an option has a value.
func (u *Use) Is(name, value string) bool {
	given, _ := u.Option(name)
	return given == value
}

// Say returns a phrase as an answer. Only the person who uses the command reads it.
func (u *Use) Say(id phrases.ID, values phrases.Values) Reply {
	return Reply{Text: u.Language.Say(phrases.Phrase{ID: id, Values: values}.OrAsk(u.contact)), Personal: true}
}

// Asker returns the person who uses the command, for the gate.
func (u *Use) Asker() questions.Asker {
	return questions.Asker{User: u.User.ID, Guild: u.Guild, Channel: u.Channel, Parent: u.Place.Parent, Member: u.Member}
}

// About returns what asks heddle for the context of a message on behalf of the person.
func (u *Use) About(message graph.MessageID) conversation.Question {
	return conversation.Question{Guild: u.Guild, Channel: u.Channel, ID: message, Place: u.Place, Asker: u.User.ID}
}

// manages reports whether the person who uses the command may manage the whole server.
// Whoever writes directly manages that.
func (u *Use) manages() bool {
	return u.Guild == 0 || u.May(discord.PermissionManageGuild)
}

// ManagesChannel reports whether the person who uses the command may manage the
// channel.
func (u *Use) ManagesChannel() bool {
	return u.manages() || u.May(discord.PermissionManageChannels)
}

// May reports whether the person who uses the command has a permission in the channel.
func (u *Use) May(p discord.Permissions) bool {
	return u.Member != nil && (u.Permissions.Has(p) || u.Permissions.Has(discord.PermissionAdministrator))
}

const (
	justSent     = 10 * time.Second // from when a message was sent or edited until a press
	storingTime  = 2 * time.Second  // from sending the last part of an answer to recording it
	storingPause = 50 * time.Millisecond
)

// AwaitRecord waits until it is recorded what the message shows on which a button was pressed.
// An answer gets its buttons with its end, and is recorded right after that. AwaitRecord does not
// wait for an answer that was sent long ago.
func (u *Use) AwaitRecord(ctx context.Context, responses *store.Responses) {
	for began := time.Now(); u.ID.Time().Sub(u.Changed) < justSent && time.Since(began) < storingTime; {
		_, recorded, err := responses.ByReply(ctx, u.Place.Scope, u.Message)
		if recorded || err != nil || wait.For(ctx, storingPause) != nil {
			return
		}
	}
}

// Reply is the answer to a command.
type Reply struct {
	Text    string
	Buttons reply.Rows     // below the last message
	Above   reply.Rows     // below each message before it
	Files   []discord.File // of an answer that one person reads
	// Personal is set if only the person who used the command is to read the answer,
	// whatever Command.Public says: it tells them why there is no other. It has no buttons
	// then, and is short.
	Personal bool
	// Spoken is an answer of the model's that everybody reads, below the question that is Quoted. It
	// is recorded as it was sent; nil for none.
	Spoken *answer.AsideAnswer
	Quoted string
}
