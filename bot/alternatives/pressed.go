package alternatives

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"heddle/graph"
	"heddle/internal/wait"
	"heddle/store"
)

const (
	storingTime = 2 * time.Second  // from sending a part of an answer to recording it, in another process
	justSent    = 10 * time.Second // from when a message was sent or edited until a press
	// longestAnswer is longer than any answer takes from its first message to its record,
	// and shorter than done-marks are stored.
	longestAnswer = time.Hour
)

// Heard is what was heard in a channel; fetch.History is one.
type Heard interface {
	Message(channel graph.ChannelID, id graph.MessageID) (graph.Message, bool)
}

// pressed reads the answers on which buttons are pressed. They may not be recorded yet.
type pressed struct {
	displays *displays
	claims   claims
	history  Heard
}

// lock locks the answer on which a button was pressed, and reads it.
func (r *pressed) lock(ctx context.Context, log *slog.Logger, p *Press) (d *display, release func(), err error) {
	d, err = r.read(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	return r.displays.lock(ctx, log, d, p.Message)
}

// read reads the answer on which a button was pressed. An answer that was just
// sent, or is still being sent, may not be recorded yet. read then waits for its
// record.
func (r *pressed) read(ctx context.Context, p *Press) (*display, error) {
	ctx, cancel := context.WithTimeout(ctx, pressTimeout)
	defer cancel()
	began := time.Now()
	var gone error
	for {
		expected := r.isExpected(ctx, p) || p.ID.Time().Sub(p.Changed) < justSent && time.Since(began) < storingTime
		d, err := r.displays.read(ctx, p.Place.Scope, p.Channel, p.Message)
		switch {
		case errors.Is(err, ErrAnswersGone) && expected:
			gone = err
		case gone == nil || ctx.Err() == nil:
			return d, err
		} // otherwise time ran out during the last attempt, and the answer is still not recorded
		if wait.For(ctx, lockPause) != nil {
			return nil, gone
		}
	}
}

// isExpected reports whether the answer that a message is a part of is yet to be
// recorded: some process still answers its question, or this process changes what an
// answer in the channel shows. Whether another process does is not known here.
func (r *pressed) isExpected(ctx context.Context, p *Press) bool {
	said, heard := r.history.Message(p.Channel, p.Message)
	if !heard {
		return false
	}
	// A question without a done-mark is being answered only if its answer is young, as
	// done-marks expire after some days.
	young := p.ID.Time().Sub(p.Message.Time()) < longestAnswer
	return young && r.isAnswering(ctx, said.Answers) || r.displays.locks.holds(p.Channel)
}

// isAnswering reports whether a trigger is still being answered. It reports false if the
// store cannot tell, so that nobody waits for it.
func (r *pressed) isAnswering(ctx context.Context, trigger graph.MessageID) bool {
	if trigger == 0 {
		return false
	}
	_, done, err := r.claims.IsDone(ctx, store.TriggerClaim(trigger))
	return !done && err == nil
}
