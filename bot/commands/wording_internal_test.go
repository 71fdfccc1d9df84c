package commands

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// TestAMessageIsCitedWithTheReason explains an answer by two messages that it was made from, of
// the conversation and of the background.
func TestAMessageIsCitedWithTheReason(t *testing.T) {
	ann, bob := graph.Message{ID: 3, Channel: 2, Author: 1, Name: "a*n", Text: "so"}, graph.Message{ID: 4, Channel: 2, Author: 2, Name: "bob", Text: "it is"}
	for belongs, want := range map[float64]string{0: "", 0.3: " · perhaps belongs", 0.724: " · likely belongs", 0.999: " · surely belongs", 1: ""} {
		for title, position := range map[phrases.ID]int{"why_conversation": 1, "why_background": 0} {
			told := &explanation{guild: 1, language: phrases.In("en-US")}
			told.made(&store.Response{Standing: store.Standing{Trigger: 9}, Input: store.Input{
				Sources: []store.SourceRef{{Message: 3, Position: position}, {Message: 4, Position: position}, {Message: 8}},
				Context: &store.Context{Because: []store.Because{
					{Kind: graph.ReasonReference, Reference: graph.ReferenceReply, From: 2, Belongs: belongs}, {Kind: graph.ReasonAnswer, From: 1, Belongs: belongs}, {},
				}},
			}}, map[graph.MessageID]*graph.Message{3: &ann, 4: &bob})
			got, want := told.pages()[0], want
			if position == 0 {
				want = ""
			}
			for _, line := range []string{
				told.say(title, phrases.Values{"Count": 2}), "[a\\*n](<https://discord.com/channels/1/2/3>) so\n-# bob replies to it" + want + "\n",
				"[bob](<https://discord.com/channels/1/2/4>) it is\n-# replies to a\\*n" + want + "\n", "1 message is not shown",
			} {
				if !strings.Contains(got, line) {
					t.Errorf("a message that belongs with %v reads\n%s\nwant %q in it", belongs, got, line)
				}
			}
		}
	}
}

// TestAnExplanationTellsWhatIsLeftOutAndWhatAnswered words explanations of several answers.
func TestAnExplanationTellsWhatIsLeftOutAndWhatAnswered(t *testing.T) {
	certain := func(value float64) *store.Response {
		r := &store.Response{Output: store.Output{Confidence: &store.Confidence{Rank: &value}}}
		r.Model = "m_1"
		return r
	}
	used, reused := certain(0.7), certain(0.3)
	used.Usage.Prompt, used.Usage.Completion = 5, 2
	reused.Reuses, reused.Usage.Prompt = store.ResponseID{9}, 5
	said := []graph.Node{{Message: &graph.Message{ID: 3, Name: "ann", Text: "so it is"}, Reasons: []graph.Reason{{Kind: graph.ReasonSeed}}}}
	for name, test := range map[string]struct {
		e    explanation
		want string
	}{
		"a question alone": {explanation{}, "**What I would answer this from**\nThe question alone: nothing before it belongs to it."},
		"what nobody may see": {
			explanation{unseen: 2}, "**What I would answer this from**\n2 messages are not shown: they were deleted, or you are not allowed to read them.",
		},
		"what was left out": {
			explanation{graph: graph.Graph{Conversation: said}, response: used, left: map[path.LeftReason]int{path.LeftFulfilled: 1, path.LeftUncertain: 2, path.LeftOverBudget: 3}},
			"**What this answer was made from**\n**The conversation (1)**\n[ann](<https://discord.com/channels/@me/0/3>) so it is\n-# among the newest\n" +
				"1 message was left out: the file made for it is there.\n2 messages were left out: they are old, and the model was unsure of the answers.\n" +
				"3 messages were left out: they did not fit.\n-# m\\_1, 7 tokens\n-# The model was sure of it.",
		},
		"an answer given before": {
			explanation{graph: graph.Graph{Background: said}, response: reused},
			"**What this answer was made from**\n**Background, from other talks (1)**\n[ann](<https://discord.com/channels/@me/0/3>) so it is\n-# among the newest\n" +
				"-# m\\_1, already given to the same question\n-# The model was fairly sure of it.",
		},
		"where reading ended": {
			explanation{unseen: 1, response: certain(0.29), graph: graph.Graph{Seals: []graph.Seal{
				{Why: graph.SealGap, Gap: 2 * time.Minute},
				{Why: graph.SealGap, Gap: 2 * time.Minute},
				{Why: graph.SealAffinity},
				{Why: graph.SealChannel, Direction: graph.Newer},
				{Why: graph.SealChannel, Direction: graph.Older},
				{Why: graph.SealBudget},
				{Why: graph.SealUnreadable},
				{Why: graph.SealTrigger},
			}}},
			"**What this answer was made from**\n1 message is not shown: it was deleted, or you are not allowed to read it.\n" +
				"Reading stopped at: a pause of 2 minutes, other talks, the beginning of the channel, the limit on messages, what I'm not allowed to read.\n" +
				"-# m\\_1\n-# The model was unsure of it.",
		},
	} {
		if got := test.e.pages(); len(got) != 1 || got[0] != test.want {
			t.Errorf("%s reads %q, want %q", name, got, test.want)
		}
	}
}

// TestPagesTearNoBlock joins blocks into pages, to the character.
func TestPagesTearNoBlock(t *testing.T) {
	half := strings.Repeat("é", pageSize/2)
	for name, test := range map[string]struct{ blocks, want []string }{
		"nothing":        {[]string{"", ""}, []string{""}},
		"a page":         {[]string{half[2:], "", half}, []string{half[2:] + "\n" + half}},
		"one more":       {[]string{half, half}, []string{half, half}},
		"a block alone":  {[]string{half + half + half}, []string{half + half + half}},
		"one and a rest": {[]string{half + half, "a", "b"}, []string{half + half, "a\nb"}},
	} {
		got := paged(test.blocks)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: there are %d pages, the first of %d characters, want %d", name, len(got), utf8.RuneCountInString(got[0]), len(test.want))
		}
	}
}
