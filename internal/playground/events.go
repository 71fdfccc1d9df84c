package playground

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"heddle/internal/discordtest"
)

// eventView is a happening in the form that the page gets. Of "world" and "answers", which
// tell it to load people, roles and channels or stored answers again, it has the kind
// alone.
type eventView struct {
	Kind    string      `json:"kind"` // created, edited, deleted, typing, private, reacted, world or answers
	Message messageView `json:"message"`
}

// keepAlive is how often a stream sends a comment, so that nothing between takes it for
// dead.
const keepAlive = 20 * time.Second

// serveEvents streams what happens until the client leaves.
func (p *page) serveEvents(w http.ResponseWriter, r *http.Request) {
	watcher := p.world.discord.Chat.Watch()
	defer watcher.Close()
	ctx, cancel := context.WithCancel(r.Context())
	happenings := make(chan discordtest.Happening)
	var pump sync.WaitGroup
	defer pump.Wait()
	defer cancel()
	pump.Go(func() {
		defer close(happenings)
		for {
			happening, err := watcher.Next(ctx)
			if err != nil {
				return
			}
			select {
			case happenings <- happening:
			case <-ctx.Done():
			}
		}
	})
	w.Header().Set("Content-Type", "text/event-stream")
	stream := http.NewResponseController(w)
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	world, answers := p.world.news.listen(), p.contexts.news.listen()
	for text := "retry: 1000\n\n"; ; {
		if _, err := w.Write([]byte(text)); err != nil || stream.Flush() != nil {
			return
		}
		select {
		case happening, open := <-happenings:
			if !open {
				return
			}
			text = p.event(happening)
		case <-world:
			world, text = p.world.news.listen(), eventText(eventView{Kind: "world"})
		case <-answers:
			answers, text = p.contexts.news.listen(), eventText(eventView{Kind: "answers"})
		case <-alive.C:
			text = ": keep-alive\n\n"
		}
	}
}

// event returns the text of a happening in the stream.
func (p *page) event(happening discordtest.Happening) string {
	event := eventView{Kind: string(happening.Kind), Message: p.message(happening.Message)}
	event.Message.Channel, event.Message.Only = happening.Channel, happening.To
	return eventText(event)
}

func eventText(event eventView) string {
	data, err := json.Marshal(event)
	if err != nil { // no field can fail
		return ""
	}
	return "data: " + string(data) + "\n\n"
}
