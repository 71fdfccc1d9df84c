// Package commands answers heddle's commands on Discord. The table in New has all of
// them but those of package catchup. Each has a name, a description in every language,
// and a function that answers it:
//
//	commands.go   the table, and how a use is acknowledged, answered and given up
//	command.go    what a command is, who uses it, and what it answers
//	register.go   registers the commands with Discord whenever they have changed
//	ask.go, operating.go, context.go, choices.go  the commands
//	why.go, wording.go  what an answer was made from, and why
//	overrides.go  what admins and operators decided
package commands

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/gate"
	"heddle/bot/guilds"
	"heddle/bot/limits"
	"heddle/bot/outbox"
	"heddle/bot/outbox/split"
	"heddle/bot/phrases"
	"heddle/bot/work"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

const (
	// timeout bounds what heddle sends to Discord about a use. Discord waits 3 seconds for
	// the acknowledgement.
	timeout = 30 * time.Second
	// readTimeout bounds answers that do not need the model.
	readTimeout = 2 * time.Minute
	// longestWait is how old a use may become, by Discord's clock, before its answer is
	// there. Discord takes answers for 15 minutes; the rest is for telling whoever waits.
	longestWait = 13 * time.Minute
)

// Settings are what commands tell people about how heddle is run.
type Settings struct {
	Chat      Model          // that answers
	Fallbacks []Model        // that answer if Chat fails, in this order
	Embedding Model          // that turns messages into vectors; the zero Model for none
	Keep      time.Duration  // how long answers are stored
	Contact   string         // whom people can ask; empty for nobody
	Operators []graph.UserID // whom commands for operators answer
	Version   string
	Priced    bool   // prices are set
	Currency  string // of the prices; empty if it is not named
}

// Model is a model that receives what people write.
type Model struct {
	Provider string // the host of its address
	Name     string
}

// Deps is what New needs. All fields must be set.
type Deps struct {
	REST      REST
	Outbox    *outbox.Interactions
	Store     *store.Store
	Guilds    *guilds.Permissions
	History   *fetch.History
	Preparer  *conversation.Preparer
	Answers   *answer.Answers
	Gate      *gate.Gate
	Limits    *limits.Limits
	Overrides *Overrides
	// BelowAside returns the buttons below the answer to a question that is in no message.
	BelowAside func(channel graph.ChannelID) outbox.Rows
	// WhyButtons begins the names of the buttons below answers that ask why.
	WhyButtons string
	// Explain returns what people read about an error.
	Explain func(error) phrases.Phrase
	Log     *slog.Logger
}

// Commands answers commands. Its methods may be called from any goroutine.
type Commands struct {
	all      []Command
	deps     Deps
	settings Settings
	asides   *answer.Asides
	began    time.Time
}

// New returns the commands of a bot: its own and more.
func New(deps Deps, settings Settings, more ...Command) *Commands {
	people, may := deps.Gate.People(), &deps.Overrides.settings
	c := &Commands{deps: deps, settings: settings, asides: answer.NewAsides(deps.Answers, deps.Log), began: time.Now()}
	c.all = append([]Command{
		{Name: "heddle help", Describe: phrases.CommandHelp, Anywhere: true, Answer: saying(phrases.Help)},
		{
			Name: "heddle ask", Describe: phrases.CommandAsk, Anywhere: true, Public: c.isPublic, Answer: c.ask, Options: askOptions(),
			Asks: always, Buttons: askPrefix, Press: c.askOn, Afresh: true, Form: c.form,
		},
		{Name: "heddle privacy", Describe: phrases.CommandPrivacy, Anywhere: true, Answer: c.privacy},
		{Name: "heddle opt-out", Describe: phrases.CommandOptOut, Anywhere: true, Answer: wish(people.OptOut, phrases.OptedOut)},
		{Name: "heddle opt-in", Describe: phrases.CommandOptIn, Anywhere: true, Answer: wish(people.OptIn, phrases.OptedIn)},
		{Name: "heddle forget-me", Describe: phrases.CommandForget, Anywhere: true, Answer: wish(people.Forget, phrases.Forgotten)},
		{
			Name: "heddle context", Describe: phrases.CommandContext, Answer: c.context, Options: contextOptions(may.MostTotal),
			Buttons: applyPrefix, Press: c.applyContext,
		},
		{Name: "heddle model", Describe: phrases.CommandModel, Answer: c.model, Options: modelOptions(may.Models)},
		{Name: "heddle persona", Describe: phrases.CommandPersona, Answer: c.persona, Options: personaOptions()},
		{Name: "heddle usage", Describe: phrases.CommandUsage, Answer: c.usage, Options: usageOptions()},
		{Name: "heddle limits", Describe: phrases.CommandLimits, Answer: c.limitsHere},
		{Name: "heddle status", Describe: phrases.CommandStatus, Operators: true, Answer: c.status},
		{Name: "heddle pause", Describe: phrases.CommandPause, Operators: true, Answer: c.pause, Options: pauseOptions()},
		{
			Name: phrases.English(phrases.CommandWhy), Describe: phrases.CommandWhy, Anywhere: true, Answer: c.showContext,
			Buttons: pagePrefix, Press: c.turnPage,
		},
		{Anywhere: true, Buttons: deps.WhyButtons, Press: c.pressedWhy, Afresh: true},
	}, more...)
	return c
}

