package playground

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"heddle/internal/discordtest"
)

// eventView is a happening in the form that the page gets.
type eventView struct {
	Kind    string      `json:"kind"` // created, edited, deleted, typing, private, reacted, world or answers
	Message messageView `json:"message"`
}

// keepAlive is how often a quiet stream sends a comment.
const keepAlive = 20 * time.Second

// serveEvents streams what happens until the client leaves.
func (p *page) serveEvents(w http.ResponseWriter, r *http.Request) {
	watcher := p.world.discord.Chat.Watch()
	defer watcher.Close()
	w.Header().Set("Content-Type", "text/event-stream")
	flusher := http.NewResponseController(w)
	if _, err := fmt.Fprint(w, "retry: 1000\n\n"); err != nil || flusher.Flush() != nil {
		return
	}
	signals := []*signal{signalOf("world", p.world.news), signalOf("answers", p.lens.contexts.news)}
	for r.Context().Err() == nil {
		text, err := p.nextEvent(r.Context(), watcher, signals)
		if err != nil {
			return
		}
		if _, err := fmt.Fprint(w, text); err != nil || flusher.Flush() != nil {
			return
		}
	}
}

// signal tells the page to load something again: people, roles and channels for
// "world", stored answers for "answers".
type signal struct {
	kind string
	bell *bell
	rung <-chan struct{}
}

// signalOf returns a signal that sends events of a kind when the bell rings.
func signalOf(kind string, b *bell) *signal { return &signal{kind, b, b.listen()} }

// event returns the text of a signal in the stream, and listens for the next one.
func (s *signal) event() string {
	s.rung = s.bell.listen()
	return `data: {"kind":"` + s.kind + `","message":{}}` + "\n\n"
}

// nextEvent waits for the next happening or signal and returns its text in the stream: a
// comment if nothing happens for keepAlive.
func (p *page) nextEvent(ctx context.Context, watcher *discordtest.Watcher, signals []*signal) (string, error) {
	quiet, cancel := context.WithTimeout(ctx, keepAlive)
	var waiting sync.WaitGroup
	for _, s := range signals {
		waiting.Go(func() {
			select {
			case <-s.rung:
				cancel()
			case <-quiet.Done():
			}
		})
	}
	happening, err := watcher.Next(quiet)
	cancel()
	waiting.Wait()
	if err != nil && ctx.Err() == nil {
		for _, s := range signals {
			if isClosed(s.rung) {
				return s.event(), nil
			}
		}
	}
	switch {
	case err != nil && quiet.Err() != nil && ctx.Err() == nil:
		return ": keep-alive\n\n", nil
	case err != nil:
		return "", err
	}
	event := eventView{Kind: kindName(happening.Kind), Message: p.message(happening.Message)}
	event.Message.Channel, event.Message.Only = happening.Channel, happening.To
	data, err := json.Marshal(event)
	if err != nil {
		return "", fmt.Errorf("write an event: %w", err)
	}
	return "data: " + string(data) + "\n\n", nil
}

// isClosed reports whether a channel was closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// kindName returns the name of a kind in the stream.
func kindName(kind discordtest.HappeningKind) string {
	switch kind {
	case discordtest.Created:
		return "created"
	case discordtest.Edited:
		return "edited"
	case discordtest.Deleted:
		return "deleted"
	case discordtest.Typing:
		return "typing"
	case discordtest.Private:
		return "private"
	case discordtest.Reacted:
		return "reacted"
	}
	return ""
}
