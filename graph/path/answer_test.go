package path_test

import (
	"slices"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/graph/path"
)

func TestAPathContinuesTheNewestAnswerOrTheOneRepliedTo(t *testing.T) {
	long := answered(6, 5)
	long.Parts = []graph.MessageID{7}
	linked := answered(8, 5)
	linked.Channel = 99
	messages := []graph.Message{asked(1), answered(2, 1), asked(3), answered(4, 3), asked(5), long, linked}
	pointing := func(kind graph.ReferenceKind) graph.Message {
		m := asked(9)
		m.References = []graph.Reference{{Kind: kind, Message: 2}}
		return m
	}
	for name, test := range map[string]struct {
		trigger  graph.Message
		recorded []graph.MessageID
		want     graph.MessageID
	}{
		"the newest":                      {asked(9), []graph.MessageID{2, 4, 6}, 6},
		"the newest on record":            {asked(9), []graph.MessageID{2, 4}, 4},
		"known by a part":                 {asked(9), []graph.MessageID{2, 7}, 6},
		"the one replied to":              {replying(asked(9), 2), []graph.MessageID{2, 4, 6}, 2},
		"the one replied to by a part":    {replying(asked(9), 7), []graph.MessageID{2, 6}, 6},
		"the one forwarded":               {pointing(graph.ReferenceForward), []graph.MessageID{2, 4, 6}, 2},
		"not the one linked to":           {pointing(graph.ReferenceLink), []graph.MessageID{2, 4, 6}, 6},
		"not replied to one without":      {replying(asked(9), 2), []graph.MessageID{4}, 4},
		"a person's message is no answer": {asked(9), []graph.MessageID{1, 3, 5}, 0},
		"its own channel's":               {asked(9), []graph.MessageID{2, 8}, 2},
		"another channel's for want":      {asked(9), []graph.MessageID{8}, 8},
	} {
		g := conversation(test.trigger, messages...)
		for i := range g.Conversation {
			g.Conversation[i].Probability = 1
		}
		got, probability := path.Predecessor(g, func(id graph.MessageID) bool {
			return slices.Contains(test.recorded, id)
		})
		if got != test.want || (probability > 0) != (test.want != 0) {
			t.Errorf("%s: %s, %g, want %s", name, got, probability, test.want)
		}
		if replied := strings.HasPrefix(name, "the one"); replied != (probability == 1) {
			t.Errorf("%s: the probability is %g, want 1 for a reply alone", name, probability)
		}
	}
}

func TestPositionsAreKeptForGood(t *testing.T) {
	lineage := path.Lineage{Positions: map[graph.MessageID]int{3: 7, 4: 8, 5: 12}}
	built := path.Build(conversation(asked(9), asked(2), asked(3), asked(4), answered(6, 5), asked(5), asked(8)), path.Shape{Lineage: lineage})
	// 2 is found late before all of them, and 6 stands behind its request.
	if want := []int{0, 7, 8, 12, 13, 14, 15}; !slices.Equal(built.Positions, want) {
		t.Errorf("the positions of %v are %v, want %v", ids(built), built.Positions, want)
	}
}

func TestOfSeveralAnswersToOneQuestionOneIsShown(t *testing.T) {
	messages := []graph.Message{asked(1), answered(2, 1), asked(3), answered(4, 3), asked(5), answered(6, 5), asked(7)}
	again := map[graph.MessageID]path.Answer{2: {Trigger: 1}, 4: {Trigger: 1}, 6: {Trigger: 1}} // 3 and 5 asked again
	for name, test := range map[string]struct {
		trigger graph.Message
		answers map[graph.MessageID]path.Answer
		want    []uint64
	}{
		"the one sent last":           {asked(9), again, []uint64{1, 6, 7, 9}},
		"the one replied to":          {replying(asked(9), 4), again, []uint64{1, 4, 7, 9}},
		"the first, where replied to": {replying(asked(9), 2), again, []uint64{1, 2, 7, 9}},
		"all that is on no record":    {asked(9), nil, []uint64{1, 2, 3, 4, 5, 6, 7, 9}},
		"answers of their own":        {asked(9), map[graph.MessageID]path.Answer{2: {Trigger: 1}, 4: {Trigger: 3}}, []uint64{1, 2, 3, 4, 5, 6, 7, 9}},
	} {
		if got := ids(path.Build(conversation(test.trigger, messages...), path.Shape{Answers: test.answers})); !slices.Equal(got, test.want) {
			t.Errorf("%s: the path shows %v, want %v", name, got, test.want)
		}
	}
}
