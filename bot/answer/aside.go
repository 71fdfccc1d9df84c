package answer

import (
	"context"
	"log/slog"
	"slices"

	"heddle/bot/limits"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/bot/tools"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/telemetry"
	"heddle/llm"
)

// Asides answers questions that are not in a message. Its methods may be called from
// any goroutine.
type Asides struct{ answers *Answers }

// NewAsides returns Asides whose questions are answered like all others.
func NewAsides(answers *Answers) *Asides { return &Asides{answers} }

// Answer returns the answer to a message that was not sent, or a sentence that explains
// why there is none. The answer is made like that to a mention in the question's
// channel, from what the asker may read there, but it is neither sent nor stored.
// Errors are logged.
func (s *Asides) Answer(ctx context.Context, log *slog.Logger, q Question, said graph.Message, in phrases.Language) string {
	text, err := s.answer(ctx, log, q, said)
	if err != nil {
		log.Log(ctx, work.LogLevel(err), "a question by command is not answered, the person is told", "error", err)
		return in.Say(s.answers.explain(err))
	}
	return text
}

func (s *Asides) answer(ctx context.Context, log *slog.Logger, q Question, said graph.Message) (string, error) {
	a := s.answers
	if a.recorder.people.OptedOut(said.Author) {
		return "", work.ErrOptedOut
	}
	q.said = &said
	p, err := a.Prepare(ctx, Job{Question: q})
	if err != nil {
		return "", err
	}
	request := p.Request()
	// There is no message that could hold a file.
	request.Path.Tools = slices.DeleteFunc(slices.Clone(request.Path.Tools), func(t path.Tool) bool { return t.Name == tools.NameArtifact })
	outcome, err := s.ask(limits.With(ctx, p.account), p, request)
	a.counts.asked(p, outcome.Answer.Usage)
	p.log(ctx, log, outcome.Answer, err)
	countAnswered(p, &outcome)
	if err != nil && outcome.Answer.Text == "" {
		return "", err
	}
	shown := outbox.Readable(outcome.Answer.Text, HostsNamed(p.built.Path.Turns))
	return phrases.Lines(shown, a.notice(p, outcome.Answer, err)), nil
}

func (s *Asides) ask(ctx context.Context, p *Prepared, request llm.Request) (tools.Outcome, error) {
	defer telemetry.Stage(ctx, telemetry.Model)()
	return s.answers.loop.Run(ctx, request, s.answers.toolPlace(p), unseen{})
}

// unseen discards an answer while it grows.
type unseen struct{}

// Append implements tools.Show.
func (unseen) Append(string) {}

// Doing implements tools.Show.
func (unseen) Doing(string) {}

// countAnswered counts an answer of the model if it has a text or cost tokens.
func countAnswered(p *Prepared, outcome *tools.Outcome) {
	if outcome.Answer.Usage != (llm.Usage{}) || outcome.Answer.Text != "" {
		p.account.Answered()
	}
}
