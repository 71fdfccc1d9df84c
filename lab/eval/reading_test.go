package eval_test

import (
	"slices"
	"testing"

	"heddle/bot/conversation"
	"heddle/lab/eval"
)

// TestTheAnswersOfReadersCanBeUsed reads what a reader answered to what it was shown of the
// given questions, which are not part of the repository.
func TestTheAnswersOfReadersCanBeUsed(t *testing.T) {
	answers, err := eval.ReadAnswers("../questions/read.json")
	if err != nil || len(answers) != 112 {
		t.Fatalf("there are %d answers, want 112: %v", len(answers), err)
	}
	needing := 0
	for shown, answer := range answers {
		choice, err := conversation.AsRead(answer, 100)
		if err != nil {
			t.Errorf("%s: %v", shown, err)
		}
		if slices.Contains(choice.Needed, true) {
			needing++
		}
	}
	if needing < 100 {
		t.Errorf("%d questions need a line, want 100 or more", needing)
	}
}
