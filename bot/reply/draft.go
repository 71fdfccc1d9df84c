package reply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"heddle/bot/reply/split"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
)

// draft turns the text of an answer into messages. One goroutine owns it.
type draft struct {
	replies *Replies
	to      To
	ready   bool          // To.Ready was called
	text    split.Growing // from the start of the message being written
	sent    []Sent
	open    bool // the last of sent is the message being written; else the next one is
	// editsRefused is set once Discord refuses edits: nothing grows, and the end is sent as
	// new messages.
	editsRefused bool

	// What the answer replaces: To.Over, then To.Begun.
	over     []graph.MessageID // to be overwritten next, in this order
	leftover []graph.MessageID // cannot be overwritten; deleted once the answer stands

	// How the next message is created.
	nonceOffset  int      // nonces used up by messages that were deleted or abandoned
	tried        []string // the texts with which it may have been created
	maybeCreated bool     // Discord may have created it though the call failed

	// When the last message was created, or the answer was extended by an edit, after which
	// created is unset.
	written time.Time
	created bool
}

// mostSkippedNonces bounds the nonces of one answer that are skipped because their messages were
// deleted.
const mostSkippedNonces = 64

// Unresolved is the text of a message that is about to be deleted.
const Unresolved = "…"

// errEditRefused means that the message being written was abandoned because Discord refuses to
// edit it. Its text must be sent as a new message.
var errEditRefused = errors.New("the message cannot be edited")

func newDraft(r *Replies, to To) *draft {
	d := &draft{replies: r, to: to, text: split.Growing{Hosts: to.Hosts}}
	for _, id := range slices.Concat(to.Over, to.Begun) {
		if !slices.Contains(d.over, id) {
			d.over = append(d.over, id)
		}
	}
	return d
}

// startOver empties the answer. The messages that stand are overwritten by what follows.
func (d *draft) startOver() {
	d.text = split.Growing{Hosts: d.to.Hosts}
	d.over = slices.Concat(IDs(d.sent), d.over)
	d.sent, d.open = nil, false
}

func (d *draft) last() *Sent { return &d.sent[len(d.sent)-1] }

// isReplaced reports whether a message belongs to the answer that is replaced.
func (d *draft) isReplaced(id graph.MessageID) bool { return slices.Contains(d.to.Over, id) }

// target returns the message to edit, or false if the text needs a new message.
func (d *draft) target() (graph.MessageID, bool) {
	switch {
	case d.open:
		return d.last().ID, true
	case len(d.over) > 0:
		return d.over[0], true
	}
	return 0, false
}

// shows reports whether the message being written shows text and buttons.
func (d *draft) shows(text string, buttons Rows) bool {
	return d.open && d.last().Text == text && d.last().buttons.equal(buttons)
}

// due returns what the message being written should show while the answer grows, with the
// indicator. Parts that are full and complete on Discord are closed before. There may be
// nothing to show, and Discord accepts no empty text.
func (d *draft) due() (text string, buttons Rows) {
	for {
		c := d.text.First()
		switch {
		case !c.More:
			return d.text.Unfinished(Indicator), d.to.Growing
		case c.Text != "" && !d.shows(c.Text, nil):
			return c.Text, nil
		}
		d.text.Skip(c)
		d.open = false
	}
}

// pending reports whether grow would show something new, and whether with an edit.
func (d *draft) pending() (some, edit bool) {
	text, buttons := d.due()
	if text == "" || d.editsRefused || d.shows(text, buttons) {
		return false, false
	}
	_, edit = d.target()
	return len(d.sent) > 0 || d.text.Doing != "" || d.text.HasWord(), edit
}

// grow shows the answer so far. It makes at most one call.
func (d *draft) grow(ctx context.Context) error {
	text, buttons := d.due()
	if text == "" {
		return nil
	}
	if err := d.put(ctx, text, buttons); !errors.Is(err, errEditRefused) {
		return err
	}
	return nil
}

// put makes the message being written show text and buttons. It edits the message, or the
// next one of the replaced answer, or creates one.
func (d *draft) put(ctx context.Context, text string, buttons Rows) error {
	if d.shows(text, buttons) {
		return nil
	}
	if !d.ready && d.to.Ready != nil {
		if err := d.to.Ready(ctx); err != nil {
			return err
		}
	}
	d.ready = true
	id, stands := d.target()
	if !stands {
		return d.create(ctx, text, buttons)
	}
	sent, err := d.replies.edit(ctx, d.to, id, content{text: text, buttons: d.withChecksum(buttons, text)})
	sent.Text = text                     // even if Discord changed it: another edit would change nothing
	began := d.open || !d.isReplaced(id) // the message shows something of this answer
	switch {
	case err == nil:
		d.wrote(sent, buttons)
		return nil
	case !d.open && len(d.sent) > 0 && errors.Is(err, ErrDeleted): // the rest would stand above the message sent instead
		d.leftover, d.over = append(d.leftover, d.over[1:]...), nil
		return d.create(ctx, text, buttons)
	case began && len(d.to.Held[id]) == 0 && isRefusedEdit(err):
		d.abandon(ctx, id, err)
		return errEditRefused
	}
	return err
}

