package commands

import (
	"testing"

	"heddle/bot/catchup"
	"heddle/bot/phrases"
	"heddle/llm"
)

// TestOnlyWhatMayAskTheModelWaits demands that whatever may have the model describe, tell or
// answer waits for its turn, and nothing else.
func TestOnlyWhatMayAskTheModelWaits(t *testing.T) {
	asks := map[string]bool{"heddle catchup": true, catchup.ButtonList: true, catchup.ButtonTell: true, catchup.ButtonAsk: true}
	for _, command := range new(Talks).Commands() {
		if command.Asks != asks[command.Name+command.Button] {
			t.Errorf("%s%s may ask the model: %t, want %t", command.Name, command.Button, command.Asks, asks[command.Name+command.Button])
		}
	}
}

// TestNobodyLooksForNothing demands that Discord has people say what they look for.
func TestNobodyLooksForNothing(t *testing.T) {
	for _, command := range new(Talks).Commands() {
		for _, option := range command.Options {
			if words := option.Name == optionWords; option.Required != words {
				t.Errorf("/%s requires %s: %t, want %t", command.Name, option.Name, option.Required, words)
			}
		}
	}
}

// TestWhatTroubledTheModelIsToldBelowTheTalks has the model fail to describe them.
func TestWhatTroubledTheModelIsToldBelowTheTalks(t *testing.T) {
	use, trouble := &Use{Language: phrases.In()}, &llm.Error{Kind: llm.Unreachable}
	want := "talks\n-# " + phrases.English("unreachable")
	if got := new(Talks).reply(use, catchup.Shown{Text: "talks", Trouble: trouble}); got.Text != want {
		t.Errorf("people read %q, want %q", got.Text, want)
	}
}
