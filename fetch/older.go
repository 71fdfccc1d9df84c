package fetch

import (
	"context"
	"time"

	"heddle/graph"
)

// Back is how far to look back in a channel.
type Back struct {
	Channel graph.ChannelID
	Before  graph.MessageID // the newest message is the one before this
	Until   time.Time       // nothing older is wanted; zero: all
	Reads   int             // at most so many REST reads; 0: only what is held
	Pages   int             // at most so many pages of 100 messages
}

// Reached is how far a look back came.
type Reached struct {
	Oldest time.Time // everything said since then was looked at; zero where nothing was
	All    bool      // as far as was wanted, or to the channel's start
	Reads  int
}

// Older hands the messages of a channel to each, newest first and folded, from
// what is held and, where that is not enough, from Discord. It stops early when
// each is false. What it reads is held from then on, like all that is read.
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
