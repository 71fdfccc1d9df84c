package answer_test

import (
	"context"
	"strings"
	"testing"

	"heddle/bot/phrases"
	"heddle/bot/tools"
	"heddle/internal/openaitest"
)

// tail returns the tail of the last request.
func (s *stage) tail() string {
	s.t.Helper()
	asked := s.asked()
	return asked[len(asked)-1]
}

// TestTheModelIsToldWhatACallIsFor calls heddle without a question.
func TestTheModelIsToldWhatACallIsFor(t *testing.T) {
	t.Parallel()
	for text, told := range map[string]bool{
		"":             true,
		"what now?":    false,
		"@heddle then": false,
	} {
		s := newStage(t)
		s.say(s.Bob, "the loom is stuck")
		s.ask(s.Ann, s.Mention(text), openaitest.Answer("Yes?"))
		if got := strings.Contains(s.tail(), phrases.ModelCatchUp); got != told {
			t.Errorf("asked %q the model is told to catch up: %t", text, got)
		}
	}
}

func TestTheModelIsToldOfFilesThatWereMade(t *testing.T) {
	t.Parallel()
	s := newStage(t, withTool(func(context.Context, tools.Call) (tools.Result, error) {
		return tools.Result{Text: "Made.", Files: []tools.File{drawing()}}, nil
	}))
	s.ask(s.Ann, "draw a pattern", look(), openaitest.Answer("Here it is."))
	if strings.Contains(s.tail(), "pattern.txt") {
		t.Errorf("before the file was made the model is told %q", s.tail())
	}
	s.follow("make it blue", "Blue it is.")
	if got := s.tail(); !strings.Contains(got, `Files already made in this conversation, not to be made again unless asked for: "pattern.txt".`) {
		t.Errorf("the model is told %q", got)
	}
	s.ask(s.Ann, "thanks", openaitest.Answer("You are welcome."))
	for _, text := range s.asked() { // the pair that somebody replied to is in for that one time
		if strings.Contains(text, "draw a pattern") {
			t.Errorf("a request that was fulfilled is asked again: %q", s.asked())
		}
	}
}

func TestTheModelIsToldWhatWasLeftOut(t *testing.T) {
	t.Parallel()
	s := newStage(t, tight(false))
	for range 12 {
		s.say(s.Bob, strings.Repeat("word ", 60))
	}
	s.ask(s.Ann, "what was that?", openaitest.Answer("Words."))
	if got := s.tail(); !strings.Contains(got, "older messages of this conversation did not fit and were left out.") {
		t.Errorf("the model is told %q", got)
	}
	s.checkSaid("Words.\n" + phrases.English(phrases.NoticeLeftOut))
}
