package evaluation_test

import (
	"slices"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/evaluation"
)

// talk returns one message a minute by the authors in turn.
func talk(authors ...graph.UserID) []graph.Message {
	messages := make([]graph.Message, len(authors))
	for i, author := range authors {
		messages[i] = graph.Message{ID: graph.MessageID(10 * (i + 1)), Author: author, Time: time.Unix(int64(60*i), 0)}
	}
	return messages
}

func TestFixedStrategies(t *testing.T) {
	messages := talk(1, 2, 3, 4, 5)
	messages[1].System = true
	messages[4].References = []graph.Reference{{Kind: graph.ReferenceReply, Message: messages[3].ID}}
	sight := evaluation.Sight{Before: messages[:4], Trigger: messages[4]}
	for name, c := range map[string]struct {
		strategy evaluation.Strategy
		want     []int
	}{
		"last 2":          {evaluation.Last(2), []int{2, 3}},
		"last 10":         {evaluation.Last(10), []int{0, 2, 3}},
		"two minutes":     {evaluation.Window(2*time.Minute, 30), []int{2, 3}},
		"two minutes, 1":  {evaluation.Window(2*time.Minute, 1), []int{3}},
		"the reply chain": {evaluation.ReplyChain(30), []int{3}},
	} {
		if got, err := c.strategy(sight); err != nil || !slices.Equal(got.Conversation, c.want) {
			t.Errorf("%s takes %v, %v, want %v and no error", name, got.Conversation, err, c.want)
		}
	}
	messages[3].Author, messages[2].Author = 9, 9
	if got, err := evaluation.ReplyChain(30)(sight); err != nil || !slices.Equal(got.Conversation, []int{2, 3}) {
		t.Errorf("the chain goes on to the same person's message before: %v, %v, want %v and no error", got.Conversation, err, []int{2, 3})
	}
}

func TestAReplyToWhatIsNotThereEndsTheChain(t *testing.T) {
	messages := talk(1, 1)
	messages[1].References = []graph.Reference{{Kind: graph.ReferenceReply, Message: 7}}
	chosen, err := evaluation.ReplyChain(30)(evaluation.Sight{Before: messages[:1], Trigger: messages[1]})
	if err != nil || len(chosen.Conversation) != 0 {
		t.Errorf("took %+v, want none in Conversation", chosen)
	}
}
