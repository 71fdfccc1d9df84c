package commands

import (
	"context"
	"strconv"
	"strings"
	"time"

	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/wait"
)

// pagePrefix begins the names of the buttons that turn the pages of an explanation. What
// follows is the explained message and the page.
const pagePrefix = "heddle:page:"

const (
	justSent     = 10 * time.Second // from when a message was sent or edited until a press
	storingTime  = 2 * time.Second  // from sending the last part of an answer to recording it
	storingPause = 50 * time.Millisecond
)

// showContext answers the command in a message's menu.
func (w *why) showContext(ctx context.Context, use *Use) (Reply, error) {
	if use.Command.Target == nil {
		return Reply{Text: use.Language.Text(phrases.CommandUnknown, nil)}, nil
	}
	if use.Place.Foreign && w.permits(use) {
		return Reply{Text: w.handed(use).told(use.Language)}, nil
	}
	return w.page(ctx, use, use.Command.Target.ID, 0)
}

// pressed answers a press of the button below an answer that asks why. An answer that
// was just sent may not be recorded yet; pressed then waits for it.
func (w *why) pressed(ctx context.Context, use *Use) (Reply, error) {
	for pressed := time.Now(); ; {
		shown, err := w.responses.ByReplies(ctx, use.Place.Scope, []graph.MessageID{use.Message})
		_, recorded := shown[use.Message]
		young := use.ID.Time().Sub(use.Changed) < justSent && time.Since(pressed) < storingTime
		if err != nil || recorded || !young || wait.For(ctx, storingPause) != nil {
			return w.page(ctx, use, use.Message, 0)
		}
	}
}

// page returns a page of the explanation of a message, the first as 0.
func (w *why) page(ctx context.Context, use *Use, message graph.MessageID, page int) (Reply, error) {
	if !w.permits(use) {
		return Reply{Text: use.Language.Text(phrases.NotPermitted, nil)}, nil
	}
	e, err := w.explain(ctx, use, message)
	if err != nil {
		return Reply{}, err
	}
	if e.response == nil && e.question.Origin == graph.OriginSelf {
		return Reply{Text: use.Language.Text(phrases.WhyUnknown, nil)}, nil
	}
	pages := e.pages(use.Language)
	page = min(max(page, 0), len(pages)-1)
	r := Reply{Text: pages[page]}
	if len(pages) > 1 {
		r.Buttons = outbox.Rows{Pager(pagePrefix, page, len(pages), func(page int) string {
			return pagePrefix + message.String() + ":" + strconv.Itoa(page)
		})}
	}
	return r, nil
}

// parsePage parses the name of a button that turns to a page.
func parsePage(id string) (message graph.MessageID, page int, ok bool) {
	rest, isPage := strings.CutPrefix(id, pagePrefix)
	name, number, _ := strings.Cut(rest, ":")
	page, err := strconv.Atoi(number)
	return message, page, isPage && err == nil && message.UnmarshalText([]byte(name)) == nil
}
