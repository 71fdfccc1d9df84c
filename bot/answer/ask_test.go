package answer_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/bot/tools"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
)

// halves is an answer whose second half the model holds back until the gate is closed.
func halves(gate <-chan struct{}) openaitest.Reply {
	slow := openaitest.Answer("The first half of an answer, which is long enough to be shown, ", "and the second.")
	slow.Chunks[1].Wait = gate
	return slow
}

// begun waits until the first half of an answer is to be seen.
func (s *stage) begun() discordtest.Message {
	s.T.Helper()
	m, err := s.Discord.Chat.AwaitMessage(s.Context(), s.Channel, func(m discordtest.Message) bool {
		return m.Author == s.Self && strings.HasPrefix(m.Content, "The first half")
	})
	if err != nil {
		s.T.Fatalf("the first half of the answer is not shown: %v", err)
	}
	return m
}

// given is what came of a job.
type given struct {
	outcome answer.Outcome
	err     error
}

// under answers a job in a goroutine of its own, under a context that end ends.
func (s *stage) under(job answer.Job) (result <-chan given, end context.CancelCauseFunc) {
	s.T.Helper()
	p := s.Prepare(job)
	ctx, end := context.WithCancelCause(s.Context())
	s.T.Cleanup(func() { end(nil) })
	came := make(chan given, 1)
	go func() {
		outcome, err := s.Answers.Give(ctx, s.Log, p)
		came <- given{outcome, err}
	}()
	return came, end
}

func TestAnAnswerIsShownAsItComes(t *testing.T) {
	s := newStage(t)
	gate, thought := make(chan struct{}), make(chan struct{})
	slow := halves(gate)
	slow.Chunks[0].Wait = thought
	s.Model.Queue(slow)
	result, _ := s.under(roomtest.Reply(s.Question(s.Say(s.Ann, "and?"))))
	if _, err := s.Discord.Record.AwaitRequests(s.Context(), 1, discordtest.On(discordtest.RouteTyping)); err != nil {
		t.Errorf("heddle does not type while the model thinks: %v", err)
	}
	close(thought)
	if m := s.begun(); !strings.HasSuffix(m.Content, "shown,  ▍") && !strings.HasSuffix(m.Content, "shown, ▍") {
		t.Errorf("the growing answer reads %q, want the indicator at its end", m.Content)
	}
	close(gate)
	if got := <-result; got.outcome != answer.Answered || got.err != nil {
		t.Errorf("the answer comes to %+v, want outcome %v and err nil", got, answer.Answered)
	}
	s.CheckSaid("The first half of an answer, which is long enough to be shown, and the second.")
}

func TestAFailureIsToldBelowWhatWasSaid(t *testing.T) {
	broken := openaitest.Answer("Half of it")
	broken.End = openaitest.EndAbort
	for name, test := range map[string]struct {
		reply              openaitest.Reply
		said, text, notice string
	}{
		"before a word":    {openaitest.Reply{Status: 401}, phrases.English("model_misset"), "", phrases.English("model_misset")},
		"after some words": {broken, "Half of it\n-# " + phrases.English("model_stopped"), "Half of it", "-# " + phrases.English("model_stopped")},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.Model.Queue(test.reply)
			id := s.Say(s.Ann, "and?")
			if got := s.Give(roomtest.Reply(s.Question(id))); got != answer.Failed {
				t.Errorf("the outcome is %q, want %q", got, answer.Failed)
			}
			s.CheckSaid(test.said)
			if kept := s.Record(id); kept.Text != test.text || kept.FinishReason != "failed" || kept.Notice != test.notice {
				t.Errorf("recorded is %q, which ended as %q with the notice %q, want %q, %q and %q", kept.Text, kept.FinishReason, kept.Notice, test.text, "failed", test.notice)
			}
		})
	}
}

// TestNobodyReadsOnBelowADeletedAnswer deletes the answer while it is written.
func TestNobodyReadsOnBelowADeletedAnswer(t *testing.T) {
	s := newStage(t)
	gate := make(chan struct{})
	slow := openaitest.Answer("The first half of an answer, which is long enough to be shown, ", "and the second, ", "and a third.")
	slow.Chunks[1].Wait, slow.Chunks[2].Wait = gate, make(chan struct{})
	s.Model.Queue(slow)
	result, _ := s.under(roomtest.Reply(s.Question(s.Say(s.Ann, "and?"))))
	s.Discord.Chat.Delete(s.Channel, s.begun().ID)
	close(gate)
	if err := s.Model.AwaitHangups(s.Context(), 1); err != nil {
		t.Errorf("the model is still asked: %v", err)
	}
	if got := <-result; got.outcome != answer.Dropped || got.err != nil {
		t.Errorf("the answer comes to %+v, want outcome %v and err nil", got, answer.Dropped)
	}
}

func TestAtShutdownTheBeginningOfAnAnswerStays(t *testing.T) {
	s := newStage(t)
	s.Model.Queue(halves(make(chan struct{})))
	id := s.Say(s.Ann, "and?")
	result, end := s.under(roomtest.Reply(s.Question(id)))
	s.begun()
	end(answer.ErrShutdown)
	if got := <-result; got.outcome != answer.Failed || got.err != nil {
		t.Errorf("the answer comes to %+v, want outcome %v and err nil", got, answer.Failed)
	}
	s.CheckSaid("The first half of an answer, which is long enough to be shown,\n-# " + phrases.English("shutdown"))
	if kept := s.Record(id); kept.FinishReason != "failed" || len(kept.Replies) != 1 {
		t.Errorf("recorded is %+v, want FinishReason %q and one in Replies", kept, "failed")
	}
}

