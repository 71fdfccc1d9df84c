package answer_test

import (
	"context"
	"testing"

	"heddle/internal/errtest"
	"heddle/bot/answer"
	"heddle/bot/phrases"
	"heddle/bot/work"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
)

// TestAReuseIsNoSampleOfItsModel has an answer given again when one more of the model's own
// would be enough to rank others by.
func TestAReuseIsNoSampleOfItsModel(t *testing.T) {
	s := newStage(t)
	const enough = 20
	rank := func() *float64 {
		t.Helper()
		rank := errtest.Must(s.Store.Responses.Rank(s.Context(), "test-model", 0.5))(s.T)
		return rank
	}
	for range enough - 2 {
		rank()
	}
	s.Model.Queue(certain("Four."))
	first, second := s.Aside(s.Ann, "2 + 2?"), s.Aside(s.Ann, "2 + 2?")
	s.Give(roomtest.Reply(first))
	s.Give(roomtest.Reply(second))
	if rank() != nil {
		t.Error("an answer that was given again counts twice among the model's")
	}
	if rank() == nil {
		t.Error("the model's answers are not enough to rank another by")
	}
}

// TestAnAnswerThatIsGivenOnceMoreAfterACrashIsOne has two processes answer the same
// question, of which the first ended before it marked the question as done.
func TestAnAnswerThatIsGivenOnceMoreAfterACrashIsOne(t *testing.T) {
	s := newStage(t)
	s.Model.Queue(openaitest.Answer("Four."))
	first, second := s.Aside(s.Ann, "2 + 2?"), s.Aside(s.Ann, "2 + 2?")
	s.Give(roomtest.Reply(first))
	for range 2 {
		if got := s.GiveBy(s.Another(), roomtest.Reply(second)); got != answer.Reused {
			t.Fatalf("the outcome is %q, want %q", got, answer.Reused)
		}
	}
	s.Record(second.ID)
	if got := s.SaidIn(second.Channel); len(got) != 1 {
		t.Errorf("heddle says %q, want one of them", got)
	}
	if got := s.GiveBy(s.Another(), roomtest.Reply(first)); got != answer.Reused {
		t.Errorf("the first question's outcome is %q, want %q", got, answer.Reused)
	}
	if got := s.SaidIn(first.Channel); len(got) != 1 || got[0] != "Four." {
		t.Errorf("the first question's own answer reads %q, want one of them and %q first", got, "Four.")
	}
}

// TestARepeatedAnswerToADeletedQuestionIsTakenBack deletes the question while its answer
// is sent again: Discord has created the message by then.
func TestARepeatedAnswerToADeletedQuestionIsTakenBack(t *testing.T) {
	s := newStage(t)
	s.Model.Queue(openaitest.Answer("Four."))
	s.Give(roomtest.Reply(s.Aside(s.Ann, "2 + 2?")))
	q := s.Aside(s.Ann, "2 + 2?")
	p := s.Prepare(roomtest.Reply(q))
	gate := make(chan struct{})
	held := s.Discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteCreateMessage), GateAfter: gate})
	ctx, drop := context.WithCancelCause(s.Context())
	came := make(chan given, 1)
	go func() {
		outcome, err := s.Answers.Give(ctx, s.Log, p)
		came <- given{outcome, err}
	}()
	s.Must(held.Await(s.Context(), 1))
	drop(work.ErrQuestionGone)
	close(gate)
	if got := <-came; got.outcome != answer.Dropped || got.err != nil {
		t.Errorf("the answer comes to %+v, want outcome %v and err nil", got, answer.Dropped)
	}
	if all := s.Recorded(q.ID); len(all) != 0 {
		t.Errorf("recorded is %+v, want none", all)
	}
	if got := s.SaidIn(q.Channel); len(got) != 0 {
		t.Errorf("heddle says %q below a question that is gone, want none", got)
	}
}

func TestAReusedAnswerIsNotReusedAsItsOwn(t *testing.T) {
	s := newStage(t)
	s.Model.Queue(openaitest.Answer("Four."))
	s.Give(roomtest.Reply(s.Aside(s.Ann, "2 + 2?")))
	second, third := s.Aside(s.Ann, "2 + 2?"), s.Aside(s.Ann, "2 + 2?")
	s.Give(roomtest.Reply(second))
	s.Give(roomtest.Reply(third))
	one, two := s.Record(second.ID), s.Record(third.ID)
	if two.Reuses != one.Reuses || answer.Notice(phrases.In(), &two) != phrases.In().NoticeReused(0) {
		t.Errorf("the second reuse is one of %s, the first one of %s, want the same", two.Reuses, one.Reuses)
	}
}
