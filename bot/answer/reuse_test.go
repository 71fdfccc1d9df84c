package answer_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/bot/tools"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
	"heddle/store"
)

// TestAnAnswerIsGivenAgainOnlyIfAllIsEqual changes one thing at a time.
func TestAnAnswerIsGivenAgainOnlyIfAllIsEqual(t *testing.T) {
	for name, test := range map[string]struct {
		settings roomtest.Choice
		question func(s *stage, job *answer.Question)
		text     string
		bob      bool
		want     answer.Ended
	}{
		"nothing differs":             {want: answer.Reused},
		"the text differs":            {text: "2 + 3?", want: answer.Answered},
		"another person asks":         {bob: true, want: answer.Answered},
		"the system prompt differs":   {settings: func(c *roomtest.Parts) { c.Conversation.System = "Be brief." }, want: answer.Answered},
		"the length limit differs":    {settings: func(c *roomtest.Parts) { c.Conversation.Options.MaxTokens = 100 }, want: answer.Answered},
		"the temperature differs":     {settings: func(c *roomtest.Parts) { c.Conversation.Options.Temperature = new(0.5) }, want: answer.Answered},
		"the answer is too old":       {settings: func(c *roomtest.Parts) { c.Answer.ReuseFor = time.Nanosecond }, want: answer.Answered},
		"nothing is to be reused":     {settings: func(c *roomtest.Parts) { c.Answer.ReuseFor = 0 }, want: answer.Answered},
		"it is asked in another room": {question: func(s *stage, job *answer.Question) { job.Place.Scope = store.ChannelScope(s.Guild, job.Channel) }, want: answer.Answered},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.Model.Queue(openaitest.Answer("Four."), openaitest.Answer("Four, again."))
			s.Give(s.Aside(s.Ann, "2 + 2?"))
			text, asker := "2 + 2?", s.Ann
			if test.text != "" {
				text = test.text
			}
			if test.bob {
				asker = s.Bob
			}
			job := s.Aside(asker, text)
			if test.question != nil {
				test.question(s, &job)
			}
			other := s.With()
			if test.settings != nil {
				other = s.With(test.settings)
			}
			if got := other.Give(job); got != test.want {
				t.Errorf("the outcome is %q, want %q", got, test.want)
			}
		})
	}
}

// TestAQuestionThatIsDeletedWaitsNoLonger ends the wait for another's answer.
func TestAQuestionThatIsDeletedWaitsNoLonger(t *testing.T) {
	s := newStage(t)
	gate := make(chan struct{})
	slow := openaitest.Answer("Four.")
	slow.Wait = gate
	s.Model.Queue(slow)
	leads, _ := s.under(s.Aside(s.Ann, "2 + 2?"))
	errtest.Must(s.Model.Await(s.Context(), 1))(t)
	q := s.Aside(s.Ann, "2 + 2?")
	waits, _ := s.under(q)
	var got *given
	for got == nil && s.Context().Err() == nil {
		s.Answers.Deleted([]graph.MessageID{q.ID}) // until the question waits
		select {
		case ended := <-waits:
			got = &ended
		default:
		}
	}
	if got == nil || got.outcome != answer.Dropped || got.err != nil || len(s.SaidIn(q.Channel)) != 0 {
		t.Errorf("a deleted question comes to %+v, %q, want %q, no error and none", got, s.SaidIn(q.Channel), answer.Dropped)
	}
	if got := s.Answers.Stats(); got.Bypassed != 0 {
		t.Errorf("a wait that ended counts as an outage: %+v, want Bypassed 0", got)
	}
	close(gate)
	if got := <-leads; got.outcome != answer.Answered {
		t.Errorf("the question that led comes to %+v, want outcome %q", got, answer.Answered)
	}
}

// momentary is a roomtest.Looking whose result holds only for now.
func momentary(context.Context, tools.Call) (tools.Result, error) {
	return tools.Result{Text: "It is noon.", Once: true}, nil
}

func TestAPathHasTheToolsThatTheProviderRefuses(t *testing.T) {
	s := newStage(t, roomtest.WithTool(momentary))
	s.Model.Queue(openaitest.Reject("tools"), openaitest.Answer("Four."))
	q := s.Aside(s.Ann, "2 + 2?")
	s.Give(q)
	kept := s.Record(q.ID)
	kept.Tools = errtest.Must(s.Store.Responses.Tools(t.Context(), kept))(t)
	if len(kept.Tools) != 1 || kept.PathHash != (path.Path{Turns: s.turns(&kept), Tools: kept.Tools, Options: kept.Options}).Hash() || !slices.Contains(kept.Without, "tools") {
		t.Errorf("the path is recorded with %d tools, the hash %s and without %q; want 1, the hash of the full request, and tools", len(kept.Tools), kept.PathHash, kept.Without)
	}
	if got := s.Give(s.Aside(s.Ann, "2 + 2?")); got != answer.Reused {
		t.Errorf("the same question comes to %q, want %q", got, answer.Reused)
	}
}

