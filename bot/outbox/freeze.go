package outbox

import (
	"context"
	"errors"
	"slices"

	"heddle/graph"
	"heddle/internal/discord"
)

// errFrozen means that the message being written was given up, as Discord refuses to
// edit it. Its text is to be sent as a new message.
var errFrozen = errors.New("the message cannot be edited")

// isRefusedEdit reports whether Discord refuses an edit although the message and its
// channel are there: another message with the same text may still be accepted.
func isRefusedEdit(err error) bool {
	if _, refused := errors.AsType[*discord.Error](err); !refused || passing(err) || discord.IsUnauthorized(err) {
		return false
	}
	for _, other := range []error{ErrDeleted, ErrChannelGone, ErrTooOld} {
		if errors.Is(err, other) {
			return false
		}
	}
	return true
}

// freeze abandons the message being written. It is deleted, so that no half of an answer
// stays, and the answer stops growing. If it cannot be deleted for now, or is a message of
// the answer that is replaced, it is left to removeRest.
func (d *draft) freeze(ctx context.Context, refusal error) error {
	given := d.last().ID
	d.outbox.cfg.Log.WarnContext(ctx, "Discord refuses to edit a growing answer, the rest is sent as a new message",
		"channel", d.to.Channel, "message", given, "error", refusal)
	d.sent, d.open, d.frozen = d.sent[:len(d.sent)-1], false, true
	d.shift++
	if at := len(d.sent); at < len(d.to.Over) && d.to.Over[at] == given {
		d.to.Over, d.lost = d.to.Over[:at], append(d.lost, d.to.Over[at:]...)
		return errFrozen
	}
	if err := d.outbox.Remove(ctx, d.to.Channel, given); err != nil {
		d.given = append(d.given, given)
		d.outbox.cfg.Log.WarnContext(ctx, "the beginning of an answer could not be deleted, this is tried again when the answer ends",
			"channel", d.to.Channel, "message", given, "error", err)
	}
	return errFrozen
}

// removeGiven deletes the messages that were given up and still stand, and reports whether
// none is left.
func (d *draft) removeGiven(ctx context.Context) bool {
	d.given = slices.DeleteFunc(d.given, func(id graph.MessageID) bool {
		err := d.outbox.Remove(ctx, d.to.Channel, id)
		if err != nil {
			d.outbox.cfg.Log.WarnContext(ctx, "the beginning of an answer could not be deleted, it stays for now", "channel", d.to.Channel, "message", id, "error", err)
		}
		return err == nil
	})
	return len(d.given) == 0
}
