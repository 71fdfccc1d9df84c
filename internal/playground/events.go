package playground

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"heddle/internal/discordtest"
)

// eventView is one thing that happened.
type eventView struct {
	Kind    string      `json:"kind"` // created, edited, deleted, typing, private or reacted
	Message messageView `json:"message"`
}

// keepAlive is how often a quiet stream shows that it is still there.
const keepAlive = 20 * time.Second

// serveEvents tells the page what happens, from now until it leaves.
func (p *page) serveEvents(w http.ResponseWriter, r *http.Request) {
	watcher := p.world.discord.Chat.Watch()
	defer watcher.Close()
	w.Header().Set("Content-Type", "text/event-stream")
	flusher := http.NewResponseController(w)
	if _, err := fmt.Fprint(w, "retry: 1000\n\n"); err != nil || flusher.Flush() != nil {
		return
	}
	for r.Context().Err() == nil {
		text, err := p.nextEvent(r.Context(), watcher)
		if err != nil {
			return
		}
		if _, err := fmt.Fprint(w, text); err != nil || flusher.Flush() != nil {
			return
		}
	}
}

// nextEvent waits for something to happen and gives it as text of the stream; a
// comment where nothing does for a while.
func (p *page) nextEvent(ctx context.Context, watcher *discordtest.Watcher) (string, error) {
	quiet, cancel := context.WithTimeout(ctx, keepAlive)
	defer cancel()
	happening, err := watcher.Next(quiet)
	switch {
	case err != nil && quiet.Err() != nil && ctx.Err() == nil:
		return ": still here\n\n", nil
	case err != nil:
		return "", err //nolint:wrapcheck // it only ends the stream
	}
	event := eventView{Kind: kinds(happening.Kind), Message: p.message(happening.Message)}
	event.Message.Channel, event.Message.Only = happening.Channel, happening.To
	data, err := json.Marshal(event)
	if err != nil {
		return "", fmt.Errorf("write an event: %w", err)
	}
	return "data: " + string(data) + "\n\n", nil
}

func kinds(kind discordtest.HappeningKind) string {
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
