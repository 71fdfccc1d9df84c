package reply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"heddle/bot/reply/split"
	"heddle/graph"
	"heddle/internal/discord"
)

// Final is the end of an answer.
type Final struct {
	Text   string         // behind what was appended
	Notice string         // a line below the text, such as why it ends early; may be empty
	Files  []discord.File // on the last message
	// Buttons stand below the last message.
	Buttons Rows
}

// ending completes a draft with the rest of its text and what stands below it.
type ending struct {
	*draft

	Final
}

// finish writes the rest of the text, then the notice, below the text if there is room, and
// the buttons and files below everything. It deletes what remains of the replaced answer, and
// retries transient errors until ctx ends.
func (e ending) finish(ctx context.Context) error {
	e.ready, e.text.Doing = false, ""
	err := e.finishText(ctx, e.rest())
	switch {
	case errors.Is(err, ErrEmpty) && len(e.Files) > 0:
		err = e.sendFiles(ctx)
	case errors.Is(err, ErrEmpty):
		err = errors.Join(err, e.removeUnfinished(ctx))
	case err == nil && len(e.Files) > 0:
		err = e.attach(ctx)
	}
	if err != nil {
		return e.failed(ctx, err)
	}
	return nil
}

// rest returns the texts of the messages that are still to be written, from the one being
// written on.
func (e ending) rest() []string {
	e.text.End()
	e.due() // closes the parts that stand
	var texts []string
	for more := true; more; {
		c := e.text.First()
		if c.Text != "" {
			texts = append(texts, c.Text)
		}
		e.text.Skip(c)
		more = c.More
	}
	notice, reached := e.Notice, len(texts)
	if e.open {
		reached--
	}
	if len(e.heldAfter(reached)) == 0 {
		notice = strings.Trim(notice+"\n"+e.to.HeldText, "\n")
	}
	if n := len(texts); n > 0 && notice != "" && split.Units(texts[n-1]+"\n"+notice) <= split.Limit {
		texts[n-1] += "\n" + notice
		return texts
	}
	for _, part := range split.Parts(notice, split.Limit) {
		texts = append(texts, part.Text)
	}
	return texts
}

// finishText writes texts, the last of them with the buttons.
func (e ending) finishText(ctx context.Context, texts []string) error {
	if len(texts) == 0 { // the message being written shows only what the answer was doing, if there is one
		if len(e.sent) == 0 || e.open && len(e.sent) == 1 {
			return ErrEmpty
		}
		if e.open {
			if err := e.removeUnfinished(ctx); err != nil {
				return err
			}
		}
		e.open, texts = true, []string{e.last().Text}
	}
	for i, text := range texts {
		var below Rows
		if i == len(texts)-1 && len(e.held()) == 0 {
			below = e.Buttons
		}
		if err := e.persist(ctx, text, below); err != nil {
			return err
		}
		if i < len(texts)-1 {
			e.open = false
		}
	}
	return e.removeRest(ctx)
}

// held returns the messages with files that will remain of the replaced answer below the
// message being written.
func (e ending) held() []graph.MessageID {
	if e.open {
		return e.heldAfter(0)
	}
	return e.heldAfter(1)
}

// heldAfter returns the messages with files that will remain of the replaced answer after that
// many more of its messages are overwritten.
func (e ending) heldAfter(overwritten int) []graph.MessageID {
	rest := slices.Clone(e.over[min(max(0, overwritten), len(e.over)):])
	return slices.DeleteFunc(rest, func(id graph.MessageID) bool { return len(e.to.Held[id]) == 0 })
}

