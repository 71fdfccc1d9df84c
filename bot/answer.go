package bot

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"heddle/bot/work"

	"heddle/bot/phrases"

	"heddle/bot/outbox"
	"heddle/bot/tools"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/llm"
	"heddle/store"
)

// The outcomes of a mention, kept as its done-mark.
const (
	outcomeAnswered = "answered"
	outcomeReused   = "reused"
	outcomeFailed   = "failed"  // people were told why
	outcomeDropped  = "dropped" // nobody is there to read an answer
)

// handle answers a mention once.
func (b *Bot) handle(ctx context.Context, m mention) {
	b.settle(ctx, m, store.TriggerClaim(m.id), func(ctx context.Context, log *slog.Logger) (string, error) { return b.answer(ctx, log, m) })
}

// settle does what answers a question, once under the key that is claimed for it.
// Nothing that goes wrong reaches its caller: people are told in a sentence, the
// log in detail.
func (b *Bot) settle(ctx context.Context, m mention, once store.ClaimKey, do func(context.Context, *slog.Logger) (string, error)) {
	log := b.log.With("trigger", m.id, "channel", m.channel)
	defer func() {
		if cause := recover(); cause != nil {
			log.ErrorContext(ctx, "answering a mention panicked", "stack", string(debug.Stack()))
		}
	}()
	ctx, end := b.inflight.Begin(ctx, m.id)
	defer end()
	taken, err := b.claim(ctx, once, m.held, func(ctx context.Context) (string, error) { return do(ctx, log) })
	switch {
	case errors.Is(err, store.ErrHeld), errors.Is(err, work.ErrLost), m.held && errors.Is(err, store.ErrUnavailable):
		b.lookAgain(ctx, log, m, once, do)
	case errors.Is(err, errUnanswered):
		log.DebugContext(ctx, "an edited question has no answer that is known", "error", err)
	case err != nil:
		log.Log(ctx, level(err), "a mention could not be settled", "error", err)
	case !taken:
		log.DebugContext(ctx, "a mention is answered elsewhere")
	default:
		log.DebugContext(ctx, "a mention is settled")
	}
}

// longestAnswer is how much longer than Settings.CatchUp another process is given.
const longestAnswer = 2 * time.Minute

// lookAgain settles a question that another process answers once that process has
// ended or died, which its claim then tells. What is too old to be caught up is left.
func (b *Bot) lookAgain(ctx context.Context, log *slog.Logger, m mention, once store.ClaimKey, do func(context.Context, *slog.Logger) (string, error)) {
	if b.now().Sub(m.id.Time()) > b.settings.CatchUp+longestAnswer {
		log.WarnContext(ctx, "a mention that another process had taken was never settled")
		return
	}
	if !m.held {
		log.DebugContext(ctx, "a mention is being answered elsewhere")
	}
	m.held = true
	b.later.add(b.now().Add(b.settings.Lease/4), m.channel, job{run: func(ctx context.Context) { b.settle(ctx, m, once, do) }})
}

// answer reads the conversation and answers it, from what was answered before
// where the path is equal. It gives the outcome.
func (b *Bot) answer(ctx context.Context, log *slog.Logger, m mention) (string, error) {
	p, err := b.prepare(ctx, m)
	if err != nil {
		return b.fail(ctx, log, m, err)
	}
	question, again := b.askedAgain(ctx, log, &p)
	if !again {
		return b.respond(ctx, log, &p)
	}
	ctx, end := b.inflight.Begin(ctx, question.id)
	defer end()
	if p, err = b.prepare(ctx, question); err != nil {
		return b.fail(ctx, log, m, err)
	}
	outcome, err := b.respond(ctx, log, &p)
	if outcome == outcomeAnswered {
		b.besides(ctx, log, question)
	}
	return outcome, err
}