// TestALostAnswerIsLeftToWhoeverHasIt ends an answer that another process may give by
// now.
func TestALostAnswerIsLeftToWhoeverHasIt(t *testing.T) {
	s := newStage(t)
	s.Model.Queue(halves(make(chan struct{})))
	result, end := s.under(roomtest.Reply(s.Question(s.Say(s.Ann, "and?"))))
	errtest.Must(s.Model.Await(s.Context(), 1))(t)
	s.begun()
	end(answer.ErrLost)
	if got := <-result; !errors.Is(got.err, answer.ErrLost) || got.outcome != "" {
		t.Errorf("the answer comes to %+v, want err %v and outcome \"\"", got, answer.ErrLost)
	}
	if said := s.SaidIn(s.Channel); len(said) != 1 || strings.Contains(said[0], "failed") {
		t.Errorf("the answer of another process was written into: %q, want one of them and no %q in it first", said, "failed")
	}
}

func TestAnAnswerThatDiscordRefusesIsDropped(t *testing.T) {
	s := newStage(t)
	s.Discord.Faults.Inject(discordtest.Refused(discordtest.On(discordtest.RouteCreateMessage), 403, 50013, "Missing Permissions"))
	s.Model.Queue(openaitest.Answer("Yes."))
	if got := s.Give(roomtest.Reply(s.Question(s.Say(s.Ann, "and?")))); got != answer.Denied {
		t.Errorf("the outcome is %q, want %q", got, answer.Denied)
	}
	s.CheckSaid()
}

// standing is a question with an answer to be replaced.
func (s *stage) standing() (question graph.MessageID, job answer.Job, to *roomtest.Target) {
	s.T.Helper()
	question = s.Ask(s.Ann, "and?", openaitest.Answer("It stands."))
	job = roomtest.Replace(s.Question(question), s.Last().ID)
	return question, job, job.Target.(*roomtest.Target)
}

// TestHalfAnAnswerIsBetterThanTheOneThatStands has the model break off in the middle of
// another answer.
func TestHalfAnAnswerIsBetterThanTheOneThatStands(t *testing.T) {
	s := newStage(t)
	_, job, to := s.standing()
	broken := openaitest.Answer("Half of it")
	broken.End = openaitest.EndAbort
	s.Model.Queue(broken)
	if got := s.Give(job); got != answer.Failed {
		t.Errorf("the outcome is %q, want %q", got, answer.Failed)
	}
	if s.CheckSaid("Half of it\n-# " + phrases.English("model_stopped")); to.Restored != 0 {
		t.Errorf("the answer was restored %d times, want 0", to.Restored)
	}
}

// TestAnAnswerThatStoodIsShownAgain has the model fail after a tool was seen at work
// where the answer stood.
func TestAnAnswerThatStoodIsShownAgain(t *testing.T) {
	var s *stage
	s = newStage(t, roomtest.WithTool(func(ctx context.Context, _ tools.Call) (tools.Result, error) {
		_, err := s.Discord.Chat.AwaitMessage(ctx, s.Channel, func(m discordtest.Message) bool { return m.Content == phrases.In().Doing("look") })
		return tools.Result{Text: "Nothing."}, err
	}))
	_, job, to := s.standing()
	s.Model.Queue(roomtest.Look(), openaitest.Reply{Status: 401})
	if got := s.Give(job); got != answer.Failed {
		t.Errorf("the outcome is %q, want %q", got, answer.Failed)
	}
	if !slices.Equal(to.Told, []string{phrases.English("model_misset")}) || to.Restored != 1 {
		t.Errorf("told is %q; the answer was restored %d times, want %q and 1", to.Told, to.Restored, phrases.English("model_misset"))
	}
}

var errUnexpected = errors.New("something unexpected")

func TestAFailureLeavesTheAnswerThatStands(t *testing.T) {
	s := newStage(t)
	question, job, to := s.standing()
	outcome, err := s.Answers.Fail(s.Context(), s.Log, job, errUnexpected)
	if outcome != answer.Failed || err != nil || !slices.Equal(to.Told, []string{phrases.English("internal")}) {
		t.Errorf("the outcome is %q, %v, told is %q, want %q, no error and %q", outcome, err, to.Told, answer.Failed, phrases.English("internal"))
	}
	s.CheckSaid("It stands.")
	s.Record(question)
}

func TestAQuestionThatIsGoneFailsInSilence(t *testing.T) {
	s := newStage(t)
	gone, drop := context.WithCancelCause(s.Context())
	drop(conversation.ErrQuestionGone)
	for name, ended := range map[string]struct {
		ctx context.Context //nolint:containedctx // it differs from test to test
		err error
	}{
		"as it was read":   {s.Context(), conversation.ErrQuestionGone},
		"as work went on":  {gone, errUnexpected},
		"as both happened": {gone, conversation.ErrQuestionGone},
	} {
		job := roomtest.Reply(s.Question(s.Say(s.Ann, "and?")))
		outcome, err := s.Answers.Fail(ended.ctx, s.Log, job, ended.err)
		if outcome != answer.Dropped || err != nil || !slices.Equal(job.Target.(*roomtest.Target).Told, []string{phrases.English("question_gone")}) {
			t.Errorf("gone %s: the outcome is %q, %v, and people are told %q; want %q, no error and that the question is gone", name, outcome, err, job.Target.(*roomtest.Target).Told, answer.Dropped)
		}
	}
	s.CheckSaid()
}
