package answer_test

import (
	"context"
	"testing"
	"time"

	"heddle/bot/answer"
	"heddle/bot/work"
	"heddle/graph/path"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
	"heddle/store"
)

func TestAnEqualQuestionIsAnsweredAlike(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.Model.Queue(openaitest.Answer("Four."))
	first, second := s.Aside(s.Ann, "2 + 2?"), s.Aside(s.Ann, "2 + 2?")
	if one, two := s.Give(roomtest.Reply(first)), s.Give(roomtest.Reply(second)); one != answer.Answered || two != answer.Reused {
		t.Errorf("the outcomes are %q and %q, want %q and %q", one, two, answer.Answered, answer.Reused)
	}
	const again = "Four.\n-# Answered before, just now. Reply \"again\" for a new answer."
	if got := s.SaidIn(second.Channel); len(got) != 1 || got[0] != again {
		t.Errorf("the second answer reads %q, want one of them and %q first", got, again)
	}
	if got := s.Answers.Stats(); got.Requests != 2 || got.Misses != 1 || got.Hits != 1 {
		t.Errorf("the counts are %+v, want Requests 2, Misses 1 and Hits 1", got)
	}
}

// TestAnAnswerIsGivenAgainOnlyIfAllIsEqual changes one thing at a time.
func TestAnAnswerIsGivenAgainOnlyIfAllIsEqual(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		settings func(*roomtest.Settings)
		question func(s *stage, job *answer.Job)
		text     string
		bob      bool
		want     answer.Outcome
	}{
		"nothing differs":             {want: answer.Reused},
		"the text differs":            {text: "2 + 3?", want: answer.Answered},
		"another person asks":         {bob: true, want: answer.Answered},
		"the system prompt differs":   {settings: func(c *roomtest.Settings) { c.Conversation.System = "Be brief." }, want: answer.Answered},
		"the length limit differs":    {settings: func(c *roomtest.Settings) { c.Conversation.Options.MaxTokens = 100 }, want: answer.Answered},
		"the temperature differs":     {settings: func(c *roomtest.Settings) { c.Conversation.Options.Temperature = new(0.5) }, want: answer.Answered},
		"the answer is too old":       {settings: func(c *roomtest.Settings) { c.Answer.ReuseFor = time.Nanosecond }, want: answer.Answered},
		"nothing is to be reused":     {settings: func(c *roomtest.Settings) { c.Answer.ReuseFor = 0 }, want: answer.Answered},
		"a fresh answer is wanted":    {question: func(_ *stage, job *answer.Job) { job.Fresh = true }, want: answer.Answered},
		"it is asked in another room": {question: func(s *stage, job *answer.Job) { job.Place.Scope = store.ChannelScope(s.Guild, job.Channel) }, want: answer.Answered},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.Model.Queue(openaitest.Answer("Four."), openaitest.Answer("Four, again."))
			s.Give(roomtest.Reply(s.Aside(s.Ann, "2 + 2?")))
			text, asker := "2 + 2?", s.Ann
			if test.text != "" {
				text = test.text
			}
			if test.bob {
				asker = s.Bob
			}
			job := roomtest.Reply(s.Aside(asker, text))
			if test.question != nil {
				test.question(s, &job)
			}
			answers := s.Another(func(_ *roomtest.Parts, c *roomtest.Settings) {
				if test.settings != nil {
					test.settings(c)
				}
			})
			if got := s.GiveBy(answers, job); got != test.want {
				t.Errorf("the outcome is %q, want %q", got, test.want)
			}
		})
	}
}

// kinds are the answers that may be given to others, and those that may not.
func kinds() map[string]struct {
	replies []openaitest.Reply
	shared  bool
} {
	cut := openaitest.Answer("Four")
	cut.FinishReason = "length"
	broken := openaitest.Answer("Fo")
	broken.End = openaitest.EndAbort
	filtered := openaitest.Answer("Fo")
	filtered.FinishReason = "content_filter"
	return map[string]struct {
		replies []openaitest.Reply
		shared  bool
	}{
		"whole":        {[]openaitest.Reply{openaitest.Answer("Four.")}, true},
		"truncated":    {[]openaitest.Reply{cut}, false},
		"broken off":   {[]openaitest.Reply{broken}, false},
		"filtered":     {[]openaitest.Reply{filtered}, false},
		"failed":       {[]openaitest.Reply{{Status: 401}}, false},
		"of this time": {[]openaitest.Reply{roomtest.Look(), openaitest.Answer("Four today.")}, false},
	}
}

// TestOnlyWholeAnswersAreGivenToThoseWhoWait has somebody wait in the same process
// while the model answers.
func TestOnlyWholeAnswersAreGivenToThoseWhoWait(t *testing.T) {
	t.Parallel()
	for name, test := range kinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, roomtest.WithTool(roomtest.Momentary))
			gate := make(chan struct{})
			replies := test.replies
			replies[0].Wait = gate
			s.Model.Queue(replies...)
			leading, waiting := roomtest.Reply(s.Aside(s.Ann, "2 + 2?")), s.Prepare(roomtest.Reply(s.Aside(s.Ann, "2 + 2?")))
			given := s.Giving(s.Answers, leading)
			s.AwaitRequest()
			response, joined := s.Answers.Follow(waiting)
			if !joined {
				t.Fatal("an equal question does not wait")
			}
			close(gate)
			shared, err := response(s.Context())
			s.Must(err)
			<-given
			if (shared != nil) != test.shared {
				t.Errorf("those who wait are given %+v, want an answer: %t", shared, test.shared)
			}
		})
	}
}