// ask streams an answer from the model. As soon as it is whole and may be given to
// others who want the same, land is told.
func (b *Bot) ask(ctx context.Context, log *slog.Logger, p *prepared, land func(*store.Response)) (string, error) {
	stopTyping := b.outbox.Typing(ctx, p.channel)
	defer stopTyping()
	out := b.outbox.Answer(ctx, p.to())
	outcome, err := b.stream(ctx, p, out)
	answer := outcome.Answer
	p.without(answer.Dropped)
	stopTyping()
	ending, cancel := work.Ending(ctx, b.settings.Flush)
	defer cancel()
	if work.IsQuestionGone(ctx) {
		return b.takeBack(ending, log, out)
	}
	b.counts.asked(p, answer.Usage)
	b.measure(ending, p, &outcome)
	b.logAnswer(ctx, log, p, answer, err)
	if err != nil {
		answer.FinishReason = finishFailed
		if answer.Text == "" && len(p.over) > 0 { // the answer that stands is better than none
			return b.withdraw(ending, log, p, out, err)
		}
	}
	response := b.response(p, answer)
	response.Notice = notice(p, answer, err)
	addTools(&response, &outcome)
	b.observe(p, &response)
	share(response, land)
	final := outbox.Final{Notice: p.below(&response), Files: uploads(outcome.Files), Buttons: b.buttons(ending, log, p, &response)}
	sent, sending := out.Finish(ending, final)
	response.Artifacts = artifacts(outcome.Files, sent, sending)
	if isFiles(sending) {
		sent, sending = b.tellNoFiles(ending, log, p, sent, sending)
	}
	b.own(p.mention, sent)
	response.Replies = replies(sent)
	b.rank(ending, log, &response)
	b.save(ending, log, p.mention, &response)
	switch {
	case sending != nil:
		return b.unsent(ctx, log, sending)
	case err != nil:
		return outcomeFailed, nil
	default:
		return outcomeAnswered, nil
	}
}

// takeBack ends an answer of which nothing is to be seen.
func (b *Bot) takeBack(ctx context.Context, log *slog.Logger, out *outbox.Answer) (string, error) {
	if err := out.Discard(ctx); err != nil {
		log.WarnContext(ctx, "the beginning of an answer could not be taken back", "error", err)
	}
	return outcomeDropped, nil
}

// withdraw leaves the answer that stands where nothing came of the next one, and
// shows it again where that had begun to take its place.
func (b *Bot) withdraw(ctx context.Context, log *slog.Logger, p *prepared, out *outbox.Answer, failure error) (string, error) {
	p.tell(ctx, sentence(failure))
	begun, err := out.Withdraw(ctx)
	if err == nil && begun {
		var d *display
		if d, err = b.readDisplay(ctx, p.place.Scope, p.channel, p.over[0]); err == nil {
			err = b.show(ctx, log, d, d.shown, outbox.Withdrawal(p.over[0]))
		}
	}
	if err != nil {
		log.WarnContext(ctx, "the answer that stood could not be shown again", "error", err)
	}
	return outcomeFailed, nil
}

// finishFailed is the finish reason of an answer that broke off: what was said by
// then is kept for the conversation and never given again.
const finishFailed = "failed"

// stream hands the model's answer to out as it comes, and does what the model calls
// for on the way. It ends early where nobody can read the answer any more.
func (b *Bot) stream(ctx context.Context, p *prepared, out *outbox.Answer) (tools.Outcome, error) {
	streaming, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-out.Stopped():
			cancel()
		case <-streaming.Done():
		}
	})
	defer watching.Wait()
	defer cancel()
	return b.loop.Run(streaming, p.request(), b.toolPlace(p), shown{out}) //nolint:wrapcheck // mapped in errors.go
}

// notice is what stands below an answer.
func notice(p *prepared, answer llm.Answer, err error) string {
	var lines []string
	if err != nil {
		lines = append(lines, sentence(err))
	}
	if answer.FinishReason == llm.FinishLength {
		lines = append(lines, phrases.NoticeTruncated)
	}
	if slices.Contains(answer.Dropped, llm.FeatureImages) {
		lines = append(lines, phrases.NoticeUnseen)
	}
	switch {
	case !overBudget(p.built) || err != nil:
	case p.summary != nil:
		if len(p.built.Stretch()) > 0 { // people are told once for each summary
			lines = append(lines, phrases.NoticeSummary)
		}
	default:
		lines = append(lines, phrases.NoticeLeftOut)
	}
	if p.blind && err == nil {
		lines = append(lines, phrases.NoticeNoHistory)
	}
	return strings.Join(lines, "\n")
}

