package outbox

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"heddle/graph"
)

// Reply sends a complete text, one message per part, each in reply to the one before.
// It returns the messages that were sent, also if it fails.
func (o *Outbox) Reply(ctx context.Context, to To, text string) ([]Sent, error) {
	return o.Put(ctx, to, text, Final{})
}

// Put sends a complete text like Reply, with the notice and the buttons of final. It
// sends no files.
func (o *Outbox) Put(ctx context.Context, to To, text string, final Final) ([]Sent, error) {
	d := newDraft(o, to)
	d.whole = true
	d.text.add(valid(text))
	if err := (ending{d, final.Buttons}).finish(ctx, final.Notice); err != nil {
		return d.sent, d.failed(ctx, err)
	}
	return d.sent, nil
}

// failed returns the error of an answer of which not everything was sent.
func (d *draft) failed(ctx context.Context, err error) error {
	if !d.removeGiven(ctx) {
		err = fmt.Errorf("%w: %w", ErrStuck, err)
	}
	d.cut(ctx, err)
	if errors.Is(err, ErrDeleted) && len(d.sent) > 1 {
		err = errors.Join(ErrTorn, err)
	}
	return replyError(d.to.Channel, err)
}

func replyError(channel graph.ChannelID, err error) error {
	if errors.Is(err, ErrEmpty) {
		return err
	}
	return fmt.Errorf("answer in channel %s: %w", channel, err)
}

// wrote reports whether a message was written to.
func (d *draft) wrote(id graph.MessageID) bool {
	return slices.ContainsFunc(d.sent, func(s Sent) bool { return s.ID == id })
}

// standing returns the messages that may show something of the answer or of what it
// takes the place of, the newest first.
func (d *draft) standing() []graph.MessageID {
	var ids []graph.MessageID
	for _, s := range d.sent {
		ids = append(ids, s.ID)
	}
	for _, id := range slices.Concat(d.to.Over, d.lost, d.given) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	return ids
}

// RemoveAll deletes messages of heddle's, the last of them first. It passes over those that
// are deleted already, and stops at the first error.
func (o *Outbox) RemoveAll(ctx context.Context, channel graph.ChannelID, messages []graph.MessageID) error {
	if err := o.removeAll(ctx, channel, messages); err != nil {
		return replyError(channel, err)
	}
	return nil
}

// removeAll is RemoveAll for callers that say themselves which channel failed.
func (o *Outbox) removeAll(ctx context.Context, channel graph.ChannelID, messages []graph.MessageID) error {
	for _, id := range slices.Backward(messages) {
		if err := o.Remove(ctx, channel, id); err != nil {
			return err
		}
	}
	return nil
}

// leastClosed is the least length of a part that another follows, except one without
// spaces.
const leastClosed = Limit/2 - leastLimit

// MayGoOn reports whether a message that shows no sign that more is to come may still be
// one of several parts, of which the next was not sent.
func MayGoOn(text string) bool { return units(text) >= leastClosed }
