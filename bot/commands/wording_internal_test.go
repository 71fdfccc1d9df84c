package commands

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// TestEveryReasonHasItsWords words each kind of reason that a message can have.
func TestEveryReasonHasItsWords(t *testing.T) {
	reference := func(kind graph.ReferenceKind) store.Because {
		return store.Because{Kind: graph.ReasonReference, Reference: kind, Link: 0.5}
	}
	answer := func(kind graph.ReferenceKind) store.Because {
		return store.Because{Kind: graph.ReasonAnswer, Reference: kind, Link: 0.5}
	}
	weak := reference(graph.ReferenceInferred)
	weak.Link = 0.09
	least := weak
	least.Link = 0.1
	for _, test := range []struct {
		because store.Because
		from    string
		same    bool
		asked   bool
		want    string
	}{
		{because: store.Because{Kind: graph.ReasonSeed}, want: "among the newest"},
		{because: store.Because{Kind: graph.ReasonTemporal, Gap: 90}, from: "ann", want: "next to ann, 1 minute apart"},
		{because: store.Because{Kind: graph.ReasonTemporal, Gap: 59}, want: "next to another message, 59 seconds apart"},
		{because: store.Because{Kind: graph.ReasonTemporal, Gap: 2 * 3600, Belongs: 1}, asked: true, want: "next to the question, 2 hours apart"},
		{because: store.Because{Kind: graph.ReasonTemporal, Gap: 24 * 3600}, asked: true, want: "next to the question, 1 day apart"},
		{because: store.Because{Kind: graph.ReasonLineage}, want: "from an earlier question of this conversation"},
		{because: reference(graph.ReferenceReply), from: "a*b", want: `a\*b replies to it`},
		{because: answer(graph.ReferenceReply), from: "ann", want: "replies to ann"},
		{because: reference(graph.ReferenceStarter), want: "the thread starts with it"},
		{because: reference(graph.ReferenceForward), from: "ann", want: "ann forwards it"},
		{because: reference(graph.ReferenceLink), asked: true, from: "ann", want: "the question links to it"},
		{because: answer(graph.ReferenceLink), from: "ann", want: "links to ann"},
		{because: reference(graph.ReferenceInferred), from: "ann", want: "ann likely answers it"},
		{because: answer(graph.ReferenceAddress), from: "ann", want: "likely answers ann"},
		{because: reference(graph.ReferenceInferred), from: "ann", same: true, want: "ann likely continues it"},
		{because: answer(graph.ReferenceInferred), from: "ann", same: true, want: "likely continues ann"},
		{because: weak, from: "ann", same: true, want: "perhaps belongs with ann"},
		{because: least, from: "ann", want: "ann perhaps answers it"},
		{because: store.Because{Kind: graph.ReasonSeed, Belongs: 0.724}, want: "among the newest · likely belongs"},
		{because: store.Because{Kind: graph.ReasonSeed, Belongs: 0.999}, want: "among the newest · surely belongs"},
	} {
		told := &explanation{guild: 1, language: phrases.In("en-US")}
		r := &reason{message: graph.Message{ID: 3, Channel: 2, Name: "bob", Text: "so it is"}, because: test.because, from: test.from, same: test.same, asked: test.asked}
		want := "[bob](<https://discord.com/channels/1/2/3>) so it is\n-# " + test.want
		_, got, _ := strings.Cut(told.section(phrases.WhyConversation, []reason{*r})[0], "\n")
		if got != want {
			t.Errorf("a message because of %+v reads %q, want %q", test.because, got, want)
		}
		_, beside, _ := strings.Cut(told.section(phrases.WhyBackground, []reason{*r})[0], "\n")
		if want, _, _ := strings.Cut(want, " · "); beside != want {
			t.Errorf("background because of %+v reads %q, want %q", test.because, beside, want)
		}
	}
}

// TestAnExplanationTellsWhatIsLeftOutAndWhatAnswered words explanations of several answers.
func TestAnExplanationTellsWhatIsLeftOutAndWhatAnswered(t *testing.T) {
	certain := func(value float64) *store.Response {
		r := &store.Response{Output: store.Output{Confidence: &store.Confidence{Value: value, Raw: true}}}
		r.Model = "m_1"
		return r
	}
	used, reused := certain(0.7), certain(0.3)
	used.Usage.Prompt, used.Usage.Completion = 5, 2
	reused.Reuses, reused.Usage.Prompt = store.ResponseID{9}, 5
	said := []reason{{message: graph.Message{ID: 3, Name: "ann", Text: "so it is"}, because: store.Because{Kind: graph.ReasonSeed}}}
	for name, test := range map[string]struct {
		e    explanation
		want string
	}{
		"a question alone": {explanation{}, "**What I would answer this from**\nThe question alone: nothing before it belongs to it."},
		"what nobody may see": {
			explanation{unseen: 2}, "**What I would answer this from**\n2 messages are not shown: they were deleted, or you are not allowed to read them.",
		},
		"what was left out": {
			explanation{conversation: said, response: used, left: map[path.LeftReason]int{path.LeftFulfilled: 1, path.LeftUncertain: 2, path.LeftOverBudget: 3}},
			"**What this answer was made from**\n**The conversation (1)**\n[ann](<https://discord.com/channels/@me/0/3>) so it is\n-# among the newest\n" +
				"1 message was left out: the file made for it is there.\n2 messages were left out: they are old, and the model was unsure of the answers.\n" +
				"3 messages were left out: they did not fit.\n-# m\\_1, 7 tokens\n-# The model was sure of it.",
		},
		"an answer given before": {
			explanation{background: said, response: reused},
			"**What this answer was made from**\n**Background, from other talks (1)**\n[ann](<https://discord.com/channels/@me/0/3>) so it is\n-# among the newest\n" +
				"-# m\\_1, already given to the same question\n-# The model was fairly sure of it.",
		},
		"where reading ended": {
			explanation{unseen: 1, response: certain(0.29), stops: []store.Stop{
				{Why: graph.SealGap, Gap: 120},
				{Why: graph.SealGap, Gap: 120},
				{Why: graph.SealAffinity},
				{Why: graph.SealChannel, Direction: graph.Newer},
				{Why: graph.SealChannel, Direction: graph.Older},
				{Why: graph.SealBudget},
				{Why: graph.SealUnreadable},
				{Why: graph.SealTrigger},
			}},
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
