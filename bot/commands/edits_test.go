package commands_test

import (
	"strings"
	"testing"

	"heddle/bot/answer"
	"heddle/bot/phrases"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

func TestAnEditAfterAFailureIsAnsweredInItsPlace(t *testing.T) {
	s := newScene(t)
	question := s.Post(s.Ann, discordtest.Draft{Content: s.Mention("is bule a colour?")})
	failed := s.answer(question, openaitest.Fail(openaitest.Failure{Status: 401}), answer.Failed)
	s.shows(failed.ID, phrases.English("model_misset"), "")
	s.Model.Queue(openaitest.Answer("Indigo is."))
	s.edits(question, "is indigo a colour?", answer.Answered)
	s.shows(failed.ID, "Indigo is.", row)
}

// TestAnEditOfAQuestionWhoseAnswerWasNotSentIsAnsweredBelowIt has Discord refuse the
// first answer.
func TestAnEditOfAQuestionWhoseAnswerWasNotSentIsAnsweredBelowIt(t *testing.T) {
	s := newScene(t)
	question := s.Post(s.Ann, discordtest.Draft{Content: s.Mention("is bule a colour?")})
	allow := s.refuse(discordtest.RouteCreateMessage)
	s.Model.Queue(openaitest.Answer("Bule is no colour."), openaitest.Answer("Indigo is."))
	s.ends(s.question(question), answer.Denied)
	allow()
	s.edits(question, "is indigo a colour?", answer.Answered)
	said := s.Said()
	if len(said) != 1 || said[0].Content != "Indigo is." || said[0].Reference == nil || said[0].Reference.Message != question {
		t.Errorf("heddle said %+v, want one of them, Content %q of the first and Reference.Message %v of the first", said, "Indigo is.", question)
	}
}

// TestAnEditThatCannotBeAnsweredIsTold has the model fail twice at an edit. The answer that stands
// stays, and a reply says that it is to what was asked before. The reply is gone once another edit is
// answered.
func TestAnEditThatCannotBeAnsweredIsTold(t *testing.T) {
	for name, test := range map[string]struct {
		fails openaitest.Reply
		told  phrases.ID
	}{
		"a wrong key": {openaitest.Fail(openaitest.Failure{Status: 401}), "model_misset"},
		"too long":    {openaitest.Fail(openaitest.Failure{Status: 400, Code: "context_length_exceeded"}), "too_long"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			question, said := s.asked("is bule a colour?", "Bule is no colour.")
			for range 2 {
				s.Model.Queue(test.fails)
				s.edits(question, "is indigo a colour?", answer.Failed)
			}
			s.shows(said.ID, "Bule is no colour.", row)
			told := s.Said()[1]
			s.shows(told.ID, phrases.English(test.told)+"\n"+phrases.English("notice_before_edit"), "")
			if n := len(s.Said()); n != 2 || told.Reference == nil || told.Reference.Message != question {
				t.Errorf("heddle said %d messages, the second in reply to %+v, want two, and the question", n, told.Reference)
			}
			s.Model.Queue(openaitest.Answer("Indigo is."))
			s.edits(question, "and indigo?", answer.Answered)
			s.shows(said.ID, "Indigo is.", row)
			if n := len(s.Said()); n != 1 {
				t.Errorf("heddle said %d messages, want the answer alone", n)
			}
		})
	}
}

// TestAnEditTakesOverTheMessagesThatShowAnotherAlternative edits a question whose answer
// shows the one that "again" made.
func TestAnEditTakesOverTheMessagesThatShowAnotherAlternative(t *testing.T) {
	s := newScene(t)
	question, first, second := s.joked()
	s.step(first, on)
	s.Model.Queue(openaitest.Answer("A riddle."))
	s.edits(question, "a riddle?", answer.Answered)
	s.shows(first, "A riddle.", row)
	s.shows(second, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
	s.step(second, back)
	s.shows(second, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/2) ▶")
	if strings.Contains(s.Logged(), "level=WARN") {
		t.Errorf("logged was %s, want no %q in it", s.Logged(), "level=WARN")
	}
}
