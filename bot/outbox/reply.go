package outbox

import (
	"context"
	"errors"
	"fmt"

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
	d.add(valid(text))
	d.end()
	if err := d.finish(ctx, final.Notice, final.Buttons); err != nil {
		return d.sent, replyError(to.Channel, err)
	}
	return d.sent, nil
}

func replyError(channel graph.ChannelID, err error) error {
	if errors.Is(err, ErrEmpty) {
		return err
	}
	return fmt.Errorf("answer in channel %s: %w", channel, err)
}
