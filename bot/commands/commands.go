// Package commands answers heddle's commands and buttons on Discord. Each command has a name, a
// description in every language, and a function that answers it, in the table in New:
//
//	commands.go   the table, and how a use is acknowledged, answered and given up
//	command.go    what a command is, who uses it, and what it answers
//	register.go   registers the commands with Discord whenever they have changed
//	members.go, ask.go  the commands for everybody
//	buttons.go    the buttons below answers
//	why.go, wording.go  what an answer was made from, and why
//	catchup.go    what was said, conversation by conversation
//	choices.go, context.go, check.go, operators.go  the commands for admins and for operators
//	ratings.go    👍 and 👎 below answers
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
	"heddle/bot/guilds"
	"heddle/bot/limits"
	"heddle/bot/phrases"
	"heddle/bot/questions"
	"heddle/bot/reply"
	"heddle/bot/reply/split"
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
	Hears     Model          // that turns voice messages into text; the zero Model for none
	Reader    Model          // that reads what questions need; the zero Model for none
	Servers   []string       // whose tools the model may call
	Keep      time.Duration  // how long answers are stored
	Lease     time.Duration  // how long a process that died keeps what it claimed
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
	REST      *discord.REST
	Replies   *reply.Replies
	Store     *store.Store
	Guilds    *guilds.Cache
	History   *fetch.History
	Answers   *answer.Answerer
	Gate      *questions.Gate
	Limits    *limits.Limits
	Overrides *conversation.Overrides
	Log       *slog.Logger
}

// Commands registers commands, and has their uses answered. Its methods may be called from
// any goroutine.
type Commands struct {
	all      []Command
	deps     Deps
	settings *Settings
	asides   answer.Asides
}

// New returns the commands of a bot: its own and more.
func New(deps Deps, settings Settings, more ...Command) *Commands {
	people, may, asides := deps.Gate.People(), deps.Overrides.Settings(), answer.Asides{Answerer: deps.Answers}
	ask, from, admin := &asking{deps, asides}, &why{deps}, &admins{deps}
	whose, operator := &members{&settings, deps.Limits}, &operators{deps, &settings, time.Now()}
	return &Commands{deps: deps, settings: &settings, asides: asides, all: slices.Concat([]Command{
		{Name: "heddle help", Anywhere: true, Answer: saying("help")},
		{Name: "heddle ask", Anywhere: true, Public: ask.isPublic, Answer: ask.ask, Asks: true, Options: askOptions()},
		{Button: buttonAskOn, Anywhere: true, Answer: ask.askOn, Asks: true, Afresh: true, Form: ask.form},
		{Button: buttonWithdraw, Anywhere: true, Quiet: true, Answer: ask.withdraw},
		{Name: "heddle privacy", Anywhere: true, Answer: whose.privacy},
		{Name: "heddle opt-out", Anywhere: true, Answer: wish(people.OptOut, "opted_out")},
		{Name: "heddle opt-in", Anywhere: true, Answer: wish(people.OptIn, "opted_in")},
		{Name: "heddle forget-me", Anywhere: true, Answer: wish(people.Forget, "forgotten")},
		{Name: "heddle context", Answer: admin.context, Options: contextOptions(may.MostTotal)},
		{Name: "heddle model", Answer: admin.model, Options: modelOptions(may)},
		{Name: "heddle persona", Answer: admin.persona, Options: personaOptions()},
		{Name: "heddle usage", Answer: whose.usage, Options: usageOptions()},
		{Name: "heddle limits", Answer: whose.limitsHere},
		{Name: "heddle status", Operators: true, Answer: operator.status},
		{Name: "heddle pause", Operators: true, Answer: operator.pause, Options: pauseOptions()},
		{Name: phrases.English("command_why"), Menu: "command_why", Anywhere: true, Answer: from.showContext},
		{Button: buttonPage, Anywhere: true, Answer: from.turnPage},
		{Button: reply.ButtonWhy, Anywhere: true, Answer: from.pressed, Afresh: true},
	}, (&pressing{deps, &settings}).buttons(), more)}
}

// find returns the command that somebody uses, or the button that they press, and sets
// Use.Rest. It returns nil for one of another version of heddle.
func (c *Commands) find(use *Use) *Command {
	for i := range c.all {
		known := &c.all[i]
		if known.Button == "" && use.CustomID == "" && known.Name == use.Command.Name {
			return known
		}
		if rest, is := strings.CutPrefix(use.CustomID, known.Button); is && known.Button != "" {
			use.Rest = rest
			return known
		}
	}
	return nil
}

