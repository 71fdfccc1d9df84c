package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/bot/outbox"
	"heddle/bot/work"
	"heddle/internal/discord"
	"heddle/internal/telemetry"
)

// verify makes sure that one whole answer to a question stands. It corrects the messages
// if it is known what was sent. Otherwise it answers the question again, in the messages
// that stand.
func (a *asking) verify(ctx context.Context, log *slog.Logger, q answer.Question, t *task) (answer.Outcome, error) {
	var stands standing
	err := a.questions.Mend(ctx, log, q, func(ctx context.Context) (said []discord.Message, err error) {
		stands, err = a.reader.standing(ctx, q.Question)
		return stands.said, err
	}, t.sent)
	switch {
	case err == nil, errors.Is(err, alternatives.ErrUnknown) && stands.state >= unclear:
		return a.found(ctx, log, q, t, stands)
	case errors.Is(err, alternatives.ErrMended):
		telemetry.Count(ctx, telemetry.Reconciled)
		log.InfoContext(ctx, "an answer to which another process had written was put right")
		return a.found(ctx, log, q, t, stands)
	case errors.Is(err, alternatives.ErrTorn), errors.Is(err, alternatives.ErrUnknown):
	case work.IsLost(ctx), errors.Is(err, discord.ErrFenced):
		return "", work.ErrLost
	case outbox.MaySucceedLater(err):
		return "", fmt.Errorf("%w: %w", work.ErrUnsent, err)
	default:
		return "", err
	}
	telemetry.Count(ctx, telemetry.Reconciled)
	log.InfoContext(ctx, "what stands of an answer is not one whole answer, the question is answered again", "parts", len(stands.parts))
	return a.over(ctx, log, q, t, stands)
}
