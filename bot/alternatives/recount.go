package alternatives

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"heddle/bot/answer"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/store"
)

// recount sets the buttons of all messages that show an answer to a question, as their
// numbers count one alternative too few. It leaves out the newest answer, which was just
// written. It goes on for up to flush after ctx has ended.
func (ds *displays) recount(ctx context.Context, log *slog.Logger, q answer.Question, flush time.Duration) {
	ctx, cancel := work.Ending(ctx, flush)
	defer cancel()
	responses, err := ds.responses.ByTrigger(ctx, q.Place.Scope, q.ID)
	if err != nil {
		log.Log(ctx, work.LogLevel(err), "the answers to a question could not be looked up, the numbers below some are wrong", "error", err)
		return
	}
	for _, head := range beside(responses) {
		if err := ds.relabelLocked(ctx, log, store.Place{Scope: q.Place.Scope, Channel: q.Channel, Message: head}); err != nil && !errors.Is(err, ErrAnswersGone) {
			log.Log(ctx, work.LogLevel(err), "an answer did not get the buttons to the one beside it", "error", err)
		}
	}
}

// beside returns the messages that answers of the newest one's generation were sent as,
// the first of each, without those of the newest.
func beside(responses []store.Response) []graph.MessageID {
	responses = slices.DeleteFunc(slices.Clone(responses), func(r store.Response) bool { return len(r.Replies) == 0 || r.Text == "" })
	if len(responses) == 0 {
		return nil
	}
	newest := slices.MaxFunc(responses, func(a, b store.Response) int { return store.Given(&a).Compare(store.Given(&b)) })
	var heads []graph.MessageID
	for i := range responses {
		head := responses[i].Replies[0].ID
		if responses[i].Generation == newest.Generation && head != newest.Replies[0].ID && !slices.Contains(heads, head) {
			heads = append(heads, head)
		}
	}
	return heads
}

// relabelLocked locks the answer that a message is a part of and sets its buttons.
func (ds *displays) relabelLocked(ctx context.Context, log *slog.Logger, at store.Place) error {
	d, err := ds.read(ctx, at.Scope, at.Channel, at.Message)
	if err != nil {
		return err
	}
	d, release, err := ds.lock(ctx, log, d, at.Message)
	if err != nil {
		return fmt.Errorf("count the alternatives again: %w", err)
	}
	defer release()
	return ds.relabel(ctx, d)
}