// awaitEdit waits until another edit of the growing answer is due, and may be sent: the end of
// the answer would wait for one that waits for a rate limit. The first edit after a create comes
// sooner: so far people see few words.
func (d *draft) awaitEdit(ctx context.Context) error {
	pace := d.replies.pace
	id, _ := d.target()
	for {
		apart, delay, known := d.replies.rest.Spread(http.MethodPatch, messagePath(d.to.Channel, id))
		least := pace
		switch {
		case d.created:
			least = pace / 4
		case known:
			least = pace / 2
		}
		delay = max(delay, time.Until(d.written.Add(max(least, apart))))
		if delay <= 0 {
			d.written, d.created = time.Now(), false
			return nil
		}
		if err := wait.For(ctx, delay); err != nil {
			return err
		}
	}
}

// wrote notes that the message being written was sent or edited.
func (d *draft) wrote(sent Sent, buttons Rows) {
	sent.buttons = buttons
	if d.open {
		sent.Found = sent.Found || d.last().Found
		*d.last() = sent
		return
	}
	if len(d.over) > 0 {
		d.over = d.over[1:]
	}
	d.sent, d.open, d.tried = append(d.sent, sent), true, nil
}

// create creates the next message of the answer.
func (d *draft) create(ctx context.Context, text string, buttons Rows) error {
	after := reference{cmp.Or(d.to.ReplyTo, d.to.Trigger), true}
	if len(d.sent) > 0 {
		after = reference{message: d.last().ID}
	}
	d.tried, d.written, d.created = append(d.tried, text), time.Now(), true
	for {
		sent, err := d.replies.create(ctx, d.to, len(d.sent)+d.nonceOffset, after, content{text: text, buttons: d.withChecksum(buttons, text)})
		if errors.Is(err, ErrDeleted) && d.nonceOffset < mostSkippedNonces { // an earlier attempt used the nonce for a message that was deleted
			d.nonceOffset++
			continue
		}
		if d.maybeCreated = err != nil && isTransient(err); err != nil {
			return err
		}
		sent.Found = !slices.ContainsFunc(d.tried, func(tried string) bool { return sameText(sent.Text, tried) })
		d.wrote(sent, buttons)
		return nil
	}
}

// resolve finds the message that a failed create may have made, so that it can be deleted.
// Another create with the same nonce returns that message or makes one without content.
func (d *draft) resolve(ctx context.Context) error {
	if !d.maybeCreated {
		return nil
	}
	return d.retry(ctx, func() error {
		sent, err := d.replies.create(ctx, d.to, len(d.sent)+d.nonceOffset, reference{message: cmp.Or(d.to.ReplyTo, d.to.Trigger)}, content{text: Unresolved})
		switch {
		case err == nil:
			d.sent, d.maybeCreated = append(d.sent, sent), false
		case errors.Is(err, ErrDeleted):
			return nil
		}
		return err
	})
}

// isRefusedEdit reports whether Discord refuses an edit although the message and its channel
// exist. It may still accept a new message with the same text.
func isRefusedEdit(err error) bool {
	_, refused := errors.AsType[*discord.Error](err)
	other := discord.HasCode(err, discord.CodeUnknownMessage, discord.CodeUnknownChannel, discord.CodeTooManyOldEdits)
	return refused && !other && !isTransient(err) && !discord.IsUnauthorized(err)
}

// abandon drops the message being written and lets the answer grow no more. The message
// stays until the whole answer stands in new ones: people have read it, and Discord may refuse
// those, too.
func (d *draft) abandon(ctx context.Context, given graph.MessageID, refusal error) {
	d.replies.log.WarnContext(ctx, "Discord refuses to edit a growing answer, the rest is sent as a new message",
		"channel", d.to.Channel, "message", given, "error", refusal)
	if d.open {
		d.sent, d.open = d.sent[:len(d.sent)-1], false
		d.leftover = append(d.leftover, given)
	}
	d.leftover, d.over = append(d.leftover, d.over...), nil
	d.editsRefused = true
	d.nonceOffset++
}

// persist puts text and retries transient errors until ctx ends. It does not wait for
// when an edit is due.
func (d *draft) persist(ctx context.Context, text string, buttons Rows) error {
	write := func() error { return d.put(ctx, text, buttons) }
	return d.retry(ctx, func() error {
		err := write()
		if errors.Is(err, errEditRefused) {
			err = write()
		}
		if err == nil && !sameText(d.last().Text, text) {
			err = write() // a repeated create returned an earlier version of the message
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
		if err == nil || !isTransient(err) || ctx.Err() != nil || wait.For(ctx, pause) != nil {
			return err
		}
	}
}

// standing returns the messages that may show a part of the answer or of what it replaces,
// oldest first.
func (d *draft) standing() []graph.MessageID {
	ids := slices.Concat(d.over, d.leftover, IDs(d.sent))
	slices.Sort(ids)
	return slices.Compact(ids)
}

// remove deletes what stands, except the messages in spared.
func (d *draft) remove(ctx context.Context, spared []graph.MessageID) error {
	if err := d.resolve(ctx); err != nil {
		return replyError(d.to.Channel, err)
	}
	rest := slices.DeleteFunc(d.standing(), func(id graph.MessageID) bool { return slices.Contains(spared, id) })
	return d.replies.RemoveAll(ctx, d.to.Channel, rest)
}

// sameText reports whether two texts differ only by spaces at their ends, which Discord trims.
func sameText(got, sent string) bool { return strings.TrimSpace(got) == strings.TrimSpace(sent) }

func replyError(channel graph.ChannelID, err error) error {
	if errors.Is(err, ErrEmpty) {
		return err
	}
	return fmt.Errorf("answer in channel %s: %w", channel, err)
}
