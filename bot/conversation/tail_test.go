package conversation_test

import (
	"context"
	"strings"
	"testing"

	"heddle/bot/phrases"
	"heddle/bot/tools"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
)

// TestTheModelIsToldWhatACallIsFor calls heddle without a question.
func TestTheModelIsToldWhatACallIsFor(t *testing.T) {
	for text, told := range map[string]bool{
		"":             true,
		"what now?":    false,
		"@heddle then": false,
	} {
		s := newStage(t)
		s.Say(s.Bob, "the loom is stuck")
		s.Ask(s.Ann, s.Mention(text), openaitest.Answer("Yes?"))
		if got := strings.Contains(s.Tail(), phrases.ModelCatchUp); got != told {
			t.Errorf("asked %q the model is told to catch up: %t, want %t", text, got, told)
		}
	}
}

func TestTheModelIsToldOfFilesThatWereMade(t *testing.T) {
	s := newStage(t, roomtest.WithTool(func(context.Context, tools.Call) (tools.Result, error) {
		return tools.Result{Text: "Made.", Files: []tools.File{{Title: "A pattern", Name: "pattern.txt", Type: "text/plain", Data: []byte("xoxo")}}}, nil
	}))
	s.Ask(s.Ann, "draw a pattern", roomtest.Look(), openaitest.Answer("Here it is."))
	if strings.Contains(s.Tail(), "pattern.txt") {
		t.Errorf("before the file was made the model is told %q, want no %q in it", s.Tail(), "pattern.txt")
	}
	s.follow("make it blue", "Blue it is.")
	if got := s.Tail(); !strings.Contains(got, `Files already made in this conversation, not to be made again unless asked for: "pattern.txt".`) {
		t.Errorf("the model is told %q, want %q in it", got, `Files already made in this conversation, not to be made again unless asked for: "pattern.txt".`)
	}
	s.Ask(s.Ann, "thanks", openaitest.Answer("You are welcome."))
	for _, text := range s.Asked() { // the pair that somebody replied to is in for that one time
		if strings.Contains(text, "draw a pattern") {
			t.Errorf("a request that was fulfilled is asked again: %q, want it gone", s.Asked())
		}
	}
}

func TestTheModelIsToldWhatWasLeftOut(t *testing.T) {
	s := newStage(t, tight(false))
	for range 12 {
		s.Say(s.Bob, strings.Repeat("word ", 60))
	}
	s.Ask(s.Ann, "what was that?", openaitest.Answer("Words."))
	if got := s.Tail(); !strings.Contains(got, "older messages of this conversation did not fit and were left out.") {
		t.Errorf("the model is told %q, want %q in it", got, "older messages of this conversation did not fit and were left out.")
	}
	s.CheckSaid("Words.\n" + phrases.English("notice_left_out"))
}
