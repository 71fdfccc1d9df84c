package outbox

import (
	"context"
	"strings"
)

// unveil edits the finished messages that hide their text because of a spoiler that never
// ended. They were sent before that was known.
func unveil(ctx context.Context, d *draft) {
	finished := len(d.sent)
	if d.open {
		finished--
	}
	from := max(0, finished-d.veiled)
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
