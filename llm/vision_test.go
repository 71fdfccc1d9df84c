package llm_test

import (
	"testing"

	"heddle/llm"
)

func TestModelsThatSeeAreKnownByName(t *testing.T) {
	for model, want := range map[string]bool{
		"gpt-4.1-mini": true, "openai/gpt-4o": true, "ft:gpt-4o-mini:org": true, "anthropic/claude-sonnet-4": true,
		"qwen2.5-vl:7b": true, "llava": true, "google/gemini-2.5-flash": true, "gemma3:4b": true,
		"gpt-3.5-turbo": false, "o1-mini": false, "gpt-4o-audio-preview": false, "gpt-oss-20b": false,
		"llama3.1": false, "test-model": false, "": false,
	} {
		if got := llm.Sees(model); got != want {
			t.Errorf("Sees(%q) is %t, want %t", model, got, want)
		}
	}
}
