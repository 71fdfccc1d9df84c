package answer_test

import (
	"context"
	"testing"
	"time"

	"heddle/bot/answer"
	"heddle/bot/tools"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/store"
)

// aside asks something in a thread of its own, where nothing was said before.
func (s *stage) aside(author graph.UserID, text string) answer.Question {
	s.t.Helper()
	thread := s.thread(discordtest.ThreadDraft{})
	return s.questionIn(thread, s.PostIn(thread, author, discordtest.Draft{Content: text}))
}

// giveBy answers a job by other Answers than the stage's.
func (s *stage) giveBy(answers *answer.Answers, job answer.Job) answer.Outcome {
	s.t.Helper()
	p, err := answers.Prepare(s.ctx, job)
	s.must(err)
	outcome, err := answers.Give(s.ctx, s.Log, p)
	s.must(err)
	return outcome
}

func TestAnEqualQuestionIsAnsweredAlike(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.Model.Queue(openaitest.Answer("Four."))
	first, second := s.aside(s.Ann, "2 + 2?"), s.aside(s.Ann, "2 + 2?")
	if one, two := s.give(reply(first)), s.give(reply(second)); one != answer.Answered || two != answer.Reused {
		t.Errorf("the outcomes are %q and %q", one, two)
	}
	const again = "Four.\n-# Answered before, just now. Reply \"again\" for a new answer."
	if got := s.said(second.Channel); len(got) != 1 || got[0] != again {
		t.Errorf("the second answer reads %q", got)
	}
	if got := s.answers.Stats(); got.Requests != 2 || got.Misses != 1 || got.Hits != 1 {
		t.Errorf("the counts are %+v", got)
	}
}

// TestAnAnswerIsGivenAgainOnlyIfAllIsEqual changes one thing at a time.
func TestAnAnswerIsGivenAgainOnlyIfAllIsEqual(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		settings func(*setup)
		question func(s *stage, job *answer.Job)
		text     string
		bob      bool
		want     answer.Outcome
	}{
		"nothing differs":             {want: answer.Reused},
		"the text differs":            {text: "2 + 3?", want: answer.Answered},
		"another person asks":         {bob: true, want: answer.Answered},
		"the system prompt differs":   {settings: func(c *setup) { c.from.System = "Be brief." }, want: answer.Answered},
		"the length limit differs":    {settings: func(c *setup) { c.from.Options.MaxTokens = 100 }, want: answer.Answered},
		"the temperature differs":     {settings: func(c *setup) { c.from.Options.Temperature = new(0.5) }, want: answer.Answered},
		"the answer is too old":       {settings: func(c *setup) { c.answer.ReuseFor = time.Nanosecond }, want: answer.Answered},
		"nothing is to be reused":     {settings: func(c *setup) { c.answer.ReuseFor = 0 }, want: answer.Answered},
		"a fresh answer is wanted":    {question: func(_ *stage, job *answer.Job) { job.Fresh = true }, want: answer.Answered},
		"it is asked in another room": {question: func(s *stage, job *answer.Job) { job.Place.Scope = store.ChannelScope(s.Guild, job.Channel) }, want: answer.Answered},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.Model.Queue(openaitest.Answer("Four."), openaitest.Answer("Four, again."))
			s.give(reply(s.aside(s.Ann, "2 + 2?")))
			text, asker := "2 + 2?", s.Ann
			if test.text != "" {
				text = test.text
			}
			if test.bob {
				asker = s.Bob
			}
			job := reply(s.aside(asker, text))
			if test.question != nil {
				test.question(s, &job)
			}
			answers := s.another(func(c *setup) {
				if test.settings != nil {
					test.settings(c)
				}
			})
			if got := s.giveBy(answers, job); got != test.want {
				t.Errorf("the outcome is %q, want %q", got, test.want)
			}
		})
	}
}

// looking is a tool whose results are those of a test.
type looking func(context.Context, tools.Call) (tools.Result, error)

func (looking) Spec() path.Tool { return path.Tool{Name: "look", Schema: `{"type":"object"}`} }

func (looking) Independent() bool { return false }

func (l looking) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	return l(ctx, call)
}

// withTool lets the model call a tool.
func withTool(tool looking) choice {
	return func(c *setup) {
		c.Loop = tools.NewLoop(c.Model, []tools.Tool{tool}, tools.Limits{}, nil)
	}
}

func look() openaitest.Reply {
	return openaitest.Call(openaitest.ToolCall{ID: "c", Name: "look", Arguments: "{}"})
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
		"of this time": {[]openaitest.Reply{look(), openaitest.Answer("Four today.")}, false},
	}
}

func momentary(context.Context, tools.Call) (tools.Result, error) {
	return tools.Result{Text: "It is noon.", Once: true}, nil
}

