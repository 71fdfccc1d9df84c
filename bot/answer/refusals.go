package answer

import (
	"context"
	"errors"
	"log/slog"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/bot/limits"
	"heddle/bot/outbox"
	"heddle/graph"
	"heddle/llm"
)

const (
	// silence is for how long nobody is told twice of a limit in a channel.
	silence = 10 * time.Minute
	// mostTold bounds who is remembered to have been told. Whoever was forgotten is told
	// again.
	mostTold = 4096
)

// refusals remembers who was told of which limit, and where. Somebody who goes on asking
// is told once, and not once for each question. It may be used by any goroutine.
type refusals struct {
	told *lru.Cache[refused, time.Time]
}

type refused struct {
	person  graph.UserID
	channel graph.ChannelID
	limit   limits.Whose
}

func newRefusals() *refusals {
	told, err := lru.New[refused, time.Time](mostTold)
	if err != nil {
		panic(err) // never: the size is positive
	}
	return &refusals{told}
}

// notify reports whether a person in a channel is to be told of a limit now, which then
// counts as done until the limit ends, for ten minutes at most. What exceeds a limit of
// its own, which has no end, is always told.
func (r *refusals) notify(person graph.UserID, channel graph.ChannelID, e *limits.ExceededError, now time.Time) bool {
	if e.Until.IsZero() {
		return true
	}
	key := refused{person, channel, e.Whose}
	if until, told := r.told.Get(key); told && now.Before(until) {
		return false
	}
	until := now.Add(silence)
	if e.Until.Before(until) {
		until = e.Until
	}
	r.told.Add(key, until)
	return true
}

// isSilent reports whether an answer failed because of a limit of which whoever asks was
// just told. Otherwise they are to be told now.
func (a *Answers) isSilent(p *Prepared, failure error) bool {
	exceeded, ok := errors.AsType[*limits.ExceededError](failure)
	return ok && !a.refusals.notify(p.asker(), p.Channel, exceeded, time.Now())
}

// passOver ends a question over a limit of which whoever asks was just told: nothing is
// sent. It is recorded, so that an edit of it is answered once the limit has ended.
func (a *Answers) passOver(ctx context.Context, log *slog.Logger, p *Prepared, out *outbox.Answer, answer llm.Answer) (Outcome, error) {
	if err := out.Discard(ctx); err != nil {
		return unsent(ctx, log, err)
	}
	response := a.recorder.response(p, answer)
	a.recorder.record(ctx, log, p.Job, &response, nil)
	return Failed, nil
}

// tellOver tells the author of a question, whose edit exceeds a limit, that this is why the
// answer stays as it is.
func (a *Answers) tellOver(ctx context.Context, log *slog.Logger, p *Prepared, failure error) {
	if _, ok := errors.AsType[*limits.ExceededError](failure); !ok || p.Asker != 0 || a.isSilent(p, failure) {
		return // whoever pressed a button was told alone
	}
	to := outbox.To{Channel: p.Channel, Trigger: p.ID, Generation: p.Generation}
	sent, err := a.outbox.Reply(ctx, to, p.language().Say(a.explain(failure)))
	a.recorder.recordSent(p.Job, sent)
	if err != nil {
		log.WarnContext(ctx, "somebody could not be told that their edit exceeds a limit", "error", err)
	}
}
