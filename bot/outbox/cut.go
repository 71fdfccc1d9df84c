package outbox

import (
	"context"
	"errors"

	"heddle/internal/discord"
)

// cut ends what stands of an answer with To.CutText, if err says that heddle may not write
// in the channel any more. Discord lets it edit its messages nevertheless, as long as it
// sees the channel. The end of the last message makes room if need be. An answer that
// lacks only its files is whole.
func (d *draft) cut(ctx context.Context, err error) {
	if d.to.CutText == "" || len(d.sent) == 0 || errors.Is(err, ErrFiles) || !discord.IsForbidden(err) || MaySucceedLater(err) {
		return
	}
	last := d.last()
	text := last.Text + "\n" + d.to.CutText
	if units(text) > Limit {
		text = Split(last.Text, Limit-units(d.to.CutText)-1)[0].Text + "\n" + d.to.CutText
	}
	err = d.retry(ctx, func() error {
		_, err := d.outbox.edit(ctx, d.to, last.ID, content{text: text})
		return err
	})
	if err != nil {
		d.outbox.cfg.Log.WarnContext(ctx, "the beginning of an answer stands without saying that the rest is missing", "channel", d.to.Channel, "message", last.ID, "error", err)
		return
	}
	last.Text = text
}
