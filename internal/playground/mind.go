package playground

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"
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
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, m.ollama+"/models", nil)
	if err != nil {
		return Model{}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return Model{}
	}
	defer response.Body.Close() //nolint:errcheck // it is only read
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if json.NewDecoder(http.MaxBytesReader(nil, response.Body, 1<<20)).Decode(&list) != nil {
		return Model{}
	}
	for _, one := range list.Data {
		if !strings.Contains(one.ID, "embed") {
			return Model{URL: m.ollama, Name: one.ID}
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
	p.world.news.ring()
	return struct{}{}, nil
}
