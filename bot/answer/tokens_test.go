package answer_test

import (
	"slices"
	"strings"
	"testing"

	"heddle/bot/tools"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// estimating is the choice of a count that is an estimate.
func estimating(c *setup) {
	c.from.Budget, c.from.Count, c.from.Estimated = 10*tightBudget, words, true
}

// charged is a whole answer for which the provider counted so many tokens.
func charged(prompt int) openaitest.Reply {
	r := openaitest.Answer("Yes.")
	r.Usage = &openaitest.Usage{Prompt: prompt, Completion: 1}
	return r
}

// ratios returns what is remembered of the provider's counts.
func (s *stage) ratios() []float64 {
	s.t.Helper()
	ratios, err := s.Store.Measures.Ratios(s.ctx, "test-model")
	s.must(err)
	return ratios
}

func TestTheProvidersCountsAreRemembered(t *testing.T) {
	t.Parallel()
	s := newStage(t, estimating)
	s.ask(s.Ann, "and?", charged(400))
	counted := len(strings.Fields(strings.Join(s.asked(), " "))) - 1 - 2 - 6 // without labels
	got := s.ratios()
	if want := 400 / float64(counted); len(got) != 1 || got[0] < want*0.95 || got[0] > want*1.05 {
		t.Errorf("remembered are %v, want about %v", got, want)
	}
}

func TestCountsThatTellNothingAreNotRemembered(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		choices []choice
		draft   discordtest.Draft
		replies []openaitest.Reply
	}{
		"an exact count":  {[]choice{estimating, func(c *setup) { c.from.Estimated = false }}, discordtest.Draft{}, []openaitest.Reply{charged(400)}},
		"no count":        {[]choice{estimating, func(c *setup) { c.from.Count, c.from.Budget = nil, 0 }}, discordtest.Draft{}, []openaitest.Reply{charged(400)}},
		"none reported":   {[]choice{estimating}, discordtest.Draft{}, []openaitest.Reply{openaitest.Answer("Yes.")}},
		"out of reason":   {[]choice{estimating}, discordtest.Draft{}, []openaitest.Reply{charged(1_000_000)}},
		"several at once": {[]choice{estimating, withTool(momentary)}, discordtest.Draft{}, []openaitest.Reply{look(), charged(400)}},
		"left out":        {[]choice{estimating, withTool(momentary)}, discordtest.Draft{}, []openaitest.Reply{openaitest.Reject("tools"), charged(400)}},
		"a picture":       {[]choice{estimating, seeing}, discordtest.Draft{Attachments: []discordtest.Attachment{picture(2)}}, []openaitest.Reply{charged(400)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, test.choices...)
			test.draft.Content = "and?"
			s.askWith(s.Ann, test.draft, test.replies...)
			if got := s.ratios(); len(got) != 0 {
				t.Errorf("remembered are %v", got)
			}
		})
	}
}

// TestAnotherProcessKnowsTheProvidersCounts has a provider count far more than heddle,
// so that less fits.
func TestAnotherProcessKnowsTheProvidersCounts(t *testing.T) {
	t.Parallel()
	costly := func(c *setup) { c.from.Budget, c.from.Count, c.from.Estimated = tightBudget, words, true }
	s := newStage(t, costly)
	for range 8 {
		s.say(s.Bob, strings.Repeat("word ", 40))
	}
	id := s.say(s.Ann, "what was that?")
	s.Model.Queue(openaitest.Answer("Words."), openaitest.Answer("Fewer words."))
	job := reply(s.question(id))
	job.Fresh = true
	s.giveBy(s.another(costly), job)
	before := len(s.asked())
	_, err := s.Store.Measures.AddRatio(s.ctx, "test-model", 2)
	s.must(err)
	s.giveBy(s.another(costly), job)
	if after := len(s.asked()); after >= before {
		t.Errorf("twice as costly, a request holds %d messages instead of %d", after, before)
	}
}

func TestToolsTakeTheirShareOfTheBudget(t *testing.T) {
	t.Parallel()
	var left []int
	for _, choices := range [][]choice{{tight(false)}, {tight(false), wordy}} {
		s := newStage(t, choices...)
		for range 8 {
			s.say(s.Bob, strings.Repeat("word ", 60))
		}
		s.ask(s.Ann, "what was that?", openaitest.Answer("Words."))
		left = append(left, len(s.asked()))
	}
	if !slices.IsSortedFunc(left, func(a, b int) int { return b - a }) || left[0] == left[1] {
		t.Errorf("without and with tools the requests hold %v messages", left)
	}
}

// described is a tool with a long description.
type described struct{ looking }

func (d described) Spec() path.Tool {
	spec := d.looking.Spec()
	spec.Description = strings.Repeat("look ", 200)
	return spec
}

// wordy is the choice of a tool with a long description.
func wordy(c *setup) {
	c.Loop = tools.NewLoop(c.Model, []tools.Tool{described{momentary}}, tools.Limits{}, nil)
}