// TestOnlyWholeAnswersAreGivenToOtherProcesses has somebody wait in another process
// while the model answers.
func TestOnlyWholeAnswersAreGivenToOtherProcesses(t *testing.T) {
	t.Parallel()
	for name, test := range kinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, roomtest.WithTool(roomtest.Momentary))
			gate := make(chan struct{})
			replies := test.replies
			replies[0].Wait = gate
			s.Model.Queue(append(replies, openaitest.Answer("Four, in any case."))...)
			given := s.Giving(s.Answers, roomtest.Reply(s.Aside(s.Ann, "2 + 2?")))
			s.AwaitRequest()
			other := s.Another(roomtest.WithTool(roomtest.Momentary))
			second := s.Giving(other, roomtest.Reply(s.Aside(s.Ann, "2 + 2?")))
			close(gate)
			<-given
			want, requests := answer.Answered, len(replies)+1
			if test.shared {
				want, requests = answer.Reused, len(replies)
			}
			if got := <-second; got != want || len(s.Model.Requests()) != requests {
				t.Errorf("the outcome elsewhere is %q after %d requests, want %q after %d", got, len(s.Model.Requests()), want, requests)
			}
		})
	}
}

func TestAHundredWhoAskTheSameAskTheModelOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.Model.Queue(openaitest.Answer("Four."))
	all := make([]<-chan answer.Outcome, 100)
	for i := range all {
		all[i] = s.Giving(s.Answers, roomtest.Reply(s.Aside(s.Ann, "2 + 2?")))
	}
	outcomes := make(map[answer.Outcome]int)
	for _, one := range all {
		outcomes[<-one]++
	}
	if outcomes[answer.Answered] != 1 || outcomes[answer.Reused] != 99 || len(s.Model.Requests()) != 1 {
		t.Errorf("the outcomes are %v, of %d requests, want 1 for answer.Answered, 99 for answer.Reused and 1", outcomes, len(s.Model.Requests()))
	}
	if got := s.Answers.Stats(); got.Requests != 100 || got.Misses != 1 || got.Hits+got.Coalesced != 99 {
		t.Errorf("the counts are %+v, want one miss among 100 requests", got)
	}
}

// TestAQuestionThatIsDeletedWaitsNoLonger ends the wait for another's answer.
func TestAQuestionThatIsDeletedWaitsNoLonger(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	gate := make(chan struct{})
	slow := openaitest.Answer("Four.")
	slow.Wait = gate
	s.Model.Queue(slow)
	given := s.Giving(s.Answers, roomtest.Reply(s.Aside(s.Ann, "2 + 2?")))
	s.AwaitRequest()
	for name, answers := range map[string]*answer.Answers{"the same process": s.Answers, "another process": s.Another()} {
		q := s.Aside(s.Ann, "2 + 2?")
		p := s.Prepare(roomtest.Reply(q))
		ctx, drop := context.WithCancelCause(s.Context())
		drop(work.ErrQuestionGone)
		if outcome, err := answers.Give(ctx, s.Log, p); outcome != answer.Dropped || err != nil || len(s.SaidIn(q.Channel)) != 0 {
			t.Errorf("in %s a deleted question comes to %q, %v, %q, want %q, no error and none", name, outcome, err, s.SaidIn(q.Channel), answer.Dropped)
		}
		if got := answers.Stats(); got.Bypassed != 0 {
			t.Errorf("in %s a wait that ended counts as an outage: %+v, want Bypassed 0", name, got)
		}
	}
	close(gate)
	if got := <-given; got != answer.Answered {
		t.Errorf("the question that led comes to %q, want %q", got, answer.Answered)
	}
}

func TestToolsThatTheProviderRejectsAreNoPartOfThePath(t *testing.T) {
	t.Parallel()
	s := newStage(t, roomtest.WithTool(roomtest.Momentary))
	s.Model.Queue(openaitest.Reject("tools"), openaitest.Answer("Four."))
	q := s.Aside(s.Ann, "2 + 2?")
	s.Give(roomtest.Reply(q))
	kept := s.Record(q.ID)
	if len(kept.Tools) != 0 || kept.PathHash != (path.Path{Turns: s.turns(&kept), Options: kept.Options}).Hash() {
		t.Errorf("the path is recorded with %d tools and the hash %s, want none and the hash of its turns without tools", len(kept.Tools), kept.PathHash)
	}
	if got := s.Give(roomtest.Reply(s.Aside(s.Ann, "2 + 2?"))); got != answer.Reused {
		t.Errorf("the next path has tools again: %q, want %q", got, answer.Reused)
	}
}

// turns returns the turns of a recorded path.
func (s *stage) turns(r *store.Response) []path.Turn {
	s.T.Helper()
	turns, err := s.Store.Responses.Turns(s.Context(), *r)
	s.Must(err)
	return turns
}
