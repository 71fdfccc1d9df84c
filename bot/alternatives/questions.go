package alternatives

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/store"
)

// Questions answers questions, those included that ask for another answer to an
// earlier question. Its methods may be called from any goroutine.
type Questions struct {
	answers  *answer.Answers
	digests  *answer.Digests
	displays *displays
	jobs     jobs
	wording  *wording
	inflight *work.Inflight
	flush    time.Duration
}

// Answer answers a question.
func (s *Questions) Answer(ctx context.Context, log *slog.Logger, q answer.Question) (answer.Outcome, error) {
	ctx, end := s.inflight.Begin(ctx, q.ID)
	defer end()
	// Only the first message of an earlier attempt stays, to be overwritten. The others
	// are deleted at once: if this attempt broke off, they would look like the end of its
	// answer.
	if len(q.Begun) > 1 {
		if err := s.displays.outbox.RemoveAll(ctx, q.Channel, q.Begun[1:]); err != nil {
			return "", fmt.Errorf("%w: %w", work.ErrUnsent, err)
		}
		q.Begun = q.Begun[:1]
	}
	job := s.jobs.question(q)
	p, err := s.answers.Prepare(ctx, job)
	if err != nil {
		return s.answers.Fail(ctx, log, job, err)
	}
	again, ok := s.askedAgain(ctx, log, p)
	if !ok {
		return s.digests.Give(ctx, log, p)
	}
	ctx, endAgain := s.inflight.Begin(ctx, again.ID)
	defer endAgain()
	if p, err = s.answers.Prepare(ctx, again); err != nil {
		return s.answers.Fail(ctx, log, job, err)
	}
	outcome, err := s.answers.Give(ctx, log, p)
	if outcome == answer.Answered {
		s.displays.recount(ctx, log, again.Question, s.flush)
	}
	return outcome, err
}

// TakeBack deletes messages of the answer to a question that was deleted.
func (s *Questions) TakeBack(ctx context.Context, log *slog.Logger, channel graph.ChannelID, parts []graph.MessageID) (answer.Outcome, error) {
	return s.answers.TakeBack(ctx, log, channel, parts)
}

// AllHaveButtons reports whether buttons stand below every whole answer.
func (s *Questions) AllHaveButtons() bool { return s.displays.keys.policy == ButtonsOn }

// IsRecorded reports whether the store knows an answer to a question that was sent as
// exactly these messages.
func (s *Questions) IsRecorded(ctx context.Context, q answer.Question, parts []graph.MessageID) bool {
	responses, err := s.displays.responses.ByTrigger(ctx, q.Place.Scope, q.ID)
	return err == nil && slices.ContainsFunc(responses, func(r store.Response) bool { return slices.Equal(partsOf(&r), parts) })
}

// IsUnrecorded reports whether the store knows no answer to a question. It reports false if
// the store cannot tell.
func (s *Questions) IsUnrecorded(ctx context.Context, q answer.Question) bool {
	responses, err := s.displays.responses.ByTrigger(ctx, q.Place.Scope, q.ID)
	return err == nil && len(responses) == 0
}

// askedAgain returns the job of answering an earlier question once more, and reports
// whether p asks for that. It does if it replies to an answer of heddle's and says
// "again" or 🔁 and nothing else. A reply to an answer that is no longer known is a
// question like any other.
func (s *Questions) askedAgain(ctx context.Context, log *slog.Logger, p *answer.Prepared) (again answer.Job, ok bool) {
	asks := p.Message()
	beside, ok := conversation.AsksAgain(asks)
	if !ok {
		return answer.Job{}, false
	}
	recalled, err := s.displays.responses.Recall(ctx, p.Place.Scope, []graph.MessageID{beside})
	if err != nil {
		log.DebugContext(ctx, "the answer to give again could not be looked up, the question is a new one", "error", err)
	}
	response, known := recalled[beside]
	if !known || response.Channel != p.Channel {
		return answer.Job{}, false
	}
	question := p.Question
	question.ID, question.Asker = response.Trigger, asks.Author
	generation := s.generation(ctx, log, question, response.ID)
	return s.jobs.again(question, p.ID, generation), true
}

// generation returns the generation of the next answer to a question beside one that
// was given.
func (s *Questions) generation(ctx context.Context, log *slog.Logger, q answer.Question, given store.ResponseID) int {
	responses, err := s.displays.responses.ByTrigger(ctx, q.Place.Scope, q.ID)
	if err != nil {
		log.DebugContext(ctx, "the answers to a question could not be looked up, the next counts as its first", "error", err)
	}
	i := indexOf(responses, given)
	if i < 0 {
		return 0
	}
	newest := newestAnswer(responses)
	generation, err := s.wording.generation(ctx, q, &responses[i], &newest)
	if err != nil {
		log.DebugContext(ctx, "a question could not be compared with what was answered, it counts as unchanged", "error", err)
	}
	return generation
}