// removeRest deletes what remains of the replaced answer, except messages with files, the last
// of which gets the buttons.
func (e ending) removeRest(ctx context.Context) error {
	held := e.held()
	rest := slices.DeleteFunc(slices.Concat(e.over, e.leftover), func(id graph.MessageID) bool { return len(e.to.Held[id]) > 0 })
	for i, id := range held {
		var below Rows
		if i == len(held)-1 {
			below = e.Buttons
		}
		e.sent, e.open = append(e.sent, Sent{ID: id}), true
		err := e.persist(ctx, e.to.HeldText, below)
		if errors.Is(err, ErrDeleted) {
			e.sent, e.open = e.sent[:len(e.sent)-1], false
			continue
		}
		if err != nil {
			return err
		}
	}
	if e.to.Scope != "" && len(rest) > 0 {
		if err := e.replies.stored.Leave(ctx, e.to.Scope, IDs(e.sent), rest); err != nil {
			e.replies.log.WarnContext(ctx, "that an answer became shorter could not be stored, it counts as deleted", "channel", e.to.Channel, "error", err)
		}
	}
	if err := e.replies.RemoveAll(ctx, e.to.Channel, rest); err != nil {
		return fmt.Errorf("%w: %w", ErrSurplus, err)
	}
	e.over, e.leftover = nil, nil
	return nil
}

// attach adds files to the last message.
func (e ending) attach(ctx context.Context) error {
	last := e.last()
	sent, err := e.replies.edit(ctx, e.to, last.ID, content{last.Text, e.Files, e.withChecksum(last.buttons, last.Text)})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFiles, err)
	}
	sent.Text, sent.Found, sent.buttons = last.Text, last.Found, last.buttons
	*last = sent
	return nil
}

// sendFiles sends files without text, in place of the line that said what the answer was doing.
func (e ending) sendFiles(ctx context.Context) error {
	id, stands := e.target()
	if !stands {
		sent, err := e.replies.create(ctx, e.to, 0, reference{cmp.Or(e.to.ReplyTo, e.to.Trigger), true}, content{files: e.Files})
		if err != nil {
			return fmt.Errorf("%w: %w", ErrFiles, err)
		}
		e.wrote(sent, nil)
		return nil
	}
	e.wrote(Sent{ID: id}, nil)
	return e.attach(ctx)
}

// removeUnfinished deletes the messages that show only what the answer was doing, or text that
// Replace removed, unless they belong to the replaced answer.
func (e ending) removeUnfinished(ctx context.Context) error {
	shown := slices.Concat(e.over, e.leftover)
	if e.open {
		shown = []graph.MessageID{e.last().ID}
		e.sent, e.open = e.sent[:len(e.sent)-1], false
	}
	return e.replies.RemoveAll(ctx, e.to.Channel, slices.DeleteFunc(slices.Clone(shown), e.isReplaced))
}

// failed returns the error of an answer of which not everything was sent.
func (e ending) failed(ctx context.Context, err error) error {
	// The half that stands can be neither edited nor replaced for now, as in a thread that is
	// archived and locked.
	if e.editsRefused && !MaySucceedLater(err) && !isAnyOf(err, ErrEmpty, ErrFiles) {
		err = fmt.Errorf("%w: %w", ErrUnfinished, err)
	}
	e.cut(ctx, err)
	if errors.Is(err, ErrDeleted) && len(e.sent) > 1 {
		err = errors.Join(ErrPartDeleted, err)
	}
	return replyError(e.to.Channel, err)
}

// cut ends what stands of an answer with To.CutText, if err says that heddle may not write
// in the channel any more. Discord lets it edit its messages nevertheless, as long as it
// sees the channel. The end of the last message makes room if need be. An answer that
// lacks only its files is whole.
func (e ending) cut(ctx context.Context, err error) {
	if e.to.CutText == "" || len(e.sent) == 0 || errors.Is(err, ErrFiles) || !discord.IsForbidden(err) || MaySucceedLater(err) {
		return
	}
	last := e.last()
	text := last.Text + "\n" + e.to.CutText
	if split.Units(text) > split.Limit {
		text = split.Messages(last.Text, split.Limit-split.Units(e.to.CutText)-1, e.to.Hosts)[0] + "\n" + e.to.CutText
	}
	err = e.retry(ctx, func() error {
		_, err := e.replies.edit(ctx, e.to, last.ID, content{text: text})
		return err
	})
	if err != nil {
		e.replies.log.WarnContext(ctx, "the beginning of an answer stands without saying that the rest is missing", "channel", e.to.Channel, "message", last.ID, "error", err)
		return
	}
	last.Text = text
}