// answering is a use of a command on its way to an answer.
type answering struct {
	*Use

	commands *Commands
	at       reply.Press
	asks     bool // needs the model
	quiet    bool // see Command.Quiet
	answer   func(context.Context, *Use) (Reply, error)
	log      *slog.Logger
}

// Answer answers a use of a command, or a press of a button. If
// several processes hear of it, the one whose acknowledgement Discord accepts answers. If
// the answer needs the model, Answer returns once Discord knows that it is coming, with
// the function that gives it. Answer logs its errors.
func (c *Commands) Answer(ctx context.Context, interaction discord.Interaction, place guilds.Place) (ask func(context.Context)) {
	use := NewUse(interaction, place)
	use.operates, use.contact = slices.Contains(c.settings.Operators, interaction.User.ID), c.settings.Contact
	a := &answering{
		Use: use, commands: c, at: use.Press(), log: c.deps.Log.With("command", use.Command.Name, "interaction", use.ID, "channel", use.Channel),
	}
	acknowledge := a.begin()
	acknowledging, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	switch err := acknowledge(acknowledging, a.at); {
	case errors.Is(err, reply.ErrAnswered):
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

// begin finds out what answers the use, and returns what acknowledges it. Nothing answers
// a press that only opens a form.
func (a *answering) begin() (acknowledge func(context.Context, reply.Press) error) {
	replies := a.commands.deps.Replies
	command := a.commands.find(a.Use)
	switch {
	case command == nil && a.CustomID != "":
		a.answer = saying("button_unknown")
		return replies.Promise
	case command == nil:
		a.answer = saying("command_unknown")
		return replies.Promise
	case a.Place.Foreign && !command.Anywhere:
		a.answer = saying("foreign")
	case command.Operators && !a.operates:
		a.answer = saying("operators_only")
	default:
		if command.Form != nil && a.Type == discord.InteractionComponent {
			if form := command.Form(a.Use); form != nil {
				return func(ctx context.Context, p reply.Press) error { return replies.Open(ctx, p, *form) }
			}
		}
		a.answer, a.at.Public = command.Answer, command.Public != nil && command.Public(a.Use)
	}
	a.asks, a.quiet = command.Asks, command.Quiet
	if a.quiet || command.Button != "" && a.Private && !command.Afresh { // what everybody reads stays as it is
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
		case errors.Is(err, reply.ErrExpired):
			a.log.InfoContext(ctx, "the answer to a command comes too late for Discord, the person is told")
			err = a.commands.deps.Replies.SendEphemeral(ctx, a.at, a.late().Text)
		case err == nil && given.Spoken != nil && !a.commands.asides.Record(ctx, given.Spoken, given.Quoted, sent):
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
	return a.Say("answer_late", phrases.Values{"Where": discord.Mention(a.Channel)})
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
	refused, is := errors.AsType[phrases.RefusedError](err)
	switch {
	case err == nil:
		return given
	case is:
		return a.Say(refused.ID, refused.Values)
	case a.asks && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return a.late()
	}
	a.log.Log(ctx, store.LogLevel(err), "a command failed, the person is told", "error", err)
	return Reply{Text: a.Language.Say(sentence(err).OrAsk(a.contact)), Personal: true}
}

// send sends a reply, in several messages if it is too long for one. The buttons are
// below the last one.
func (a *answering) send(ctx context.Context, given Reply) ([]reply.Sent, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	replies := a.commands.deps.Replies
	switch { //nolint:wrapcheck // the errors say what failed
	case a.quiet && given.Text == "":
		return nil, nil
	case a.quiet:
		return nil, replies.SendEphemeral(ctx, a.at, given.Text)
	case a.at.Public && given.Personal:
		return nil, replies.Withdraw(ctx, a.at, given.Text)
	}
	parts := split.Parts(given.Text, split.Limit)
	if len(parts) == 0 {
		parts = []split.Part{{Text: given.Text}}
	}
	below := make([]reply.Rows, len(parts))
	for i := range below {
		below[i] = given.Above
	}
	below[len(parts)-1] = given.Buttons
	first, err := replies.Fill(ctx, a.at, reply.Final{Text: parts[0].Text, Files: given.Files, Buttons: below[0]})
	sent := []reply.Sent{first}
	for i, part := range parts[1:] {
		next, failure := replies.Add(ctx, a.at, part.Text, below[i+1])
		sent, err = append(sent, next), errors.Join(err, failure)
	}
	return sent, err
}
