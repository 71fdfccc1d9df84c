package playground

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"heddle/llm"
)

// mind is the model that answers, in whose place another can be put.
type mind struct {
	ollama string // where an Ollama may run

	mu    sync.Mutex
	model Model
	end   context.CancelFunc // ends the bot, which begins anew with the model of then
}

// usualOllama is where Ollama listens unless it is told otherwise.
const usualOllama = "http://127.0.0.1:11434/v1"

// name returns what the model is called.
func (m *mind) name() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.model.Name
}

// run runs the bot until ctx is cancelled or it fails.
func (m *mind) run(ctx context.Context, c Connection, start func(context.Context, Connection) error) error {
	for {
		running, end := context.WithCancel(ctx)
		m.mu.Lock()
		c.Model, m.end = m.model, end
		m.mu.Unlock()
		err := start(running, c)
		replaced := running.Err() != nil && ctx.Err() == nil
		end()
		if !replaced || err != nil {
			return err
		}
	}
}

// found returns the first model that writes of an Ollama on this machine; the zero Model if
// there is none.
func (m *mind) found(ctx context.Context) Model {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	names, _ := llm.Models(ctx, m.ollama, "") // where nobody answers there is none
	for _, name := range names {
		if !strings.Contains(name, "embed") {
			return Model{URL: m.ollama, Name: name}
		}
	}
	return Model{}
}

// serveFound responds with the name of the model that could take the place of the demo.
func (m *mind) serveFound(w http.ResponseWriter, r *http.Request) {
	respond(w, http.StatusOK, map[string]string{"model": m.found(r.Context()).Name})
}

// take puts the model of Ollama in the place of the demo.
func (p *page) take(struct{}) (any, error) {
	model := p.mind.found(context.Background())
	if model.Name == "" {
		return nil, refusedError("Ollama does not answer on this machine any more")
	}
	p.mind.mu.Lock()
	p.mind.model = model
	p.mind.end()
	p.mind.mu.Unlock()
	p.world.discord.Chat.Tell(changedWorld)
	return struct{}{}, nil
}
