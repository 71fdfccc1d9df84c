package playground

import (
	"encoding/json"
	"net/http"

	"heddle/internal/discordtest"
)

// The kinds of happenings that have no message. They tell the page to load something again.
const (
	changedWorld   discordtest.HappeningKind = "world"   // people, roles and channels
	changedAnswers discordtest.HappeningKind = "answers" // stored answers
)

// eventView is a happening in the form that the page gets.
type eventView struct {
	Kind    discordtest.HappeningKind `json:"kind"`
	Message messageView               `json:"message"`
}

// serveEvents streams what happens until the client leaves.
func (p *page) serveEvents(w http.ResponseWriter, r *http.Request) {
	watcher := p.world.discord.Chat.Watch()
	defer watcher.Close()
	w.Header().Set("Content-Type", "text/event-stream")
	stream := http.NewResponseController(w)
	for text := "retry: 1000\n\n"; ; {
		if _, err := w.Write([]byte(text)); err != nil || stream.Flush() != nil {
			return
		}
		happening, err := watcher.Next(r.Context())
		if err != nil {
			return
		}
		text = p.event(happening)
	}
}

// event returns the text of a happening in the stream.
func (p *page) event(happening discordtest.Happening) string {
	event := eventView{Kind: happening.Kind}
	if happening.Channel != 0 {
		event.Message = p.message(happening.Message)
		event.Message.Channel, event.Message.Only = happening.Channel, happening.To
	}
	data, err := json.Marshal(event)
	if err != nil { // no field can fail
		return ""
	}
	return "data: " + string(data) + "\n\n"
}
