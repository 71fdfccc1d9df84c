package alternatives_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/store"
)

func TestWhichEditsAreHandledIsTheOperatorsChoice(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsIgnored)
	for _, test := range []struct {
		edits alternatives.EditPolicy
		ago   time.Duration
		want  bool
	}{
		{alternatives.EditsIgnored, 0, false},
		{alternatives.EditsAnswered, window, true},
		{alternatives.EditsAnswered, window + 1, false},
		{alternatives.EditsOffered, window, true},
		{alternatives.EditsOffered, window + 1, true}, // an offer may have to be taken back
	} {
		if got := alternativesOf(s.Env, test.edits).Edits.Handling(test.ago) != nil; got != test.want {
			t.Errorf("policy %d handles an edit after %s: %t, want %t", test.edits, test.ago, got, test.want)
		}
	}
}

func TestAnEditIsAnsweredInTheMessageThatStands(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsAnswered)
	question, before := s.asked("is bule a colour?", "Bule is no colour.")
	s.Model.Queue(openaitest.Answer("Indigo is."))
	if got, err := s.edit(question, "is indigo a colour?", 0); got != answer.Answered || err != nil {
		t.Fatalf("the edit ends with %q, %v, want %q and no error", got, err, answer.Answered)
	}
	s.shows(before.ID, "Indigo is.", row) // the old answer is no alternative: it answers other words
	if said := s.Said(); len(said) != 1 || s.recalled(before.ID) != "Indigo is." {
		t.Errorf("heddle said %+v, want one message, recorded with %q", said, "Indigo is.")
	}
	for _, r := range s.recorded(question, 2) {
		if want := map[string]int{"Bule is no colour.": 0, "Indigo is.": 1}[r.Text]; r.Generation != want || r.Reply != 0 {
			t.Errorf("%q has generation %d and replies to %s, want %d and 0", r.Text, r.Generation, r.Reply, want)
		}
	}
}

func TestAnEditedAnswerTakesAsManyMessagesAsItNeeds(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsAnswered)
	question, last := s.asked("tell me all about looms", long("loom"))
	head := s.Said()[0].ID
	if len(s.Said()) != 2 || head == last.ID {
		t.Fatalf("heddle said %d messages, want 2", len(s.Said()))
	}
	s.Model.Queue(openaitest.Answer("They weave."), openaitest.Answer(long("weft")))
	for _, edit := range []struct {
		text  string
		parts int
	}{{"what do looms do?", 1}, {"tell me all about wefts", 2}} {
		if got, err := s.edit(question, edit.text, 0); got != answer.Answered || err != nil {
			t.Fatalf("the edit ends with %q, %v, want %q and no error", got, err, answer.Answered)
		}
		said := s.Said()
		if len(said) != edit.parts || said[0].ID != head {
			t.Fatalf("after %q heddle said %+v, want %d of them and ID %v of the first", edit.text, said, edit.parts, head)
		}
		parts, err := s.Store.Displays.Parts(s.Context(), s.Place().Scope, head)
		if err != nil || len(parts) != edit.parts || parts[len(parts)-1] != said[len(said)-1].ID {
			t.Errorf("after %q the parts are %v, %v, want %d that end with the last message", edit.text, parts, err, edit.parts)
		}
	}
}

func TestAnEditThatLeavesTheWordsAsTheyWereAsksNobody(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsAnswered)
	question, said := s.asked("is bule a colour?", "Bule is no colour.")
	if got, err := s.edit(question, "is bule a colour?", 0); got != answer.Dropped || err != nil {
		t.Errorf("the edit ends with %q, %v, want %q and no error", got, err, answer.Dropped)
	}
	s.shows(said.ID, "Bule is no colour.", row)
	s.requested(1)
	s.recorded(question, 1)
}

func TestAQuestionThatIsEditedBackGetsItsOldAnswerAgain(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsAnswered)
	question, said := s.asked("is bule a colour?", "Bule is no colour.")
	s.Model.Queue(openaitest.Answer("Indigo is."))
	if _, err := s.edit(question, "is indigo a colour?", 0); err != nil {
		t.Fatal(err)
	}
	if got, err := s.edit(question, "is bule a colour?", 0); got != answer.Reused || err != nil {
		t.Errorf("the edit ends with %q, %v, want %q and no error", got, err, answer.Reused)
	}
	s.shows(said.ID, "Bule is no colour.", row)
	s.requested(2)
}

func TestAnEditOfAnUnansweredQuestionIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, policy := range []alternatives.EditPolicy{alternatives.EditsAnswered, alternatives.EditsOffered} {
		s := newScene(t, policy)
		question := s.Post(s.Ann, discordtest.Draft{Content: s.Mention("is bule a colour?")})
		if got, err := s.edit(question, "is indigo a colour?", 0); got != "" || !errors.Is(err, alternatives.ErrUnanswered) {
			t.Errorf("the edit ends with %q, %v, want \"\" and %v", got, err, alternatives.ErrUnanswered)
		}
		s.requested(0)
	}
}

func TestAnEditDuringAnOutageSaysSo(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsAnswered)
	question, said := s.asked("is bule a colour?", "Bule is no colour.")
	if err := s.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.edit(question, "is indigo a colour?", 0); !errors.Is(err, alternatives.ErrUnanswered) || !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("the edit ends with %v, want %v and %v", err, alternatives.ErrUnanswered, store.ErrUnavailable)
	}
	s.shows(said.ID, "Bule is no colour.", row)
}

