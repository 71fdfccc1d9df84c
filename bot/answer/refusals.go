package answer

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"heddle/bot/limits"
	"heddle/bot/outbox"
	"heddle/internal/telemetry"
	"heddle/llm"
)

// isSilent reports whether an answer failed because of a limit that the asker has just
// been told of.
func (a *Answers) isSilent(p *Prepared, failure error) bool {
	exceeded, ok := errors.AsType[*limits.ExceededError](failure)
	return ok && !a.notified.ofLimit(p.Person(), p.Channel, exceeded, time.Now())
}

// countTurned counts a question that was refused because of a limit, or because the
// model is away.
func countTurned(ctx context.Context, failure error) {
	if kind := llm.KindOf(failure); kind == llm.Limited || kind == llm.Away {
		telemetry.Count(ctx, telemetry.Turned)
	}
}

// passOver ends a question without a message. The answer that stands is kept. If there is
// none, the asker has just been told of the limit that the question exceeds. passOver
// records the question, so that an edit of it is answered once the limit has ended.
func (a *Answers) passOver(
	ctx context.Context, log *slog.Logger, p *Prepared, out *outbox.Answer, answer llm.Answer, failure error,
) (Outcome, error) {
	if len(p.over()) > 0 {
		return a.withdraw(ctx, log, p, out, failure)
	}
	if err := out.Discard(ctx); err != nil {
		return unsent(ctx, log, err)
	}
	response := a.recorder.response(p, answer)
	a.recorder.record(ctx, log, p.Job, &response, nil)
	return Failed, nil
}

// tellOver tells the author of an edited question that its answer stays as it is
// because of a limit.
func (a *Answers) tellOver(ctx context.Context, log *slog.Logger, p *Prepared, failure error) {
	if _, ok := errors.AsType[*limits.ExceededError](failure); !ok || p.Asker != 0 || a.isSilent(p, failure) {
		return // only the person who pressed the button was told
	}
	to := outbox.To{Channel: p.Channel, Trigger: p.ID, Generation: p.Generation}
	sent, err := a.outbox.Reply(ctx, to, p.language().Say(a.explain(failure)))
	a.recorder.recordSent(p.Job, sent)
	if err != nil {
		log.WarnContext(ctx, "somebody could not be told that their edit exceeds a limit", "error", err)
	}
}
