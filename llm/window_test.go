package llm_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/llm"
)

// TestAServerThatCutsPromptsIsNoticed lets servers report prompt tokens, as small prompts and
// large ones come.
func TestAServerThatCutsPromptsIsNoticed(t *testing.T) {
	for _, test := range []struct {
		name     string
		prompts  [][2]int // by heddle's count, and as reported
		noticed  int
		pictures bool
	}{
		{"Ollama's default window", [][2]int{{200, 150}, {12_000, 4096}, {13_000, 4096}, {14_000, 4096}}, 1, false},
		{"no small prompt before", [][2]int{{12_000, 4096}, {13_000, 4090}}, 1, false},
		{"once only", [][2]int{{12_000, 4096}, {13_000, 9_000}, {12_000, 4000}}, 0, false},
		{"whole", [][2]int{{200, 150}, {12_000, 9_100}, {13_000, 9_600}}, 0, false},
		{"a tokenizer that counts half", [][2]int{{200, 100}, {12_000, 6_000}, {13_000, 6_500}}, 0, false},
		{"counts what was not cached", [][2]int{{200, 150}, {12_000, 80}, {13_000, 60}}, 0, false},
		{"reports nothing", [][2]int{{12_000, 0}, {13_000, 0}}, 0, false},
		{"pictures", [][2]int{{12_000, 4096}, {13_000, 4096}}, 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			own, noticed := 0, 0
			server, client := setup(t, func(c *llm.Config) {
				c.Count = func(context.Context, *llm.Request) int { return own }
				c.Cut = func(string, int, int) { noticed++ }
			})
			for _, prompt := range test.prompts {
				reply := openaitest.Answer("yes")
				reply.Usage = &openaitest.Usage{Prompt: prompt[1], Completion: 1}
				server.Queue(reply)
				own = prompt[0]
				request := question()
				if test.pictures {
					request = everything()
				}
				mustStream(t, client, request)
			}
			if noticed != test.noticed {
				t.Errorf("it is noticed %d times, want %d", noticed, test.noticed)
			}
		})
	}
}

// TestOllamaTellsItsWindow asks a server with Ollama's list of loaded models, and others.
func TestOllamaTellsItsWindow(t *testing.T) {
	ollama := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/ps" {
			_, _ = w.Write([]byte(`{"models":[{"name":"gemma4:latest","context_length":4096}]}`))
		}
	}))
	defer ollama.Close()
	other, _ := setup(t, nil)
	for base, want := range map[string]int{ollama.URL + "/v1": 4096, ollama.URL + "/v1/": 4096, ollama.URL + "/api/v3": 0, other.URL(): 0} {
		if got := errtest.Must(llm.Window(t.Context(), base, "", "gemma4"))(t); got != want {
			t.Errorf("%s: the window is %d, want %d", base, got, want)
		}
	}
	if got := errtest.Must(llm.Window(t.Context(), ollama.URL+"/v1", "", "qwen"))(t); got != 0 {
		t.Errorf("the window of a model that is not loaded is %d, want 0", got)
	}
}