// named returns the command with a name, and nil for one of another version of heddle.
func (c *Commands) named(name string) *Command {
	at := slices.IndexFunc(c.all, func(known Command) bool { return known.Name == name && name != "" })
	if at < 0 {
		return nil
	}
	return &c.all[at]
}

// pressed returns the command below whose answer a button stands, and the rest of the
// button's name. It returns nil for any other button.
func (c *Commands) pressed(button string) (command *Command, rest string) {
	for i := range c.all {
		if rest, is := strings.CutPrefix(button, c.all[i].Buttons); is && c.all[i].Buttons != "" {
			return &c.all[i], rest
		}
	}
	return nil, ""
}

// Answers reports whether an interaction is one that Answer answers.
func (c *Commands) Answers(i *discord.Interaction) bool {
	command, _ := c.pressed(i.CustomID)
	return i.Type == discord.InteractionCommand || command != nil
}

// answering is a use of a command on its way to an answer.
type answering struct {
	*Use

	commands *Commands
	at       outbox.Press
	asks     bool // needs the model
	answer   func(context.Context, *Use) (Reply, error)
	log      *slog.Logger
}

// Answer answers a use of a command, or a press of a button below the answer to one. If
// several processes hear of it, the one whose acknowledgement Discord accepts answers. If
// the answer needs the model, Answer returns once Discord knows that it is coming, with
// the function that gives it. Answer logs its errors.
func (c *Commands) Answer(ctx context.Context, interaction discord.Interaction, place guilds.Place) (ask func(context.Context)) {
	use := &Use{
		Interaction: interaction, Place: place, Language: phrases.In(interaction.Locale, interaction.GuildLocale),
		operates: slices.Contains(c.settings.Operators, interaction.User.ID), contact: c.settings.Contact,
	}
	a := &answering{
		Use: use, commands: c, log: c.deps.Log.With("command", use.Command.Name, "interaction", use.ID, "channel", use.Channel),
		at: outbox.Press{ID: use.ID, Application: use.Application, Token: use.Token, Person: use.User.ID},
	}
	acknowledge := a.find()
	acknowledging, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	switch err := acknowledge(acknowledging, a.at); {
	case errors.Is(err, outbox.ErrAnswered):
		a.log.DebugContext(ctx, "a command is answered by another process, or was read too late")
	case err != nil:
		a.log.WarnContext(ctx, "a command could not be acknowledged and is dropped", "error", err)
	case a.answer != nil && a.asks:
		return a.reply
	case a.answer != nil:
		a.reply(ctx)
	}
	return nil
}

