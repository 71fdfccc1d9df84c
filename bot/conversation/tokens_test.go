package conversation_test

import (
	"slices"
	"strings"
	"testing"

	"heddle/bot/tools"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
)

// estimating is the roomtest.Choice of a count that is an estimate.
func estimating(_ *roomtest.Parts, c *roomtest.Settings) {
	c.Conversation.Budget, c.Conversation.Count, c.Conversation.Estimated = 10*tightBudget, roomtest.Words, true
}

// charged is a whole answer for which the provider counted so many tokens.
func charged(prompt int) openaitest.Reply {
	r := openaitest.Answer("Yes.")
	r.Usage = &openaitest.Usage{Prompt: prompt, Completion: 1}
	return r
}

// ratios returns what is remembered of the provider's counts.
func (s *stage) ratios() []float64 {
	s.T.Helper()
	ratios, err := s.Store.Measures.Ratios(s.Context(), "test-model")
	s.Must(err)
	return ratios
}

func TestTheProvidersCountsAreRemembered(t *testing.T) {
	t.Parallel()
	s := newStage(t, estimating)
	s.Ask(s.Ann, "and?", charged(400))
	counted := len(strings.Fields(strings.Join(s.Asked(), " "))) - 1 - 2 - 6 // without labels
	got := s.ratios()
	if want := 400 / float64(counted); len(got) != 1 || got[0] < want*0.95 || got[0] > want*1.05 {
		t.Errorf("remembered are %v, want about %v", got, want)
	}
}

func TestCountsThatTellNothingAreNotRemembered(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		choices []roomtest.Choice
		draft   discordtest.Draft
		replies []openaitest.Reply
	}{
		"an exact count":  {[]roomtest.Choice{estimating, func(_ *roomtest.Parts, c *roomtest.Settings) { c.Conversation.Estimated = false }}, discordtest.Draft{}, []openaitest.Reply{charged(400)}},
		"no count":        {[]roomtest.Choice{estimating, func(_ *roomtest.Parts, c *roomtest.Settings) { c.Conversation.Count, c.Conversation.Budget = nil, 0 }}, discordtest.Draft{}, []openaitest.Reply{charged(400)}},
		"none reported":   {[]roomtest.Choice{estimating}, discordtest.Draft{}, []openaitest.Reply{openaitest.Answer("Yes.")}},
		"out of reason":   {[]roomtest.Choice{estimating}, discordtest.Draft{}, []openaitest.Reply{charged(1_000_000)}},
		"several at once": {[]roomtest.Choice{estimating, roomtest.WithTool(roomtest.Momentary)}, discordtest.Draft{}, []openaitest.Reply{roomtest.Look(), charged(400)}},
		"left out":        {[]roomtest.Choice{estimating, roomtest.WithTool(roomtest.Momentary)}, discordtest.Draft{}, []openaitest.Reply{openaitest.Reject("tools"), charged(400)}},
		"a picture":       {[]roomtest.Choice{estimating, roomtest.Seeing}, discordtest.Draft{Attachments: []discordtest.Attachment{roomtest.Picture(2)}}, []openaitest.Reply{charged(400)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, test.choices...)
			test.draft.Content = "and?"
			s.AskWith(s.Ann, test.draft, test.replies...)
			if got := s.ratios(); len(got) != 0 {
				t.Errorf("remembered are %v, want none", got)
			}
		})
	}
}

// TestAnotherProcessKnowsTheProvidersCounts has a provider count far more than heddle,
// so that less fits.
func TestAnotherProcessKnowsTheProvidersCounts(t *testing.T) {
	t.Parallel()
	costly := func(_ *roomtest.Parts, c *roomtest.Settings) {
		c.Conversation.Budget, c.Conversation.Count, c.Conversation.Estimated = tightBudget, roomtest.Words, true
	}
	s := newStage(t, costly)
	for range 8 {
		s.Say(s.Bob, strings.Repeat("word ", 40))
	}
	id := s.Say(s.Ann, "what was that?")
	s.Model.Queue(openaitest.Answer("Words."), openaitest.Answer("Fewer words."))
	job := roomtest.Reply(s.Question(id))
	job.Fresh = true
	s.GiveBy(s.Another(costly), job)
	before := len(s.Asked())
	_, err := s.Store.Measures.AddRatio(s.Context(), "test-model", 2)
	s.Must(err)
	s.GiveBy(s.Another(costly), job)
	if after := len(s.Asked()); after >= before {
		t.Errorf("twice as costly, a request holds %d messages instead of %d", after, before)
	}
}

func TestToolsTakeTheirShareOfTheBudget(t *testing.T) {
	t.Parallel()
	var left []int
	for _, choices := range [][]roomtest.Choice{{tight(false)}, {tight(false), wordy}} {
		s := newStage(t, choices...)
		for range 8 {
			s.Say(s.Bob, strings.Repeat("word ", 60))
		}
		s.Ask(s.Ann, "what was that?", openaitest.Answer("Words."))
		left = append(left, len(s.Asked()))
	}
	if !slices.IsSortedFunc(left, func(a, b int) int { return b - a }) || left[0] == left[1] {
		t.Errorf("without and with tools the requests hold %v messages, want fewer with more tools", left)
	}
}

// described is a tool with a long description.
type described struct{ roomtest.Looking }

func (d described) Spec() path.Tool {
	spec := d.Looking.Spec()
	spec.Description = strings.Repeat("look ", 200)
	return spec
}

// wordy is the roomtest.Choice of a tool with a long description.
func wordy(c *roomtest.Parts, _ *roomtest.Settings) {
	c.Tools = []tools.Tool{described{roomtest.Momentary}}
}
