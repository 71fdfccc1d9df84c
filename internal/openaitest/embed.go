package openaitest

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"
)

// dimensions is how many numbers the vectors have that Shared returns.
const dimensions = 256

// Shared returns a vector for a text that counts the text's substrings of four
// characters. It does not depend on what the text means.
func Shared(text string) []float32 {
	const gram = 4
	vector := make([]float32, dimensions)
	characters := []rune(" " + strings.ToLower(text) + " ")
	for i := range max(len(characters)-gram+1, 1) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(string(characters[i:min(i+gram, len(characters))]))) // it never fails
		vector[h.Sum32()%dimensions]++
	}
	return vector
}

// Embeddings is the part of a Server that embeds. Its methods may be called from any
// goroutine.
type Embeddings struct {
	server   *Server
	texts    []string // guarded by the server's lock, like what follows
	refusing int      // status of the error for requests; 0: none
}

// Texts returns all texts that vectors were asked for, in their order.
func (e *Embeddings) Texts() []string {
	e.server.mu.Lock()
	defer e.server.mu.Unlock()
	return slices.Clone(e.texts)
}

// Await waits until a vector was requested for a text that contains part.
func (e *Embeddings) Await(ctx context.Context, part string) error {
	_, err := e.server.await(ctx, fmt.Sprintf("a vector for a text with %q", part), func() bool {
		return slices.ContainsFunc(e.texts, func(text string) bool { return strings.Contains(text, part) })
	})
	if err != nil {
		return fmt.Errorf("texts so far are %q: %w", e.Texts(), err)
	}
	return nil
}

// Refuse makes the server answer requests for vectors with an error of the given
// status, or with vectors again if status is 0.
func (e *Embeddings) Refuse(status int) { e.server.update(func() { e.refusing = status }) }

// serve answers a request for embeddings.
func (e *Embeddings) serve(w http.ResponseWriter, r *http.Request) {
	s := e.server
	if !s.authorized(r) {
		s.write(w, r, wrongKey(), Request{})
		return
	}
	var asked struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&asked); err != nil || asked.Model == "" || len(asked.Input) == 0 {
		s.write(w, r, Fail(Failure{
			Status: http.StatusBadRequest, Type: "invalid_request_error", Message: "The body is not a request for embeddings.",
		}), Request{})
		return
	}
	refusing := 0
	s.update(func() {
		e.texts = append(e.texts, asked.Input...)
		refusing = e.refusing
	})
	if refusing != 0 {
		s.write(w, r, Fail(Failure{Status: refusing, Message: "No vectors for " + asked.Input[0]}), Request{})
		return
	}
	embed := s.config.Embed
	if embed == nil {
		embed = Shared
	}
	const bytesPerToken = 4
	data, tokens := make([]map[string]any, len(asked.Input)), 0
	for i, text := range asked.Input {
		tokens += 1 + len(text)/bytesPerToken
		data[i] = map[string]any{"object": "embedding", "index": i, "embedding": embed(text)}
	}
	s.write(w, r, Reply{Body: mustJSON(map[string]any{
		"object": "list", "data": data, "model": asked.Model, "usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens},
	})}, Request{})
}