// find finds out what answers the use, and returns what acknowledges it. Nothing answers
// a press that only opens a form.
func (a *answering) find() (acknowledge func(context.Context, outbox.Press) error) {
	replies := a.commands.deps.Outbox
	command, rest := a.commands.pressed(a.CustomID)
	press := command != nil
	if !press {
		command = a.commands.named(a.Command.Name)
	}
	switch {
	case command == nil:
		a.answer = saying(phrases.CommandUnknown)
		return replies.Promise
	case a.Place.Foreign && !command.Anywhere:
		a.answer = saying(phrases.Foreign)
	case command.Operators && !a.operates:
		a.answer = saying(phrases.OperatorsOnly)
	case !press:
		a.answer, a.at.Public = command.Answer, command.Public != nil && command.Public(a.Use)
	default:
		if command.Form != nil && a.Type == discord.InteractionComponent {
			if form := command.Form(a.Use, rest); form != nil {
				return func(ctx context.Context, p outbox.Press) error { return replies.Open(ctx, p, *form) }
			}
		}
		a.answer = func(ctx context.Context, use *Use) (Reply, error) { return command.Press(ctx, use, rest) }
	}
	a.asks = command.Asks != nil && command.Asks(a.Use)
	if press && a.Private && !command.Afresh { // what everybody reads stays as it is
		return replies.Acknowledge
	}
	return replies.Promise
}

// saying returns a function that answers with a phrase.
func saying(id phrases.ID) func(context.Context, *Use) (Reply, error) {
	return func(_ context.Context, use *Use) (Reply, error) { return use.Say(id, nil), nil }
}

// reply answers the use, and once more if something that the answer was made from was
// taken back meanwhile.
func (a *answering) reply(ctx context.Context) {
	for range 2 {
		given := a.given(ctx)
		sent, err := a.send(ctx, given)
		switch {
		case errors.Is(err, outbox.ErrExpired):
			a.log.InfoContext(ctx, "the answer to a command comes too late for Discord, the person is told")
			err = a.commands.deps.Outbox.SendEphemeral(ctx, a.at, a.late().Text)
		case err == nil && given.Sent != nil && !given.Sent(ctx, sent):
			a.log.InfoContext(ctx, "something that the answer to a command was made from was taken back meanwhile, the command is answered anew")
			continue
		}
		if err != nil {
			a.log.WarnContext(ctx, "a command could not be answered, its user waits in vain", "error", err)
		}
		return
	}
}

// late returns what people read whose answer comes too late for Discord.
func (a *answering) late() Reply {
	return a.Say(phrases.AnswerLate, phrases.Values{"Where": discord.Mention(a.Channel)})
}

// given returns the reply to the use, or one that says why there is none. The reply is
// not waited for longer than Discord takes it.
func (a *answering) given(ctx context.Context) Reply {
	left := longestWait - a.commands.deps.REST.Now().Sub(a.ID.Time())
	if left <= 0 {
		return a.late()
	}
	if !a.asks {
		left = min(left, readTimeout)
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	given, err := a.answer(ctx, a.Use)
	switch {
	case err == nil:
		return given
	case a.asks && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return a.late()
	}
	a.log.Log(ctx, work.LogLevel(err), "a command failed, the person is told", "error", err)
	return Reply{Text: a.Language.Say(a.commands.deps.Explain(err)), Personal: true}
}

// send sends a reply, in several messages if it is too long for one. The buttons are
// below the last one.
func (a *answering) send(ctx context.Context, given Reply) ([]outbox.Sent, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	replies := a.commands.deps.Outbox
	if a.at.Public && given.Personal {
		return nil, replies.Withdraw(ctx, a.at, given.Text) //nolint:wrapcheck // it says what failed
	}
	parts := split.Parts(given.Text, split.Limit)
	if len(parts) == 0 {
		parts = []split.Part{{Text: given.Text}}
	}
	below := make([]outbox.Rows, len(parts))
	below[len(parts)-1] = given.Buttons
	first, err := replies.Fill(ctx, a.at, parts[0].Text, below[0])
	sent := []outbox.Sent{first}
	for i, part := range parts[1:] {
		next, failure := replies.Add(ctx, a.at, part.Text, below[i+1])
		sent, err = append(sent, next), errors.Join(err, failure)
	}
	return sent, err
}