// turns returns the turns of a recorded path.
func (s *stage) turns(r *store.Response) []path.Turn {
	s.T.Helper()
	return errtest.Must(s.Store.Responses.Turns(s.Context(), *r))(s.T)
}

func TestAnEqualQuestionIsAnsweredAlike(t *testing.T) {
	s := newStage(t)
	s.Model.Queue(openaitest.Answer("Four."))
	first, second := s.Aside(s.Ann, "2 + 2?"), s.Aside(s.Ann, "2 + 2?")
	if one, two := s.Give(first), s.Give(second); one != answer.Answered || two != answer.Reused {
		t.Errorf("the outcomes are %q and %q, want %q and %q", one, two, answer.Answered, answer.Reused)
	}
	const again = "Four.\n-# Answered before, just now. Reply \"again\" for a new answer."
	if got := s.SaidIn(second.Channel); len(got) != 1 || got[0] != again {
		t.Errorf("the second answer reads %q, want one of them and %q first", got, again)
	}
	given, once := s.Recorded(first.ID)[0], s.Recorded(second.ID)[0]
	if once.Reuses != given.ID || !once.Reused.After(given.Created) {
		t.Errorf("the second answer is recorded as reusing %s at %s, want %s at a time after %s", once.Reuses, once.Reused, given.ID, given.Created)
	}
	if got := s.Answers.Stats(); got.Requests != 2 || got.Misses != 1 || got.Hits != 1 {
		t.Errorf("the counts are %+v, want Requests 2, Misses 1 and Hits 1", got)
	}
}

// TestAReuseIsNoSampleOfItsModel has an answer given again when one more of the model's own
// would be enough to rank others by.
func TestAReuseIsNoSampleOfItsModel(t *testing.T) {
	s := newStage(t)
	const enough = 20
	rank := func() *float64 {
		t.Helper()
		return errtest.Must(s.Store.Responses.Rank(s.Context(), "test-model", 0.5))(s.T)
	}
	for range enough - 2 {
		rank()
	}
	s.Model.Queue(certain("Four."))
	first, second := s.Aside(s.Ann, "2 + 2?"), s.Aside(s.Ann, "2 + 2?")
	s.Give(first)
	s.Give(second)
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
	s.Give(first)
	if got := s.With().Give(second); got != answer.Reused {
		t.Fatalf("the outcome is %q, want %q", got, answer.Reused)
	}
	second.Cause = answer.Checked
	if got := s.With().Give(second); got != answer.Found {
		t.Fatalf("the outcome is %q, want %q", got, answer.Found)
	}
	s.Record(second.ID)
	if got := s.SaidIn(second.Channel); len(got) != 1 {
		t.Errorf("heddle says %q, want one of them", got)
	}
	first.Cause = answer.Checked
	if got := s.With().Give(first); got != answer.Found {
		t.Errorf("the first question's outcome is %q, want %q", got, answer.Found)
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
	s.Give(s.Aside(s.Ann, "2 + 2?"))
	q := s.Aside(s.Ann, "2 + 2?")
	gate := make(chan struct{})
	held := s.Discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteCreateMessage), GateAfter: gate})
	came, drop := s.under(q)
	errtest.None(s.T, held.Await(s.Context(), 1))
	drop(conversation.ErrQuestionGone)
	errtest.Must(s.Store.Deletions.Forget(s.Context(), s.Scope(), q.Channel, []graph.MessageID{q.ID}))(t)
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
	s.Give(s.Aside(s.Ann, "2 + 2?"))
	second, third := s.Aside(s.Ann, "2 + 2?"), s.Aside(s.Ann, "2 + 2?")
	s.Give(second)
	s.Give(third)
	one, two := s.Record(second.ID), s.Record(third.ID)
	if two.Reuses != one.Reuses || reply.Notice(phrases.In(), &two) != phrases.In().NoticeReused(0) {
		t.Errorf("the second reuse is one of %s, the first one of %s, want the same", two.Reuses, one.Reuses)
	}
}
