package outbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
)

// draft turns the text of an answer into messages. One goroutine owns it.
type draft struct {
	outbox *Outbox
	to     To
	// replaced are the messages of the answer that this one takes the place of: To.Over
	// as it was given. Unlike them, what had begun of this answer is deleted with it.
	replaced []graph.MessageID
	text     source
	sent     []Sent
	open     bool              // the last of sent is the message being written
	below    Rows              // the buttons that the message being written must have
	shown    Rows              // the buttons that it has
	whole    bool              // the text is complete: only Discord's limits delay it
	lost     []graph.MessageID // messages of the replaced answer that follow a deleted one
	given    []graph.MessageID // messages that were given up and could not be deleted yet
	unsure   bool              // Discord may have created the next message though the call failed
	frozen   bool              // Discord refuses edits: nothing grows, the end is sent as new messages
	shift    int               // messages that were given up: their nonces are used
	question question
	tried    []string // the texts with which the next message may have been created
}

func newDraft(o *Outbox, to To) *draft {
	replaced := to.Over
	if len(to.Begun) > 0 {
		to.Over = slices.Clone(to.Over)
		for _, id := range to.Begun {
			if !slices.Contains(to.Over, id) {
				to.Over = append(to.Over, id)
			}
		}
	}
	return &draft{outbox: o, to: to, replaced: replaced, text: source{rewrite: newRewrite(to.Hosts)}, question: question{stored: to.Stored, gone: to.Gone}}
}

// next closes the parts that are full and complete on Discord. It returns the part that
// the message being written should show.
func (d *draft) next() chunk {
	for {
		c := d.text.first()
		if stands := d.open && d.last().Text == c.text && len(d.shown) == 0; !c.more || (c.text != "" && !stands) {
			return c
		}
		d.text.skip(c)
		d.open = false
	}
}

func (d *draft) last() *Sent { return &d.sent[len(d.sent)-1] }

// stands reports whether the message being written shows text and its buttons.
func (d *draft) stands(text string) bool {
	return d.open && d.last().Text == text && d.shown.equal(d.below)
}

// put makes the message being written show text.
func (d *draft) put(ctx context.Context, text string) error {
	if d.stands(text) {
		return nil
	}
	sent, err := d.write(ctx, text)
	if d.open && len(d.to.Held[d.last().ID]) == 0 && isRefusedEdit(err) {
		return d.freeze(ctx, err)
	}
	if err != nil {
		return err
	}
	if !d.open {
		if sent.Found && d.to.Yields && len(d.sent) == 0 {
			return ErrTaken
		}
		d.tried = nil
		d.sent, d.open = append(d.sent, sent), true
	}
	sent.Found = sent.Found || d.last().Found
	*d.last(), d.shown = sent, d.below
	return nil
}

// write makes one call. It edits the message being written or the next one of the
// replaced answer, or creates a message.
func (d *draft) write(ctx context.Context, text string) (Sent, error) {
	if err := d.question.stands(ctx); err != nil {
		return Sent{}, err
	}
	if id, stands := d.target(); stands {
		sent, err := d.outbox.edit(ctx, d.to, id, content{text: text, buttons: d.withChecksum(d.below, text)})
		sent.Text = text // whatever Discord has made of it: another edit would change nothing
		if d.open || len(d.sent) == 0 || !errors.Is(err, ErrDeleted) {
			return sent, err
		}
		at := len(d.sent) // somebody deleted a part: this one and those after it are sent as new messages
		d.to.Over, d.lost = d.to.Over[:at], d.to.Over[at+1:]
	}
	after := d.to.Trigger
	if len(d.sent) > 0 {
		after = d.last().ID
	}
	d.tried = append(d.tried, text)
	for {
		sent, err := d.outbox.create(ctx, d.to, len(d.sent)+d.shift, after, content{text: text, buttons: d.withChecksum(d.below, text)})
		if errors.Is(err, ErrDeleted) && d.shift < mostGiven { // an earlier attempt used the nonce for a message that is gone
			d.shift++
			continue
		}
		d.unsure = err != nil && passing(err)
		sent.Found = err == nil && !slices.ContainsFunc(d.tried, func(tried string) bool { return sameText(sent.Text, tried) })
		return sent, err
	}
}

// mostGiven bounds the nonces of one answer that are passed over because their messages
// were deleted.
const mostGiven = 64

// resolve finds the message that a failed create may have made, so that it can be
// deleted. Another create with the same nonce returns that message, or makes one that
// says nothing.
func (d *draft) resolve(ctx context.Context) error {
	if !d.unsure {
		return nil
	}
	d.question.gone, d.to.Yields = nil, false // whatever it says, it is deleted next
	return d.retry(ctx, func() error { return d.put(ctx, Unresolved) })
}

