package outbox

import (
	"context"
	"errors"
	"slices"
	"strings"

	"heddle/graph"
)

// ending completes a draft: the rest of its text, the notice and the buttons below it. What
// remains of the answer that it takes the place of is deleted.
type ending struct {
	draft   *draft
	buttons Rows // of the last message
}

// finish writes the rest of the text, then notice, below the text if there is room, and
// the buttons below everything. It retries transient errors until ctx ends.
func (e ending) finish(ctx context.Context, notice string) error {
	d := e.draft
	d.question.looked, d.below = false, nil
	e.unveil(ctx, d.text.end())
	notice, bare, err := e.finishText(ctx, notice)
	if err != nil {
		return err
	}
	notices := Split(notice, Limit)
	for i, p := range notices {
		d.open = bare
		if i == len(notices)-1 {
			d.below = e.belowText()
		}
		if err := d.persist(ctx, p.Text); err != nil {
			return err
		}
		bare = false
	}
	if len(d.sent) == 0 || bare && len(d.sent) == 1 {
		return ErrEmpty
	}
	if bare {
		if err := d.takeBack(ctx); err != nil {
			return err
		}
	}
	if d.below = e.belowText(); !d.shown.equal(d.below) { // the last message was written before it was known to be the last
		d.open = true
		if err := d.persist(ctx, d.last().Text); err != nil {
			return err
		}
	}
	return e.removeRest(ctx)
}

// finishText writes the rest of the text, with notice if there is room for it. It
// returns the unwritten notice, and whether the message being written shows only what
// the answer was doing.
func (e ending) finishText(ctx context.Context, notice string) (left string, bare bool, err error) {
	d := e.draft
	for {
		c := d.next()
		text := c.text
		if !c.more && notice != "" && text != "" {
			if joined := text + "\n" + notice; units(joined) <= Limit {
				text, notice = joined, ""
			}
		}
		if !c.more && notice == "" {
			d.below = e.belowText()
		}
		if text != "" {
			if err := d.persist(ctx, text); err != nil {
				return notice, false, err
			}
		}
		if !c.more {
			return notice, d.open && text == "", nil
		}
	}
}

// belowText returns the buttons of the last message with text. It has none if messages
// with files remain below it.
func (e ending) belowText() Rows {
	written := len(e.draft.sent)
	if !e.draft.open {
		written++
	}
	if len(e.held(written)) > 0 {
		return nil
	}
	return e.buttons
}

// held returns the messages with files that remain after so many messages of the
// replaced answer were overwritten.
func (e ending) held(written int) []graph.MessageID {
	to := &e.draft.to
	rest := to.Over[min(written, len(to.Over)):]
	return slices.DeleteFunc(slices.Clone(rest), func(id graph.MessageID) bool { return len(to.Held[id]) == 0 })
}

// removeRest deletes what remains of the replaced answer, except messages with files.
func (e ending) removeRest(ctx context.Context) error {
	d := e.draft
	d.removeGiven(ctx)
	written := len(d.sent)
	rest := append(slices.Clone(d.to.Over[min(written, len(d.to.Over)):]), d.lost...)
	held := e.held(written)
	for i, id := range held {
		d.below = nil
		if i == len(held)-1 {
			d.below = e.buttons
		}
		d.sent, d.open, d.shown = append(d.sent, Sent{ID: id}), true, nil
		err := d.persist(ctx, d.to.HeldText)
		if errors.Is(err, ErrDeleted) {
			d.sent, d.open = d.sent[:len(d.sent)-1], false
			continue
		}
		if err != nil {
			return err
		}
	}
	rest = slices.DeleteFunc(rest, func(id graph.MessageID) bool { return len(d.to.Held[id]) > 0 })
	e.leave(ctx, rest)
	return d.outbox.removeAll(ctx, d.to.Channel, rest)
}

// leave tells To.Leaving which messages of the replaced answer are about to be deleted.
func (e ending) leave(ctx context.Context, rest []graph.MessageID) {
	d := e.draft
	if d.to.Leaving == nil || len(rest) == 0 {
		return
	}
	stay := make([]graph.MessageID, len(d.sent))
	for i := range d.sent {
		stay[i] = d.sent[i].ID
	}
	if err := d.to.Leaving(ctx, stay, rest); err != nil {
		d.outbox.cfg.Log.WarnContext(ctx, "that an answer became shorter could not be stored, it counts as deleted", "channel", d.to.Channel, "error", err)
	}
}

// unveil edits the last finished messages, veiled of them, which hide their text because of
// a spoiler that never ended. They were sent before that was known.
func (e ending) unveil(ctx context.Context, veiled int) {
	d := e.draft
	finished := len(d.sent)
	if d.open {
		finished--
	}
	from := max(0, finished-veiled)
	for i := from; i < finished; i++ {
		text := strings.TrimSuffix(d.sent[i].Text, veil)
		if i > from {
			text = strings.TrimPrefix(text, veil)
		}
		id := d.sent[i].ID
		err := d.retry(ctx, func() error {
			_, err := d.outbox.edit(ctx, d.to, id, content{text: text})
			return err
		})
		if err != nil {
			d.outbox.cfg.Log.WarnContext(ctx, "a message of an answer could not be edited, its text stays hidden as a spoiler", "channel", d.to.Channel, "message", id, "error", err)
			continue
		}
		d.sent[i].Text = text
	}
}
