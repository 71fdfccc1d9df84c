package eval_test

import (
	"os"
	"path/filepath"
	"testing"

	"heddle/bot/conversation"
	"heddle/graph"
)

// TestTheAnswersOfReadersCanBeUsed reads what readers answered to what they were shown of
// the given questions, which are not part of the repository.
func TestTheAnswersOfReadersCanBeUsed(t *testing.T) {
	files, err := filepath.Glob("../questions/read/*.txt")
	if err != nil || len(files) != 112 {
		t.Fatalf("there are %d answers, want 112: %v", len(files), err)
	}
	const most = 100
	lines := make([]*graph.Message, most)
	for i := range lines {
		lines[i] = new(graph.Message)
	}
	needed := 0
	for _, file := range files {
		answer, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		choice, err := conversation.AsRead(string(answer), lines)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		for i := range choice.Needed {
			if choice.Needed[i] {
				needed++
			}
		}
	}
	if needed < len(files) {
		t.Errorf("%d lines are needed, want at least one for each question", needed)
	}
}
