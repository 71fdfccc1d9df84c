package llm_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"heddle/internal/openaitest"
	"heddle/llm"
)

func embedder(t *testing.T, config openaitest.Config) (*llm.Embedder, *openaitest.Server) {
	t.Helper()
	server := must(openaitest.Start(config))(t)
	t.Cleanup(func() { _ = server.Close() })
	e := must(llm.NewEmbedder(llm.EmbedConfig{BaseURL: server.URL(), APIKey: "sk-right", Model: "test-embedding"}))(t)
	t.Cleanup(e.Close)
	return e, server
}

func TestTextsBecomeVectorsOfLengthOne(t *testing.T) {
	e, server := embedder(t, openaitest.Config{Key: "sk-right"})
	vectors, err := e.Embed(t.Context(), []string{"the kiln is hot", "the kiln is cold", "7"})
	if err != nil || len(vectors) != 3 {
		t.Fatalf("%d vectors, %v, want 3 and no error", len(vectors), err)
	}
	product := func(a, b []float32) (sum float64) {
		for i := range a {
			sum += float64(a[i] * b[i])
		}
		return sum
	}
	for i, v := range vectors {
		if length := product(v, v); math.Abs(length-1) > 1e-5 {
			t.Errorf("vector %d has the length %v, want 1", i, math.Sqrt(length))
		}
	}
	if product(vectors[0], vectors[1]) < 2*product(vectors[0], vectors[2]) {
		t.Error("the vectors are not those of their texts")
	}
	if texts := server.Embeddings.Texts(); len(texts) != 3 || texts[2] != "7" {
		t.Errorf("the provider was asked about %q, want 3 of them and %q third", texts, "7")
	}
}

func TestAProviderThatDoesNotEmbed(t *testing.T) {
	e, server := embedder(t, openaitest.Config{})
	for status, kind := range map[int]llm.Kind{401: llm.Auth, 404: llm.NotFound, 429: llm.RateLimited, 500: llm.Server} {
		server.Embeddings.Refuse(status)
		_, err := e.Embed(t.Context(), []string{"a secret"})
		failed, ok := errors.AsType[*llm.Error](err)
		if !ok || failed.Kind != kind || strings.Contains(err.Error(), "secret") {
			t.Errorf("status %d becomes %v, want %v without the text", status, err, kind)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Embed(ctx, []string{"x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that ended becomes %v, want %v", err, context.Canceled)
	}
}

func TestVectorsThatAreNoneAreRefused(t *testing.T) {
	for name, vector := range map[string][]float32{"empty": nil, "zero": {0, 0}, "too long": make([]float32, 10_000)} {
		e, _ := embedder(t, openaitest.Config{Embed: func(string) []float32 { return vector }})
		if _, err := e.Embed(t.Context(), []string{"x"}); err == nil {
			t.Errorf("a vector that is %s is accepted, want an error", name)
		}
	}
	lengths := 0
	e, _ := embedder(t, openaitest.Config{Embed: func(string) []float32 {
		lengths++
		return []float32{1, 2, 3, 4}[:lengths]
	}})
	if _, err := e.Embed(t.Context(), []string{"x", "y"}); err == nil {
		t.Error("vectors of different lengths are accepted, want an error")
	}
}
