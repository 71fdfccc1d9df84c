package commands

import (
	"context"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/answer"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// The options of /heddle ask.
const (
	optionQuestion = "question"
	optionFile     = "file"
	optionPrivate  = "private"
)

// longestQuestion bounds questions, in characters: what heddle quotes leaves room for the
// answer.
const longestQuestion = 1000

func askOptions() []Option {
	return []Option{
		{Name: optionQuestion, Type: discordgo.ApplicationCommandOptionString, Required: true, Longest: longestQuestion},
		{Name: optionFile, Type: discordgo.ApplicationCommandOptionAttachment},
		{Name: optionPrivate, Type: discordgo.ApplicationCommandOptionBoolean},
	}
}

// asking answers members' questions by command.
type asking struct {
	deps   Deps
	asides answer.Asides
}

// question is what somebody asks by command.
type question struct {
	text  string
	files []discord.Attachment
	after store.SummaryID // the private conversation that it continues; 0 for none
	// private is set if the asker alone reads the answer.
	private bool
}

// questionOf returns the question of a use of /heddle ask.
func questionOf(use *Use) question {
	text, _ := use.Option(optionQuestion)
	q := question{text: strings.TrimSpace(text), private: use.Is(optionPrivate, "true")}
	for i := range use.Command.Options {
		if file := use.Command.Options[i].File; file != nil {
			q.files = append(q.files, *file)
		}
	}
	return q
}

// isPublic reports whether everybody reads the answer. Only the asker reads a refusal.
func (a *asking) isPublic(use *Use) bool {
	q := questionOf(use)
	return !q.private && a.refusal(use, &q) == ""
}

// refusal returns why a question is not answered, or "" if it is.
func (a *asking) refusal(use *Use, q *question) phrases.ID {
	switch {
	case !a.deps.Gate.Permits(use.Asker()):
		return "not_permitted"
	case q.text == "":
		return "ask_nothing"
	}
	return ""
}

// ask answers /heddle ask.
func (a *asking) ask(ctx context.Context, use *Use) (Reply, error) {
	q := questionOf(use)
	if refused := a.refusal(use, &q); refused != "" {
		return use.Say(refused, nil), nil
	}
	spoken := a.aside(ctx, use, &q)
	switch {
	case !spoken.Answered:
		return Reply{Text: spoken.Text, Personal: true}, nil
	case a.isPublic(use):
		return a.public(use, &q, &spoken), nil
	}
	return a.private(ctx, use, spoken.Text, &spoken), nil
}

// aside has a question answered as if it were a message in the channel.
func (a *asking) aside(ctx context.Context, use *Use, q *question) answer.AsideAnswer {
	id := graph.MessageID(use.ID) // it is younger than all messages before
	said := discord.Message{
		ID: id, Channel: use.Channel, Guild: use.Guild, Author: use.User, Time: id.Time(), Content: q.text, Attachments: q.files,
	}
	about := use.About(id)
	about.Private = q.private
	return a.asides.Answer(ctx, about, answer.Aside{Said: said, After: q.after}, use.Language)
}

// public returns an answer that everybody reads. Where heddle is a member it is recorded
// like the answer to a mention, and has its buttons. Elsewhere it can be deleted.
func (a *asking) public(use *Use, q *question, spoken *answer.AsideAnswer) Reply {
	given := Reply{Text: q.quoted() + spoken.Text, Buttons: a.below(use)}
	if use.Place.Foreign {
		if given.Buttons != nil {
			remove := reply.Rows{{withdrawal(use, 0)}}
			given.Buttons, given.Above = remove, remove
		}
		return given
	}
	given.Spoken, given.Quoted = spoken, q.quoted()
	return given
}

// below returns the buttons below an answer that everybody reads.
func (a *asking) below(use *Use) reply.Rows {
	aside := []store.Response{{Input: store.Input{Sources: []store.SourceRef{{Channel: use.Channel}}}}}
	return a.deps.Replies.Below(phrases.In(use.Place.Locale), aside, 0)
}

// buttonWithdraw begins the name of the button that deletes a message of an answer that is
// private, or where heddle is no member. Who asked follows, and the private conversation that
// the answer ends, in base; 0 for none.
const buttonWithdraw = "heddle:withdraw:"

// withdrawal returns the button that deletes a message of an answer.
func withdrawal(use *Use, kept store.SummaryID) discordgo.Button {
	name := buttonWithdraw + use.User.ID.String() + ":" + strconv.FormatUint(uint64(kept), base)
	return reply.Button(name, use.Language.Text("label_delete", nil))
}

// withdraw deletes a message of an answer for who asked for it, and erases what is stored of a
// private one. Moderators need no button.
func (a *asking) withdraw(ctx context.Context, use *Use) (Reply, error) {
	asker, kept, _ := strings.Cut(use.Rest, ":")
	if asker != use.User.ID.String() {
		return use.Say("delete_denied", nil), nil
	}
	if id := parseConversation(kept); id != 0 {
		if err := a.asides.Erase(ctx, use.About(0), id); err != nil {
			return Reply{}, err
		}
	}
	return Reply{}, a.deps.Replies.Withdraw(ctx, use.Press(), use.Language.Text("answer_deleted", nil))
}

// private returns an answer that only the asker reads, with a button to continue from it, and
// one below each of its messages to delete it.
func (a *asking) private(ctx context.Context, use *Use, text string, spoken *answer.AsideAnswer) Reply {
	if !spoken.Answered {
		return Reply{Text: text}
	}
	id := a.asides.Keep(ctx, spoken)
	remove := withdrawal(use, id)
	given := Reply{Text: text, Buttons: reply.Rows{{remove}}, Above: reply.Rows{{remove}}}
	if id != 0 {
		name := buttonAskOn + strconv.FormatUint(uint64(id), base)
		given.Buttons = reply.Rows{{reply.Button(name, use.Language.Text("label_ask_on", nil)), remove}}
	}
	return given
}

// quoted returns the question as it stands above an answer.
func (q *question) quoted() string {
	lines := []string{strings.ReplaceAll(q.text, "\n", "\n> ")}
	for i := range q.files {
		lines = append(lines, "📎 "+phrases.Quoted(q.files[i].Name, nameSize))
	}
	return "> " + strings.Join(lines, "\n> ") + "\n"
}

// buttonAskOn begins the name of the button below a private answer, with which the asker
// continues from it. The conversation follows, in base. As anybody can make up a name, it
// is checked that the person who presses had that conversation.
const (
	buttonAskOn = "heddle:ask:"
	base        = 36
)

// form returns the form for the next question of the person who pressed the button
// below a private answer, or nil if there is none.
func (a *asking) form(use *Use) *reply.Form {
	if parseConversation(use.Rest) == 0 || !a.deps.Gate.Permits(use.Asker()) {
		return nil
	}
	return &reply.Form{
		ID: use.CustomID, Title: use.Language.Text("form_ask_on", nil), Label: use.Language.Text("form_question", nil), Most: longestQuestion,
	}
}

// askOn answers a question that was asked in the form.
func (a *asking) askOn(ctx context.Context, use *Use) (Reply, error) {
	q := question{text: strings.TrimSpace(use.Entered), after: parseConversation(use.Rest), private: true}
	if q.after == 0 {
		return use.Say("button_unknown", nil), nil
	}
	if refused := a.refusal(use, &q); refused != "" {
		return use.Say(refused, nil), nil
	}
	spoken := a.aside(ctx, use, &q)
	return a.private(ctx, use, q.quoted()+spoken.Text, &spoken), nil
}

// parseConversation parses what follows buttonAskOn in the name of a button; 0 if it names
// no conversation.
func parseConversation(rest string) store.SummaryID {
	id, err := strconv.ParseUint(rest, base, 64)
	if err != nil {
		return 0
	}
	return store.SummaryID(id)
}