// TestOnlyWholeAnswersAreGivenToThoseWhoWait has somebody wait in the same process
// while the model answers.
func TestOnlyWholeAnswersAreGivenToThoseWhoWait(t *testing.T) {
	t.Parallel()
	for name, test := range kinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, withTool(momentary))
			gate := make(chan struct{})
			replies := test.replies
			replies[0].Wait = gate
			s.Model.Queue(replies...)
			leading, waiting := reply(s.aside(s.Ann, "2 + 2?")), s.prepare(reply(s.aside(s.Ann, "2 + 2?")))
			given := s.giving(s.answers, leading)
			s.awaitRequest()
			response, joined := s.answers.Follow(waiting)
			if !joined {
				t.Fatal("an equal question does not wait")
			}
			close(gate)
			shared, err := response(s.ctx)
			s.must(err)
			<-given
			if (shared != nil) != test.shared {
				t.Errorf("those who wait are given %+v", shared)
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
			s := newStage(t, withTool(momentary))
			gate := make(chan struct{})
			replies := test.replies
			replies[0].Wait = gate
			s.Model.Queue(append(replies, openaitest.Answer("Four, in any case."))...)
			given := s.giving(s.answers, reply(s.aside(s.Ann, "2 + 2?")))
			s.awaitRequest()
			other := s.another(withTool(momentary))
			second := s.giving(other, reply(s.aside(s.Ann, "2 + 2?")))
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

// giving answers a job in a goroutine of its own. The result is its outcome.
func (s *stage) giving(answers *answer.Answers, job answer.Job) <-chan answer.Outcome {
	given := make(chan answer.Outcome, 1)
	go func() {
		p, err := answers.Prepare(s.ctx, job)
		if err == nil {
			var outcome answer.Outcome
			if outcome, err = answers.Give(s.ctx, s.Log, p); err == nil {
				given <- outcome
				return
			}
		}
		given <- answer.Outcome("error: " + err.Error())
	}()
	return given
}

// awaitRequest waits until the model is asked.
func (s *stage) awaitRequest() {
	s.t.Helper()
	if _, err := s.Model.Await(s.ctx, 1); err != nil {
		s.t.Fatalf("the model was not asked: %v", err)
	}
}

func TestAHundredWhoAskTheSameAskTheModelOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.Model.Queue(openaitest.Answer("Four."))
	all := make([]<-chan answer.Outcome, 100)
	for i := range all {
		all[i] = s.giving(s.answers, reply(s.aside(s.Ann, "2 + 2?")))
	}
	outcomes := make(map[answer.Outcome]int)
	for _, one := range all {
		outcomes[<-one]++
	}
	if outcomes[answer.Answered] != 1 || outcomes[answer.Reused] != 99 || len(s.Model.Requests()) != 1 {
		t.Errorf("the outcomes are %v, of %d requests", outcomes, len(s.Model.Requests()))
	}
	if got := s.answers.Stats(); got.Requests != 100 || got.Misses != 1 || got.Hits+got.Coalesced != 99 {
		t.Errorf("the counts are %+v", got)
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
	given := s.giving(s.answers, reply(s.aside(s.Ann, "2 + 2?")))
	s.awaitRequest()
	for name, answers := range map[string]*answer.Answers{"the same process": s.answers, "another process": s.another()} {
		q := s.aside(s.Ann, "2 + 2?")
		p := s.prepare(reply(q))
		ctx, drop := context.WithCancelCause(s.ctx)
		drop(work.ErrQuestionGone)
		if outcome, err := answers.Give(ctx, s.Log, p); outcome != answer.Dropped || err != nil || len(s.said(q.Channel)) != 0 {
			t.Errorf("in %s a deleted question comes to %q, %v, %q", name, outcome, err, s.said(q.Channel))
		}
		if got := answers.Stats(); got.Bypassed != 0 {
			t.Errorf("in %s a wait that ended counts as an outage: %+v", name, got)
		}
	}
	close(gate)
	if got := <-given; got != answer.Answered {
		t.Errorf("the question that led comes to %q", got)
	}
}

func TestToolsThatTheProviderRejectsAreNoPartOfThePath(t *testing.T) {
	t.Parallel()
	s := newStage(t, withTool(momentary))
	s.Model.Queue(openaitest.Reject("tools"), openaitest.Answer("Four."))
	q := s.aside(s.Ann, "2 + 2?")
	s.give(reply(q))
	kept := s.record(q.ID)
	if len(kept.Tools) != 0 || kept.PathHash != (path.Path{Turns: s.turns(&kept), Options: kept.Options}).Hash() {
		t.Errorf("the path is recorded with %d tools", len(kept.Tools))
	}
	if got := s.give(reply(s.aside(s.Ann, "2 + 2?"))); got != answer.Reused {
		t.Errorf("the next path has tools again: %q", got)
	}
}

// turns returns the turns of a recorded path.
func (s *stage) turns(r *store.Response) []path.Turn {
	s.t.Helper()
	turns, err := s.Store.Responses.Turns(s.ctx, *r)
	s.must(err)
	return turns
}
