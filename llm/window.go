package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// window notices a server that cuts prompts at its own window without a word, as Ollama does
// (openclaw#27278). It compares the tokens that the server reports with heddle's own count.
// Its methods may be called from any goroutine.
type window struct {
	mu      sync.Mutex
	ratio   float64 // tokens reported for each of heddle's own, learned from small prompts
	learned int     // small prompts
	cut     int     // large prompts in a row that were reported far too small
	told    bool
}

// The bounds by which a prompt counts as cut.
const (
	smallPrompt  = 1500 // tokens by heddle's count; no window is smaller
	usualRatio   = 0.75 // where no small prompt was seen: heddle counts a third too many
	farBelow     = 0.6  // of the tokens expected
	cutsInARow   = 2
	leastWindow  = 512 // a server that reports fewer counts something else, such as what it had not cached
	samplesAtAll = 16  // small prompts to learn from
)

// note takes the count of a prompt that had no picture, by heddle and as the server reports
// it. It reports true once, when the server turns out to cut prompts.
func (w *window) note(own, reported int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case own <= 0 || reported <= 0:
		return false
	case own <= smallPrompt:
		if w.learned < samplesAtAll {
			w.learned++
			w.ratio += (float64(reported)/float64(own) - w.ratio) / float64(w.learned)
		}
		return false
	}
	ratio := w.ratio
	if w.learned == 0 {
		ratio = usualRatio
	}
	if reported < leastWindow || float64(reported) >= farBelow*ratio*float64(own) {
		w.cut = 0
		return false
	}
	w.cut++
	news := w.cut >= cutsInARow && !w.told
	w.told = w.told || news
	return news
}

// measure compares what the provider charged for a prompt with the prompt.
func (c *Client) measure(ctx context.Context, request Request, made *sent, usage Usage) {
	if c.config.Count == nil || usage.Prompt <= 0 || slices.Contains(made.needed, FeatureImages) {
		return
	}
	if own := c.config.Count(ctx, &request); c.window.note(own, usage.Prompt) && c.config.Cut != nil {
		c.config.Cut(c.config.Model, own, usage.Prompt)
	}
}

// Window returns the number of tokens that fit into the window of a model on an Ollama
// server, or 0 if the server is another or the model is not loaded. It asks /api/ps, which
// tells the window in use; the model's own, which /api/show tells, may be far larger.
func Window(ctx context.Context, baseURL, key, model string) (int, error) {
	root, ok := strings.CutSuffix(strings.TrimRight(baseURL, "/"), "/v1")
	if !ok {
		return 0, nil
	}
	api := Config{BaseURL: root, APIKey: key}
	request, err := api.newRequest(ctx, http.MethodGet, "/api/ps", http.NoBody)
	if err != nil {
		return 0, fmt.Errorf("ask for the window: %w", err)
	}
	response, err := (&http.Client{CheckRedirect: sameHost}).Do(request)
	if err != nil {
		return 0, fmt.Errorf("ask for the window: %w", err)
	}
	defer response.Body.Close() //nolint:errcheck // it is only read
	var loaded struct {
		Models []struct {
			Name   string `json:"name"`
			Window int    `json:"context_length"`
		} `json:"models"`
	}
	_ = json.NewDecoder(io.LimitReader(response.Body, maxModels)).Decode(&loaded) // another server answers otherwise
	for _, m := range loaded.Models {
		if strings.TrimSuffix(m.Name, ":latest") == strings.TrimSuffix(model, ":latest") {
			return m.Window, nil
		}
	}
	return 0, nil
}
