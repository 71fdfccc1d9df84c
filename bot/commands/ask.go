package commands

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/lru"
	"heddle/store"
)

// askTimeout bounds the answer to /heddle ask. One that Discord no longer takes is kept.
const askTimeout = 30 * time.Minute

// The options of /heddle ask.
const (
	optionQuestion = "question"
	optionFile     = "file"
	optionPrivate  = "private"
)

// longestQuestion bounds questions, in characters: what heddle quotes leaves room for the
// answer.
const longestQuestion = 1000

// askPrefix begins the name of the button below a private answer, with which the asker
// continues from it. The conversation follows. As anybody can make up a name, it is
// checked that the person who presses had that conversation.
const askPrefix = "heddle:ask:"

// Asides answers questions that are not in a message; answer.Asides does.
type Asides interface {
	Answer(ctx context.Context, q conversation.Question, aside answer.Aside, in phrases.Language) answer.AsideAnswer
	// Keep stores what was asked and answered, so that the asker can continue from there.
	// It returns 0 if they cannot.
	Keep(ctx context.Context, spoken *answer.AsideAnswer) store.SummaryID
	// Kept returns the last answer of a conversation that Keep stored, if the asker may have
	// it.
	Kept(ctx context.Context, q conversation.Question, id store.SummaryID) (string, error)
}

// ask answers a question without a mention.
type ask struct {
	asides Asides
	gate   Gate
	late   *lru.Cache[asked, store.SummaryID] // answers that came too late
}

// command returns /heddle ask.
func (a *ask) command() Command {
	return Command{
		Name: "heddle ask", Describe: phrases.CommandAsk, Anywhere: true, Public: a.isPublic, Answer: a.answer, Within: askTimeout,
		Options: []Option{
			{Name: optionQuestion, Describe: phrases.OptionQuestion, Type: discordgo.ApplicationCommandOptionString, Required: true, Max: longestQuestion},
			{Name: optionFile, Describe: phrases.OptionFile, Type: discordgo.ApplicationCommandOptionAttachment},
			{Name: optionPrivate, Describe: phrases.OptionPrivate, Type: discordgo.ApplicationCommandOptionBoolean},
		},
		Buttons: askPrefix, Press: a.press, Afresh: true, Form: a.form,
	}
}

// isPublic reports whether everybody reads the answer. Only the asker reads a refusal.
func (a *ask) isPublic(use *Use) bool {
	private, _ := use.Option(optionPrivate)
	text, _ := use.Option(optionQuestion)
	return private != "true" && strings.TrimSpace(text) != "" && use.permitted(a.gate)
}

// answer answers the command.
func (a *ask) answer(ctx context.Context, use *Use) (Reply, error) {
	text, _ := use.Option(optionQuestion)
	q := question{text: strings.TrimSpace(text), files: use.Files()}
	if refusal := a.refusal(use, &q); refusal != nil {
		return *refusal, nil
	}
	again, public := q.asked(use, 0), a.isPublic(use)
	if id, text, found := a.kept(ctx, use, again); found {
		reply := Reply{Text: text, Buttons: below(use, id), Late: a.keeping(again, func(context.Context) store.SummaryID { return id })}
		if public {
			reply.Text, reply.Buttons = q.quoted()+text, nil
		}
		return reply, nil
	}
	spoken := a.asides.Answer(ctx, use.question(), answer.Aside{Said: q.said(use)}, use.Language)
	switch {
	case !spoken.Answered:
		return Reply{Text: spoken.Text, Personal: true}, nil
	case public:
		return Reply{Text: q.quoted() + spoken.Text, Late: a.keeping(again, func(ctx context.Context) store.SummaryID { return a.asides.Keep(ctx, &spoken) })}, nil
	}
	return a.private(ctx, use, again, spoken.Text, &spoken), nil
}

// form returns the form for the next question of the person who pressed the button below
// a private answer, or nil if there is none.
func (a *ask) form(use *Use, rest string) *outbox.Form {
	if parseConversation(rest) == 0 || !use.permitted(a.gate) {
		return nil
	}
	return &outbox.Form{
		ID: askPrefix + rest, Title: use.Language.Text(phrases.FormAskOn, nil), Label: use.Language.Text(phrases.FormQuestion, nil), Most: longestQuestion,
	}
}

// press answers a question that was asked in the form.
func (a *ask) press(ctx context.Context, use *Use, rest string) (Reply, error) {
	after := parseConversation(rest)
	if after == 0 {
		return use.Say(phrases.ButtonUnknown, nil), nil
	}
	q := question{text: strings.TrimSpace(use.Entered)}
	if refusal := a.refusal(use, &q); refusal != nil {
		return *refusal, nil
	}
	again := q.asked(use, after)
	if id, text, found := a.kept(ctx, use, again); found {
		return Reply{Text: q.quoted() + text, Buttons: below(use, id), Late: a.keeping(again, func(context.Context) store.SummaryID { return id })}, nil
	}
	spoken := a.asides.Answer(ctx, use.question(), answer.Aside{Said: q.said(use), After: after}, use.Language)
	return a.private(ctx, use, again, q.quoted()+spoken.Text, &spoken), nil
}

// private returns an answer that only the asker reads, with a button to continue from it.
func (a *ask) private(ctx context.Context, use *Use, q asked, text string, spoken *answer.AsideAnswer) Reply {
	reply := Reply{Text: text}
	if id := a.asides.Keep(ctx, spoken); id != 0 {
		reply.Buttons, reply.Late = below(use, id), a.keeping(q, func(context.Context) store.SummaryID { return id })
	}
	return reply
}

// refusal returns what the asker reads if the question is not to be answered, or nil if
// it is.
func (a *ask) refusal(use *Use, q *question) *Reply {
	refused := phrases.AskNothing
	switch {
	case !use.permitted(a.gate):
		refused = phrases.NotPermitted
	case q.text != "":
		return nil
	}
	reply := use.Say(refused, nil)
	return &reply
}

// question returns where somebody asks.
func (u *Use) question() conversation.Question {
	// An interaction's id is younger than all messages before.
	return conversation.Question{Guild: u.Guild, Channel: u.Channel, ID: graph.MessageID(u.ID), Place: u.Place, Asker: u.User.ID}
}

// question is what somebody asks by command.
type question struct {
	text  string
	files []discord.Attachment
}

// said returns the question as a message.
func (q *question) said(use *Use) discord.Message {
	id := graph.MessageID(use.ID)
	return discord.Message{
		ID: id, Channel: use.Channel, Guild: use.Guild, Author: use.User, Time: id.Time(), Content: q.text, Attachments: q.files,
	}
}

// quoted returns the question as it stands above an answer.
func (q *question) quoted() string {
	lines := []string{strings.ReplaceAll(q.text, "\n", "\n> ")}
	for i := range q.files {
		lines = append(lines, "📎 "+Quoted(q.files[i].Name, nameSize))
	}
	return "> " + strings.Join(lines, "\n> ") + "\n"
}

// base is the base of numbers in the names of buttons, which Discord bounds.
const base = 36

// parseConversation parses what follows askPrefix in the name of a button; 0 if it names
// no conversation.
func parseConversation(rest string) store.SummaryID {
	id, err := strconv.ParseUint(rest, base, 64)
	if err != nil {
		return 0
	}
	return store.SummaryID(id)
}