func TestAnEditAfterAFailureIsAnsweredInItsPlace(t *testing.T) {
	t.Parallel()
	for _, policy := range []alternatives.EditPolicy{alternatives.EditsAnswered, alternatives.EditsOffered} {
		s := newScene(t, policy)
		question := s.Post(s.Ann, discordtest.Draft{Content: s.Mention("is bule a colour?")})
		failed := s.answer(question, openaitest.Fail(openaitest.Failure{Status: 401}), answer.Failed)
		s.shows(failed.ID, "explained", "")
		s.Model.Queue(openaitest.Answer("Indigo is."))
		if got, err := s.edit(question, "is indigo a colour?", 0); got != answer.Answered || err != nil {
			t.Errorf("the edit ends with %q, %v, want %q and no error", got, err, answer.Answered)
		}
		s.shows(failed.ID, "Indigo is.", row)
	}
}

// TestAnEditOfAQuestionWhoseAnswerWasNotSentIsAnsweredBelowIt has Discord refuse the
// first answer.
func TestAnEditOfAQuestionWhoseAnswerWasNotSentIsAnsweredBelowIt(t *testing.T) {
	t.Parallel()
	for _, policy := range []alternatives.EditPolicy{alternatives.EditsAnswered, alternatives.EditsOffered} {
		s := newScene(t, policy)
		question := s.Post(s.Ann, discordtest.Draft{Content: s.Mention("is bule a colour?")})
		allow := s.refuse(discordtest.RouteCreateMessage)
		s.Model.Queue(openaitest.Answer("Bule is no colour."), openaitest.Answer("Indigo is."))
		if got, err := s.Questions.Answer(s.Context(), s.Log, s.question(question)); got != answer.Denied || err != nil {
			t.Fatalf("answering ends with %q, %v, want %q and no error", got, err, answer.Denied)
		}
		allow()
		if got, err := s.edit(question, "is indigo a colour?", 0); got != answer.Answered || err != nil {
			t.Errorf("the edit ends with %q, %v, want %q and no error", got, err, answer.Answered)
		}
		said := s.Said()
		if len(said) != 1 || said[0].Content != "Indigo is." || said[0].Reference == nil || said[0].Reference.Message != question {
			t.Errorf("heddle said %+v, want one of them, Content %q of the first and Reference.Message %v of the first", said, "Indigo is.", question)
		}
	}
}

func TestAnEditThatCannotBeAnsweredLeavesTheAnswerThatStands(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsAnswered)
	question, said := s.asked("is bule a colour?", "Bule is no colour.")
	s.Model.Queue(openaitest.Fail(openaitest.Failure{Status: 401}))
	if got, err := s.edit(question, "is indigo a colour?", 0); got != answer.Failed || err != nil {
		t.Errorf("the edit ends with %q, %v, want %q and no error", got, err, answer.Failed)
	}
	s.shows(said.ID, "Bule is no colour.", row)
	s.Delete(question)
	got, err := s.Edits.Handling(0)(s.Context(), s.Log, s.question(question))
	if got != answer.Dropped || err != nil {
		t.Errorf("the edit of a deleted question ends with %q, %v, want %q and no error", got, err, answer.Dropped)
	}
	s.shows(said.ID, "Bule is no colour.", row)
}

func TestDeletingAQuestionEndsTheAnswerToItsEdit(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsAnswered)
	question, said := s.asked("is bule a colour?", "Bule is no colour.")
	gated := openaitest.Answer("Never said.")
	gated.Wait = make(chan struct{})
	s.Model.Queue(gated)
	outcomes := make(chan answer.Outcome, 1)
	s.Edit(question, s.Mention("is indigo a colour?"))
	go func() {
		got, _ := s.Edits.Handling(0)(s.Context(), s.Log, s.question(question))
		outcomes <- got
	}()
	if _, err := s.Model.Await(s.Context(), 2); err != nil {
		t.Fatal(err)
	}
	s.Inflight.Gone([]graph.MessageID{question})
	select {
	case got := <-outcomes:
		if got != answer.Dropped {
			t.Errorf("the edit ends with %q, want %q", got, answer.Dropped)
		}
	case <-s.Context().Done():
		t.Fatal("the answer to the edit did not end with its question")
	}
	s.shows(said.ID, "Bule is no colour.", row)
}

// TestAnEditTakesOverTheMessagesThatShowAnotherAlternative edits a question whose answer
// shows the one that "again" made.
func TestAnEditTakesOverTheMessagesThatShowAnotherAlternative(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsAnswered)
	question, first, second := s.joked()
	s.step(first, on)
	s.Model.Queue(openaitest.Answer("A riddle."))
	if got, err := s.edit(question, "a riddle?", 0); got != answer.Answered || err != nil {
		t.Fatalf("the edit ends with %q, %v, want %q and no error", got, err, answer.Answered)
	}
	s.shows(first, "A riddle.", row)
	s.shows(second, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
	s.step(second, back)
	s.shows(second, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/2) ▶")
	if strings.Contains(s.Logged(), "level=WARN") {
		t.Errorf("logged was %s, want no %q in it", s.Logged(), "level=WARN")
	}
}
