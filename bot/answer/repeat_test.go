package answer_test

import (
	"context"
	"testing"

	"heddle/bot/answer"
	"heddle/bot/phrases"
	"heddle/bot/work"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
	"heddle/store"
)

func TestAReuseIsRecordedAsOne(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	whole := certain("Four.")
	whole.Usage = &openaitest.Usage{Prompt: 40, Completion: 4}
	s.Model.Queue(whole)
	first, second := s.Aside(s.Ann, "2 + 2?"), s.Aside(s.Ann, "2 + 2?")
	s.Give(roomtest.Reply(first))
	s.Give(roomtest.Reply(second))
	original, again := s.Record(first.ID), s.Record(second.ID)
	if again.Reuses != original.ID || again.ID == original.ID || again.Reused.Before(original.Created) || !again.Created.Equal(original.Created) {
		t.Errorf("the reuse %s is recorded as one of %s, made %v and reused %v; want it of %s, made %v and reused later", again.ID, again.Reuses, again.Created, again.Reused, original.ID, original.Created)
	}
	if again.Usage != (store.Usage{}) || again.Text != "Four." || again.Confidence == nil || again.PathHash != original.PathHash {
		t.Errorf("recorded is %+v, want Usage %v, Text %q and PathHash %v", again, (store.Usage{}), "Four.", original.PathHash)
	}
	if len(again.Sources) != 2 || again.Sources[0].Message != second.ID || again.Sources[1].Message != first.ID ||
		again.Sources[1].Position != 0 || again.Channel != second.Channel {
		t.Errorf("its sources are %+v, want its own question %v and the original's %v without a position", again.Sources, second.ID, first.ID)
	}
	said := s.Discord.Chat.Messages(second.Channel)
	if last := said[len(said)-1]; len(again.Replies) != 1 || again.Replies[0].ID != last.ID || last.Reference.Message != second.ID {
		t.Errorf("recorded as sent are %+v, want only %v, in reply to %v", again.Replies, last.ID, second.ID)
	}
}

// TestAReuseIsNoSampleOfItsModel has an answer given again when one more of the model's own
// would be enough to rank others by.
func TestAReuseIsNoSampleOfItsModel(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	const enough = 20
	rank := func() *float64 {
		t.Helper()
		rank, err := s.Store.Measures.Rank(s.Context(), "test-model", 0.5)
		s.Must(err)
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
	t.Parallel()
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
	t.Parallel()
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

func TestARepeatedAnswerThatDiscordRefusesIsDropped(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.Model.Queue(openaitest.Answer("Four."))
	s.Give(roomtest.Reply(s.Aside(s.Ann, "2 + 2?")))
	s.Discord.Faults.Inject(discordtest.Refused(discordtest.On(discordtest.RouteCreateMessage), 403, 50013, "Missing Permissions"))
	if got := s.Give(roomtest.Reply(s.Aside(s.Ann, "2 + 2?"))); got != answer.Denied {
		t.Errorf("the outcome is %q, want %q", got, answer.Denied)
	}
}

func TestAReusedAnswerIsNotReusedAsItsOwn(t *testing.T) {
	t.Parallel()
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