// Unresolved is the text of a message that is about to be deleted.
const Unresolved = "…"

// target returns the message to edit, or false if the text needs a new message.
func (d *draft) target() (graph.MessageID, bool) {
	switch {
	case d.open:
		return d.last().ID, true
	case len(d.sent) < len(d.to.Over):
		return d.to.Over[len(d.sent)], true
	default:
		return 0, false
	}
}

// grow shows the answer so far, with the indicator. It makes at most one call. There
// may be nothing left to show, and Discord accepts no empty text.
func (d *draft) grow(ctx context.Context) error {
	c := d.next()
	text := c.text
	d.below = nil // of a message that another follows
	if !c.more {
		text, d.below = d.text.unfinished(d.outbox.cfg.Indicator), d.to.Growing
	}
	if text == "" {
		return nil
	}
	if err := d.put(ctx, text); !errors.Is(err, errFrozen) {
		return err
	}
	return nil
}

// pending reports whether grow would show something new, and whether with an edit.
func (d *draft) pending() (some, edit bool) {
	c := d.next()
	text := c.text
	if !c.more {
		text = d.text.unfinished(d.outbox.cfg.Indicator)
	}
	if text == "" || (d.open && d.last().Text == text && (!c.more || len(d.shown) == 0)) {
		return false, false
	}
	enough := len(d.sent) > 0 || d.text.doing != "" || hasWord(d.text.tail)
	_, stands := d.target()
	return enough && !d.frozen, stands
}

// persist puts text at the channel's pace and retries transient errors until ctx ends.
func (d *draft) persist(ctx context.Context, text string) error {
	return d.retry(ctx, func() error {
		err := d.paced(ctx, text)
		if errors.Is(err, errFrozen) {
			err = d.paced(ctx, text)
		}
		if err == nil && d.last().Text != text && !sameText(d.last().Text, text) {
			err = d.paced(ctx, text) // a repeated create returned an earlier version of the message
		}
		if err == nil {
			d.last().Text = text
		}
		return err
	})
}

// retry calls do until it succeeds, fails permanently or ctx ends.
func (d *draft) retry(ctx context.Context, do func() error) error {
	const longest = 15 * time.Second
	for pause := time.Second; ; pause = min(2*pause, longest) {
		err := do()
		if err == nil || !passing(err) || ctx.Err() != nil || d.outbox.cfg.Wait(ctx, pause) != nil {
			return err
		}
	}
}

// paced puts text. An edit waits for the channel's pace.
func (d *draft) paced(ctx context.Context, text string) error {
	if d.stands(text) {
		return nil
	}
	if err := d.await(ctx); err != nil {
		return err
	}
	return d.put(ctx, text)
}

// await waits until the next edit is allowed. A new message need not wait.
func (d *draft) await(ctx context.Context) error {
	id, stands := d.target()
	if !stands {
		return nil
	}
	if d.whole {
		d.outbox.mark(d.to.Channel, false)
		return nil
	}
	path := messagesPath(d.to.Channel) + "/" + id.String()
	if err := d.outbox.awaitEdit(ctx, d.to.Channel, path); err != nil {
		return fmt.Errorf("wait to edit: %w", err)
	}
	return nil
}

// attach adds files to the last message.
func (d *draft) attach(ctx context.Context, files []discord.File) error {
	if err := d.await(ctx); err != nil {
		return err
	}
	sent, err := d.outbox.edit(ctx, d.to, d.last().ID, content{d.last().Text, files, d.withChecksum(d.shown, d.last().Text)})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFiles, err)
	}
	sent.Text = d.last().Text
	*d.last() = sent
	return nil
}

// files sends files without text, in place of what the answer was doing.
func (d *draft) files(ctx context.Context, files []discord.File) error {
	if d.open {
		d.last().Text = ""
		return d.attach(ctx, files)
	}
	if id, stands := d.target(); stands {
		d.sent, d.open = append(d.sent, Sent{ID: id}), true
		return d.attach(ctx, files)
	}
	sent, err := d.outbox.create(ctx, d.to, 0, d.to.Trigger, content{files: files})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFiles, err)
	}
	d.sent, d.open = append(d.sent, sent), true
	return nil
}

// takeBack deletes a message that shows only what the answer was doing.
func (d *draft) takeBack(ctx context.Context) error {
	if !d.open {
		return nil
	}
	var err error
	if !slices.Contains(d.replaced, d.last().ID) { // else it belongs to the replaced answer
		err = d.outbox.Remove(ctx, d.to.Channel, d.last().ID)
	}
	d.sent, d.open = d.sent[:len(d.sent)-1], false
	return err
}

// sameText reports whether Discord has kept a text, except for spaces at its ends.
func sameText(got, sent string) bool { return strings.TrimSpace(got) == strings.TrimSpace(sent) }
