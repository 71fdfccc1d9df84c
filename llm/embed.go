package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"
)

// EmbedConfig configures NewEmbedder. BaseURL and Model are required.
type EmbedConfig struct {
	BaseURL string // of the API, including its version: https://api.openai.com/v1
	APIKey  string // "" sends none
	Model   string
	Timeout time.Duration // of one request; 0: 30 seconds
	Meter   Meter         // keeps account of every request; nil: nobody does
}

// maxDimensions bounds a vector.
const maxDimensions = 8192

var errNoVectors = errors.New("the provider returned no usable vectors")

// Embedder turns texts into vectors by a model at an endpoint /embeddings. Texts that
// mean something similar lie near each other. Its methods may be called from any
// goroutine.
type Embedder struct {
	client *openai.Client
	http   *http.Client
	model  string
	meter  Meter // nil: nobody keeps account
}

// NewEmbedder checks config and returns an embedder. It makes no connection.
func NewEmbedder(config EmbedConfig) (*Embedder, error) {
	if err := (Config{BaseURL: config.BaseURL, APIKey: config.APIKey, Model: config.Model}).validate(); err != nil {
		return nil, fmt.Errorf("set up the embedding model: %w", err)
	}
	const usual = 30 * time.Second
	client := &http.Client{Timeout: config.Timeout, CheckRedirect: sameHost}
	if client.Timeout == 0 {
		client.Timeout = usual
	}
	provider := openai.DefaultConfig(config.APIKey)
	provider.BaseURL, provider.HTTPClient = strings.TrimRight(config.BaseURL, "/"), client
	return &Embedder{openai.NewClientWithConfig(provider), client, config.Model, config.Meter}, nil
}

// Model returns the name of the model.
func (e *Embedder) Model() string { return e.model }

// Close closes idle connections.
func (e *Embedder) Close() { e.http.CloseIdleConnections() }

// Embed returns a vector of length 1 for each text. All vectors of a model have the
// same number of dimensions. If the meter refuses the request, it is not made, and the
// error wraps the meter's. Errors contain nothing of the provider's messages, which may
// quote a text.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	settle := func(Spent) {}
	if e.meter != nil {
		var err error
		if settle, err = e.meter.ReserveTexts(ctx, texts); err != nil {
			return nil, fmt.Errorf("embed %d texts: %w", len(texts), err)
		}
	}
	response, err := e.client.CreateEmbeddings(ctx, openai.EmbeddingRequest{Input: texts, Model: openai.EmbeddingModel(e.model)})
	settle(spent(e.model, Usage{Prompt: response.Usage.TotalTokens}, statusOf(err)))
	if err != nil {
		return nil, fmt.Errorf("embed %d texts: %w", len(texts), withoutWords(ctx, err))
	}
	vectors := make([][]float32, len(texts))
	for i := range response.Data {
		d := &response.Data[i]
		if d.Index < 0 || d.Index >= len(texts) || len(d.Embedding) > maxDimensions || !normalize(d.Embedding) {
			return nil, fmt.Errorf("embed %d texts: %w", len(texts), errNoVectors)
		}
		vectors[d.Index] = d.Embedding
	}
	for _, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("embed %d texts: %w", len(texts), errNoVectors)
		}
	}
	return vectors, nil
}

// withoutWords returns the meaning of an error of the client library, without the
// provider's message.
func withoutWords(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if status := statusOf(err); status != 0 {
		return &Error{Kind: classify(status, nil, problem{}, 0).Kind, Status: status}
	}
	return unreachable(err)
}

// statusOf returns the status of a refusal by the provider, and 0 for any other error.
func statusOf(err error) int {
	if failed, ok := errors.AsType[*openai.APIError](err); ok {
		return failed.HTTPStatusCode
	}
	if failed, ok := errors.AsType[*openai.RequestError](err); ok {
		return failed.HTTPStatusCode
	}
	return 0
}

// normalize scales a vector to length 1 and reports whether that is possible.
func normalize(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return false
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
	return true
}
