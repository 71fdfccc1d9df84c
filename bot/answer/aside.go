package answer

import (
	"context"
	"errors"
	"slices"
	"time"

	"heddle/bot/conversation"
	"heddle/bot/limits"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/bot/reply/split"
	"heddle/bot/tools"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/internal/telemetry"
	"heddle/store"
)

// Asides answers questions that are not in a message. Its methods may be called from
// any goroutine.
type Asides struct{ *Answerer }

// Aside is a question that is not in a message.
type Aside struct {
	// Said is the message that would hold the question.
	Said discord.Message
	// After is the private conversation that the question continues; 0 if it begins one.
	After store.SummaryID
}

// AsideAnswer is the answer to an Aside.
type AsideAnswer struct {
	// Text is the answer, or a sentence that explains why there is none.
	Text     string
	Answered bool
	kept     *store.Response // the conversation so far; nil if nothing was answered
	made     *store.Response // the answer; nil likewise
}

// Answer answers a question from what the asker may read in its channel, as if they had
// mentioned heddle there. The answer is neither sent nor stored; see Keep. Answer logs
// its errors and returns a sentence about them.
func (a *Asides) Answer(ctx context.Context, q conversation.Question, aside Aside, in phrases.Language) AsideAnswer {
	spoken, err := a.answer(ctx, q, aside)
	if err != nil {
		a.deps.Log.Log(ctx, store.LogLevel(err), "a question by command is not answered, the person is told", "interaction", q.ID, "channel", q.Channel, "error", err)
		return AsideAnswer{Text: in.Say(a.settings.sentence(err))}
	}
	return spoken
}

// answer prepares, asks and records. It returns an error only if the model wrote
// nothing; an answer that was cut short is returned with a notice.
func (a *Asides) answer(ctx context.Context, q conversation.Question, aside Aside) (AsideAnswer, error) {
	if a.rule.People.OptedOut(aside.Said.Author.ID) {
		return AsideAnswer{}, conversation.ErrOptedOut
	}
	before, err := a.private(ctx, q, aside.After)
	if err != nil {
		return AsideAnswer{}, err
	}
	one := exchange{ID: aside.Said.ID, Name: aside.Said.Author.DisplayName(), Question: aside.Said.Content, Files: aside.Said.Attachments}
	q.Spoken = before.with(one).spoken(fetch.Render(aside.Said, a.deps.Guilds.Self().ID), a.deps.Guilds.Self())
	p := &prepared{Answerer: a.Answerer, q: &Question{Question: q}, started: time.Now(), log: a.deps.Log}
	if p.Prepared, err = a.deps.Preparer.Prepare(ctx, q, a.deps.Loop.Offered()); err != nil {
		return AsideAnswer{}, err
	}
	request := p.Request()
	// There is no message that could hold a file.
	request.Path.Tools = slices.DeleteFunc(slices.Clone(request.Path.Tools), func(t path.Tool) bool { return t.Name == tools.NameArtifact })
	asked := telemetry.Stage(ctx, telemetry.Model)
	outcome, err := a.deps.Loop.Run(limits.With(ctx, p.Account), request, p.toolPlace(), unseen{})
	asked()
	a.lookup.asked(p.Prepared, outcome.Answer.Usage)
	p.logAnswer(ctx, outcome.Answer, err)
	p.countAnswered(&outcome)
	if err != nil && outcome.Answer.Text == "" {
		return AsideAnswer{}, err
	}
	one.Answer = outcome.Answer.Text
	shown := split.Readable(outcome.Answer.Text, reply.HostsNamed(p.Built.Path.Turns))
	made := p.response(outcome.Answer)
	one.Outside = together(made.Outside, outcome.Outside)
	kept := before.with(one).record(p, made, aside.After)
	addTools(&made, &outcome, p.Past)
	return AsideAnswer{phrases.Lines(shown, p.notice(outcome.Answer, outcome.Outside, err)), true, kept, &made}, nil
}

// Record records an answer that everybody reads, with the question that was quoted above
// it, as it was sent. It reports whether the answer may stand, as the record does. If
// not, only its first message is left, or none if the question itself was taken back.
func (a *Asides) Record(ctx context.Context, spoken *AsideAnswer, quoted string, sent []reply.Sent) (stands bool) {
	made := *spoken.made
	asked, first, asker := made.Trigger, sent[0].ID, graph.UserID(0)
	made.Text = quoted + made.Text
	made.ResponseHash, made.RequestHash = path.ResponseHash(made.Text, made.FinishReason), path.Hash{}
	made.Trigger, made.TimeBound, made.Transcript, made.Requests, made.Branches = first, true, nil, nil, nil
	for i := range made.Sources {
		if source := &made.Sources[i]; source.Message == asked {
			source.Message, source.Position, asker = first, 0, source.Author
		}
	}
	made.Replies = replies(sent)
	a.settings.Confidence.judge(ctx, &a.deps, &made)
	switch err := a.save(ctx, &made, a.deps.Store.Responses.Save); {
	case err == nil:
		return true
	case !errors.Is(err, store.ErrForgotten):
		a.deps.Log.Log(ctx, store.LogLevel(err), "an answer could not be recorded, follow-ups will not know it", "error", err)
		return true
	}
	gone := reply.IDs(sent)[1:]
	if a.rule.People.OptedOut(asker) {
		gone, stands = reply.IDs(sent), true
	}
	if err := a.deps.Replies.RemoveAll(ctx, made.Channel, gone); err != nil {
		a.deps.Log.WarnContext(ctx, "an answer to a command that was made from something taken back could not be deleted and stands", "error", err)
	}
	return stands
}

// unseen is a tools.Show that shows nothing: an aside is sent once it is whole.
type unseen struct{}

// Append implements tools.Show.
func (unseen) Append(string) {}

// Replace implements tools.Show.
func (unseen) Replace(string) {}

// Doing implements tools.Show.
func (unseen) Doing(string) {}
