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

// eventView is a happening as the page gets it.
type eventView struct {
	Kind    string      `json:"kind"` // created, edited, deleted, typing, private, reacted or world
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
	for changed := p.world.changed(); r.Context().Err() == nil; {
		text, err := p.nextEvent(r.Context(), watcher, changed)
		if err != nil {
			return
		}
		if text == worldEvent {
			changed = p.world.changed()
		}
		if _, err := fmt.Fprint(w, text); err != nil || flusher.Flush() != nil {
			return
		}
	}
}

// worldEvent tells the page to load people, roles and channels again.
const worldEvent = `data: {"kind":"world","message":{}}` + "\n\n"

// nextEvent waits for the next happening and returns its text in the stream: a comment
// if nothing happens for keepAlive, and worldEvent once changed is closed.
func (p *page) nextEvent(ctx context.Context, watcher *discordtest.Watcher, changed <-chan struct{}) (string, error) {
	quiet, cancel := context.WithTimeout(ctx, keepAlive)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		select {
		case <-changed:
			cancel()
		case <-quiet.Done():
		}
	})
	happening, err := watcher.Next(quiet)
	cancel()
	waiting.Wait()
	switch {
	case err != nil && isClosed(changed) && ctx.Err() == nil:
		return worldEvent, nil
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
