package llm_test

import (
	"testing"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
)

// TestWhatIsAddedIsNotTakenForTyped renders text that heddle added to a message, and
// the same text typed by a person. Only the first must read as heddle's.
func TestWhatIsAddedIsNotTakenForTyped(t *testing.T) {
	const line = "[sticker: wave]"
	for name, test := range map[string]struct {
		message graph.Message
		want    string
	}{
		"added":           {graph.Message{Text: line, Added: len(line)}, "[speaker: ann]\n[sticker: wave]"},
		"typed":           {graph.Message{Text: line}, "[speaker: ann]\n\\[sticker: wave]"},
		"typed and added": {graph.Message{Text: line + "\n" + line, Added: len(line) + 1}, "[speaker: ann]\n\\[sticker: wave]\n[sticker: wave]"},
		"more than all":   {graph.Message{Text: line, Added: 99}, "[speaker: ann]\n\\[sticker: wave]"},
	} {
		if got := llm.Render(path.TurnOf(test.message, "ann")); got != test.want {
			t.Errorf("%s: it reads %q, want %q", name, got, test.want)
		}
	}
}
