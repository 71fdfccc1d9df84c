package fetch

import (
	"context"
	"time"

	"heddle/graph"
)

// Back bounds how far to look back in a channel.
type Back struct {
	Channel graph.ChannelID
	Before  graph.MessageID // look at messages before this one
	Until   time.Time       // and not before this time; zero: all
	Reads   int             // the greatest number of REST reads; 0: only what is held
	Pages   int             // the greatest number of pages of 100 messages
}

// Reached is how far a look back went.
type Reached struct {
	Oldest time.Time // every message since then was seen; zero if none was
	All    bool      // it went as far as it should, or to the channel's start
	Reads  int
}

// Older passes the messages of a channel to each, newest first and folded, from what is
// held and, as far as necessary, from Discord. It stops when each returns false. What
// it reads is held afterwards.
func (h *History) Older(ctx context.Context, back Back, each func(*graph.Message) bool) (Reached, error) {
	c := h.logs.use(back.Channel)
	var reached Reached
	at := back.Before
	for range back.Pages {
		w, held := c.beforeTrigger(at)
		if !held && reached.Reads < back.Reads {
			reached.Reads++
			if _, err := h.read(ctx, c, query{kind: pageBefore, channel: c.id, at: at}); err != nil {
				return reached, err
			}
			w, _ = c.beforeTrigger(at)
		}
		from := graph.Position{Anchor: at, Message: at}
		stretch := c.walk(graph.Walk{Channel: c.id, From: from, Direction: graph.Older, Limit: 2 * pageSize}, &w, from)
		h.logs.unquoted(stretch.Messages)
		for i := range stretch.Messages {
			m := &stretch.Messages[i]
			if m.Time.Before(back.Until) {
				reached.All = true
				return reached, nil
			}
			reached.Oldest = m.Time
			if !each(m) {
				return reached, nil
			}
		}
		if w.start {
			reached.All = true
			return reached, nil
		}
		if w.lo >= at {
			return reached, nil
		}
		at = w.lo
	}
	return reached, nil
}
