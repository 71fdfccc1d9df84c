package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"time"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/telemetry"
	"heddle/store"
)

// longestAnswer is how much longer than Settings.CatchUp another process may take.
const longestAnswer = 2 * time.Minute

// task is something to do once, by one of all processes.
type task struct {
	key     store.ClaimKey
	channel graph.ChannelID // in whose queue it waits
	by      asker
	asked   time.Time
	log     *slog.Logger
	do      func(context.Context, *slog.Logger) (answer.Outcome, error)
	// elsewhere is set once another process was seen to do the task.
	elsewhere bool
}

// panicError is a panic of a task. It holds no value of the panic, which may hold what
// people wrote.
type panicError struct{ stack string }

func (e *panicError) Error() string { return "the task panicked" }

// attempt does the task. A panic becomes an error, so that the claim ends as after any
// other error.
func (t *task) attempt(ctx context.Context) (outcome answer.Outcome, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &panicError{string(debug.Stack())}
		}
	}()
	return t.do(ctx, t.log)
}

// perform does a task once. An error is logged here and goes no further: people were
// told of it by whoever met it.
func (d *Dispatcher) perform(ctx context.Context, t *task) {
	ctx = telemetry.Requested(ctx, t.key.String())
	mine, err := d.once.do(ctx, t)
	var panicked *panicError
	switch {
	case errors.As(err, &panicked):
		t.log.ErrorContext(ctx, "a task panicked and is given up", "stack", panicked.stack)
	case errors.Is(err, store.ErrHeld), errors.Is(err, work.ErrLost), t.elsewhere && errors.Is(err, store.ErrUnavailable):
		d.performLater(ctx, t)
	case errors.Is(err, alternatives.ErrUnanswered):
		t.log.DebugContext(ctx, "an edited question has no answer that is known, the edit is ignored", "error", err)
	case err != nil:
		t.log.Log(ctx, work.LogLevel(err), "a task failed", "error", err)
	case !mine:
		t.log.DebugContext(ctx, "a task was done by another process")
	default:
		telemetry.Took(ctx, telemetry.Whole, time.Since(t.asked))
		t.log.DebugContext(ctx, "a task is done")
	}
}

// performLater performs a task that another process does once that process has ended
// or died, as its claim then shows. A task too old to be caught up is dropped.
func (d *Dispatcher) performLater(ctx context.Context, t *task) {
	if time.Since(t.asked) > d.settings.CatchUp+longestAnswer {
		t.log.WarnContext(ctx, "a task that another process had claimed was never done and is dropped")
		telemetry.Count(ctx, telemetry.Expired)
		return
	}
	if !t.elsewhere {
		t.log.DebugContext(ctx, "another process does a task, it is looked at again later")
	}
	telemetry.Count(ctx, telemetry.Retried)
	later := *t
	later.elsewhere = true
	d.delays.add(time.Now().Add(d.once.leases.TTL()/4), t.channel, job{by: t.by, run: func(ctx context.Context) { d.perform(ctx, &later) }})
}