// overBudget says whether a path lacks messages that would have been sent with more
// tokens. What old and uncertain messages lack nobody needs to be told.
func overBudget(built path.Built) bool {
	return slices.ContainsFunc(built.Left, func(l path.Left) bool { return l.Why == path.LeftOverBudget })
}

// fail tells people why a mention is not answered, where the conversation could
// not even be read. Where the question was deleted nobody asks, and an edited one
// keeps the answer that it has.
func (b *Bot) fail(ctx context.Context, log *slog.Logger, m mention, failure error) (string, error) {
	if errors.Is(failure, work.ErrQuestionGone) || work.IsQuestionGone(ctx) {
		m.tell(ctx, phrases.QuestionGone)
		return outcomeDropped, nil
	}
	log.ErrorContext(ctx, "the conversation could not be read", "error", failure)
	ending, cancel := work.Ending(ctx, b.settings.Flush)
	defer cancel()
	if len(m.over) > 0 {
		m.tell(ending, sentence(failure))
		return outcomeFailed, nil
	}
	p := prepared{mention: m, graph: &graph.Graph{}}
	p.hash = p.built.Path.Hash()
	sent, err := b.outbox.Reply(ending, p.to(), sentence(failure))
	b.own(m, sent)
	response := b.response(&p, llm.Answer{FinishReason: finishFailed})
	response.Replies = replies(sent)
	b.save(ending, log, m, &response)
	if err != nil {
		return b.unsent(ctx, log, err)
	}
	return outcomeFailed, nil
}

// unsent settles a mention whose answer Discord did not take.
func (b *Bot) unsent(ctx context.Context, log *slog.Logger, err error) (string, error) {
	if work.IsLost(ctx) {
		return "", work.ErrLost
	}
	log.WarnContext(ctx, "an answer could not be sent", "error", err)
	return outcomeDropped, nil
}

// own tells the channel's log what heddle said, and to which trigger: its events may
// come late, and the next question may be waiting.
func (b *Bot) own(m mention, sent []outbox.Sent) {
	for _, s := range sent {
		said := s.Message
		if said == nil {
			said = &discord.Message{ID: s.ID, Content: s.Text}
		}
		b.history.Own(m.channel, m.answers(), said)
	}
}

// save keeps an answer. One that took the place of another is what its messages
// show from now on.
func (b *Bot) save(ctx context.Context, log *slog.Logger, m mention, response *store.Response) {
	b.observer.Shows(partsOf(response), response.ID)
	keep := b.responses.Save
	if len(m.over) > 0 {
		keep = b.responses.SaveShown
	}
	if err := keep(ctx, *response); err != nil && !errors.Is(err, store.ErrForgotten) {
		log.Log(ctx, level(err), "an answer could not be kept", "error", err)
	}
}

// partsOf are the messages that a response was sent as.
func partsOf(response *store.Response) []graph.MessageID {
	parts := make([]graph.MessageID, len(response.Replies))
	for i, reply := range response.Replies {
		parts[i] = reply.ID
	}
	return parts
}

func (b *Bot) logAnswer(ctx context.Context, log *slog.Logger, p *prepared, answer llm.Answer, err error) {
	log = log.With(
		"path", p.hash, "messages", len(p.built.Messages), "background", len(p.graph.Background), "took", b.now().Sub(p.started),
		"prompt_tokens", answer.Usage.Prompt, "completion_tokens", answer.Usage.Completion, "cached_tokens", answer.Usage.Cached,
		"extends", p.extends,
	)
	if err != nil {
		log.ErrorContext(ctx, "the model did not answer", "error", err)
		return
	}
	log.InfoContext(ctx, "answered", "finish", answer.FinishReason)
}
