package outbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"heddle/graph"
	"heddle/internal/discord"
)

// draft is an answer on its way: text in, messages out. One goroutine owns it.
type draft struct {
	outbox *Outbox
	to     To
	tail   string // source of the message being written and of what follows it
	fence  fence  // what is open at the tail's start
	doing  string // the line below a growing answer
	sent   []Sent
	open   bool // the last of sent is the message being written
}

// add appends text.
func (d *draft) add(text string) { d.tail += text }

// settle closes the parts that are full and stand on Discord as they should. It
// gives what the message being written should read and whether that part is full.
func (d *draft) settle() chunk {
	for {
		c := cut(d.tail, d.fence, Limit)
		if stands := d.open && d.last().Text == c.text; !c.more || (c.text != "" && !stands) {
			return c
		}
		d.tail, d.fence, d.open = d.tail[c.end:], c.fence, false
	}
}

func (d *draft) last() *Sent { return &d.sent[len(d.sent)-1] }

// put makes the message being written read text.
func (d *draft) put(ctx context.Context, text string) error {
	if d.open && d.last().Text == text {
		return nil
	}
	sent, err := d.write(ctx, text)
	if err != nil {
		return err
	}
	if !d.open {
		d.sent, d.open = append(d.sent, sent), true
	}
	*d.last() = sent
	return nil
}

// write makes one call: an edit of the message being written, or of the one whose
// place it takes, or a create.
func (d *draft) write(ctx context.Context, text string) (Sent, error) {
	if id, stands := d.target(); stands {
		sent, err := d.outbox.edit(ctx, d.to, id, text, nil)
		sent.Text = text // whatever Discord made of it: asking again would change nothing
		return sent, err
	}
	after := d.to.Trigger
	if len(d.sent) > 0 {
		after = d.last().ID
	}
	return d.outbox.create(ctx, d.to, len(d.sent), after, text, nil)
}

// target is the message that the next text goes into, where there is one.
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

// grow shows the answer so far, with the indicator: one call at most.
func (d *draft) grow(ctx context.Context) error {
	c := d.settle()
	if c.more {
		return d.put(ctx, c.text)
	}
	return d.put(ctx, d.unfinished())
}

// unfinished is what a growing answer shows. Trailing backticks wait for what
// they will become.
func (d *draft) unfinished() string {
	text := cut(strings.TrimRight(d.tail, "`"), d.fence, Limit).text
	if text == "" {
		return d.doing
	}
	indicator := d.outbox.cfg.Indicator
	if d.doing != "" {
		indicator = "\n" + d.doing
	}
	if units(text)+units(indicator) <= Limit {
		text += indicator
	}
	return text
}

// pending says whether grow would show something new, and whether by an edit.
func (d *draft) pending() (some, edit bool) {
	c := d.settle()
	text := c.text
	if !c.more {
		text = d.unfinished()
	}
	if text == "" || (d.open && d.last().Text == text) {
		return false, false
	}
	enough := len(d.sent) > 0 || d.doing != "" || units(text) >= d.outbox.cfg.First+units(d.outbox.cfg.Indicator)
	_, stands := d.target()
	return enough, stands
}

// finish writes everything that is left, then notice, below the text where there
// is room. Faults that may pass are tried again until ctx ends.
func (d *draft) finish(ctx context.Context, notice string) error {
	var bare bool // the message being written shows only what was being done
	for {
		c := d.settle()
		text := c.text
		if !c.more && notice != "" && text != "" {
			if joined := text + "\n" + notice; units(joined) <= Limit {
				text, notice = joined, ""
			}
		}
		if text != "" {
			if err := d.persist(ctx, text); err != nil {
				return err
			}
		}
		if !c.more {
			bare = d.open && text == ""
			break
		}
	}
	for _, p := range Split(notice, Limit) {
		d.open = bare
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
	return d.removeRest(ctx)
}

// removeRest deletes what is left of the answer that this one took the place of.
func (d *draft) removeRest(ctx context.Context) error {
	for len(d.to.Over) > len(d.sent) {
		last := len(d.to.Over) - 1
		if err := d.outbox.remove(ctx, d.to.Channel, d.to.Over[last]); err != nil {
			return err
		}
		d.to.Over = d.to.Over[:last]
	}
	return nil
}

// persist is put, at the channel's pace, until it works, is refused or ctx ends.
func (d *draft) persist(ctx context.Context, text string) error {
	const longest = 15 * time.Second
	for pause := time.Second; ; pause = min(2*pause, longest) {
		err := d.paced(ctx, text)
		if err == nil && d.last().Text != text && !sameText(d.last().Text, text) {
			err = d.paced(ctx, text) // a repeated create gave the message as it was before
		}
		if err == nil {
			d.last().Text = text
			return nil
		}
		if !passing(err) || ctx.Err() != nil {
			return err
		}
		if d.outbox.cfg.Wait(ctx, pause) != nil {
			return err
		}
	}
}

// paced is put, at the channel's pace where it is an edit.
func (d *draft) paced(ctx context.Context, text string) error {
	if d.open && d.last().Text == text {
		return nil
	}
	if err := d.await(ctx); err != nil {
		return err
	}
	return d.put(ctx, text)
}

// await waits until the message that the next text goes into may be edited.
func (d *draft) await(ctx context.Context) error {
	id, stands := d.target()
	if !stands {
		return nil
	}
	path := messagesPath(d.to.Channel) + "/" + id.String()
	if err := d.outbox.awaitEdit(ctx, d.to.Channel, path); err != nil {
		return fmt.Errorf("wait to edit: %w", err)
	}
	return nil
}

// attach puts files on the last message.
func (d *draft) attach(ctx context.Context, files []discord.File) error {
	if err := d.await(ctx); err != nil {
		return err
	}
	sent, err := d.outbox.edit(ctx, d.to, d.last().ID, d.last().Text, files)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFiles, err)
	}
	sent.Text = d.last().Text
	*d.last() = sent
	return nil
}

// files sends files without any text, in place of what was being done.
func (d *draft) files(ctx context.Context, files []discord.File) error {
	if d.open {
		d.last().Text = ""
		return d.attach(ctx, files)
	}
	sent, err := d.outbox.create(ctx, d.to, 0, d.to.Trigger, "", files)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFiles, err)
	}
	d.sent, d.open = append(d.sent, sent), true
	return nil
}

// takeBack deletes the message that shows only what was being done.
func (d *draft) takeBack(ctx context.Context) error {
	if !d.open {
		return nil
	}
	err := d.outbox.remove(ctx, d.to.Channel, d.last().ID)
	d.sent, d.open = d.sent[:len(d.sent)-1], false
	return err
}

// sameText says whether Discord kept a text as it was sent, spaces at the ends aside.
func sameText(got, sent string) bool { return strings.TrimSpace(got) == strings.TrimSpace(sent) }

// Reply sends a whole text: one message per part, each in reply to the one before.
// It gives what was sent even where it fails in between.
func (o *Outbox) Reply(ctx context.Context, to To, text string) ([]Sent, error) {
	d := &draft{outbox: o, to: to}
	d.add(strings.ToValidUTF8(text, string(utf8.RuneError)))
	if err := d.finish(ctx, ""); err != nil {
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
