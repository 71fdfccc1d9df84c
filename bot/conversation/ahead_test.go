package conversation_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/internal/discord"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
)

// judge records what a model is asked about.
type judge struct {
	*affinity.Model

	judged chan struct{} // a token for each time that messages were judged ahead

	mu    sync.Mutex
	ahead []graph.Message // judged ahead last
	asked []graph.Message // the last window that links were asked of
}

func (j *judge) Ahead(before []*graph.Message) graph.Links {
	links := j.Model.Ahead(before)
	j.mu.Lock()
	j.ahead = copied(before)
	j.mu.Unlock()
	select {
	case j.judged <- struct{}{}:
	default:
	}
	return links
}

func (j *judge) Links(window []*graph.Message) graph.Links {
	j.mu.Lock()
	j.asked = copied(window)
	j.mu.Unlock()
	return j.Model.Links(window)
}

func copied(messages []*graph.Message) []graph.Message {
	var values []graph.Message
	for _, m := range messages {
		values = append(values, *m)
	}
	return values
}

// await waits until messages were judged ahead of which the last says this, and returns
// them.
func (j *judge) await(s *stage, text string) []graph.Message {
	s.T.Helper()
	for {
		j.mu.Lock()
		n := len(j.ahead)
		ahead := j.ahead
		j.mu.Unlock()
		if n > 0 && ahead[n-1].Text == text {
			return ahead
		}
		select {
		case <-j.judged:
		case <-s.Context().Done():
			s.T.Fatalf("%q is not judged ahead", text)
		}
	}
}

// judging returns a stage that judges ahead while the test runs.
func judging(t *testing.T) (*stage, *judge) {
	t.Helper()
	model, err := affinity.Default()
	if err != nil {
		t.Fatal(err)
	}
	j := &judge{Model: model, judged: make(chan struct{}, 1)}
	s := newStage(t, func(_ *roomtest.Parts, c *roomtest.Settings) {
		c.Conversation.Expand.Affinity, c.Conversation.Ahead = j, j
	})
	s.Running()
	return s, j
}

// TestAQuestionFindsItsChannelJudged asks twice. What is judged ahead of the second
// question is exactly what is judged with it, heddle's own answer as it was given included.
func TestAQuestionFindsItsChannelJudged(t *testing.T) {
	t.Parallel()
	s, j := judging(t)
	for i := range 130 {
		s.Say(s.Bob, fmt.Sprint("thread ", i))
	}
	s.Ask(s.Ann, "which thread?", openaitest.Answer("The **blue** one."))
	s.Say(s.Bob, "or the red one")
	ahead := j.await(s, "or the red one")
	s.Ask(s.Ann, "the blue one?", openaitest.Answer("Yes."))
	j.mu.Lock()
	defer j.mu.Unlock()
	before := j.asked[:len(j.asked)-1]
	if len(before) != 100 || !slices.EqualFunc(before, ahead, func(a, b graph.Message) bool { return a.ID == b.ID && a.Text == b.Text }) {
		t.Errorf("%d messages are judged with the question, %d were judged ahead, want the same 100", len(before), len(ahead))
	}
}

// TestWhatIsDeletedIsNotKeptJudged deletes a message after it was judged.
func TestWhatIsDeletedIsNotKeptJudged(t *testing.T) {
	t.Parallel()
	s, j := judging(t)
	s.Ask(s.Ann, "which thread?", openaitest.Answer("The blue one."))
	id := s.Say(s.Bob, "the secret one")
	j.await(s, "the secret one")
	last := s.Say(s.Bob, "the last one")
	j.await(s, "the last one")
	s.History.Delete(discord.Delete{Channel: s.Channel, Messages: []graph.MessageID{id, last}})
	j.await(s, "The blue one.")
}
