package answer_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"heddle/bot/answer"
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

// given is what came of a question.
type given struct {
	outcome answer.Ended
	err     error
}

// under answers a question in a goroutine of its own, under a context that end ends.
func (s *stage) under(q answer.Question) (result <-chan given, end context.CancelCauseFunc) {
	s.T.Helper()
	ctx, end := context.WithCancelCause(s.Context())
	s.T.Cleanup(func() { end(nil) })
	came := make(chan given, 1)
	go func() {
		out, err := s.Answers.Answer(ctx, q)
		came <- given{out.Ended, err}
	}()
	return came, end
}

func TestAnAnswerIsShownAsItComes(t *testing.T) {
	s := newStage(t)
	gate, thought := make(chan struct{}), make(chan struct{})
	slow := halves(gate)
	slow.Chunks[0].Wait = thought
	s.Model.Queue(slow)
	result, _ := s.under(s.Question(s.Say(s.Ann, "and?")))
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
			if got := s.Give(s.Question(id)); got != answer.Failed {
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
	result, _ := s.under(s.Question(s.Say(s.Ann, "and?")))
	s.Discord.Chat.Delete(s.Channel, s.begun().ID)
	close(gate)
	if err := s.Model.AwaitHangups(s.Context(), 1); err != nil {
		t.Errorf("the model is still asked: %v", err)
	}
	if got := <-result; got.outcome != answer.Dropped || got.err != nil {
		t.Errorf("the answer comes to %+v, want outcome %v and err nil", got, answer.Dropped)
	}
}

// TestAtShutdownTheBeginningOfAnAnswerStays has heddle stop while an answer grows. The next
// process goes on.
func TestAtShutdownTheBeginningOfAnAnswerStays(t *testing.T) {
	s := newStage(t)
	s.Model.Queue(halves(make(chan struct{})))
	id := s.Say(s.Ann, "and?")
	result, end := s.under(s.Question(id))
	s.begun()
	end(answer.ErrShutdown)
	if got := <-result; !errors.Is(got.err, answer.ErrShutdown) {
		t.Errorf("the answer comes to %+v, want err %v", got, answer.ErrShutdown)
	}
	s.CheckSaid("The first half of an answer, which is long enough to be shown,\n" + phrases.English("doing_restart"))
	if kept := s.Recorded(id); len(kept) != 0 {
		t.Errorf("recorded is %+v, want none", kept)
	}
}

// TestALostAnswerIsLeftToWhoeverHasIt ends an answer that another process may give by
// now.
func TestALostAnswerIsLeftToWhoeverHasIt(t *testing.T) {
	s := newStage(t)
	s.Model.Queue(halves(make(chan struct{})))
	result, end := s.under(s.Question(s.Say(s.Ann, "and?")))
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
	if got := s.Give(s.Question(s.Say(s.Ann, "and?"))); got != answer.Denied {
		t.Errorf("the outcome is %q, want %q", got, answer.Denied)
	}
	s.CheckSaid()
}

// standing returns a message that shows an answer.
func (s *stage) standing() (message graph.MessageID) {
	s.T.Helper()
	s.Ask(s.Ann, "and?", openaitest.Answer("It stands."))
	return s.Last().ID
}

// TestHalfAnAnswerIsBetterThanTheOneThatStands has the model break off in the middle of
// another answer.
func TestHalfAnAnswerIsBetterThanTheOneThatStands(t *testing.T) {
	s := newStage(t)
	message := s.standing()
	broken := openaitest.Answer("Half of it")
	broken.End = openaitest.EndAbort
	s.Model.Queue(broken)
	if told, err := s.Again(message); err != nil || told.ID != "" {
		t.Errorf("the presser is told %+v, %v, want nothing", told, err)
	}
	s.CheckSaid("Half of it\n-# " + phrases.English("model_stopped"))
}

// TestAnAnswerThatStoodIsShownAgain has the model fail after a tool was seen at work
// where the answer stood.
func TestAnAnswerThatStoodIsShownAgain(t *testing.T) {
	var s *stage
	s = newStage(t, roomtest.WithTool(func(ctx context.Context, _ tools.Call) (tools.Result, error) {
		_, err := s.Discord.Chat.AwaitMessage(ctx, s.Channel, func(m discordtest.Message) bool { return m.Content == phrases.In().Doing("look") })
		return tools.Result{Text: "Nothing."}, err
	}))
	message := s.standing()
	s.Model.Queue(roomtest.Look(), openaitest.Reply{Status: 401})
	if told, err := s.Again(message); err != nil || told.ID != "model_misset" {
		t.Errorf("the presser is told %+v, %v, want %q", told, err, "model_misset")
	}
	s.CheckSaid("It stands.")
	if last := s.Last(); len(last.Buttons()) != 3 {
		t.Errorf("the answer has %d buttons, want 3", len(last.Buttons()))
	}
}

func TestAFailureLeavesTheAnswerThatStands(t *testing.T) {
	s := newStage(t)
	message := s.standing()
	s.Model.Queue(openaitest.Reply{Status: 401})
	if told, err := s.Again(message); err != nil || told.ID != "model_misset" {
		t.Errorf("the presser is told %+v, %v, want %q", told, err, "model_misset")
	}
	s.CheckSaid("It stands.")
}

func TestAQuestionThatIsGoneFailsInSilence(t *testing.T) {
	s := newStage(t)
	id := s.Say(s.Ann, "and?")
	s.Delete(id)
	out, err := s.Answers.Answer(s.Context(), s.Question(id))
	if out.Ended != answer.Dropped || err != nil || out.Tell.ID != "question_gone" {
		t.Errorf("the outcome is %+v, %v; want %q, no error and that the question is gone", out, err, answer.Dropped)
	}
	s.CheckSaid()
}
