package conversation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
)

// TestWhatIsRecalledStandsInTheTailAlone asks the same question with and without recall.
func TestWhatIsRecalledStandsInTheTailAlone(t *testing.T) {
	s := newStage(t)
	s.Say(s.Bob, "the kiln reaches 1280 degrees")
	for i := range 130 {
		s.Say([]graph.UserID{s.Ann, s.Bob}[i%2], fmt.Sprintf("cup %d of tea", i%10))
	}
	question := s.Say(s.Ann, "how hot is the kiln?")
	var asked [2][]string
	for i, percent := range []int{0, 10} {
		other := s.With(func(c *roomtest.Parts) { c.Conversation.Recall = percent })
		s.Model.Queue(openaitest.Answer("Very."))
		if i == 0 {
			other.Give(s.Question(question))
		} else {
			errtest.Must(other.Again(s.Last().ID))(t)
		}
		asked[i] = s.Asked()
	}
	end := len(asked[0]) - 1
	if len(asked[1]) != end+1 || !slices.Equal(asked[0][:end], asked[1][:end]) {
		t.Errorf("without recall the path is\n%q, with it\n%q\nwant the same up to the tail", asked[0], asked[1])
	}
	for i, comes := range []bool{false, true} {
		if strings.Contains(asked[i][end], "1280") != comes {
			t.Errorf("the tail is %q, want the older message in it: %t", asked[i][end], comes)
		}
	}
}

// TestWhatWasTalkedAboutWithHeddleComesBackForLess shares a word with an earlier question of the
// asker's, and with what others said of it.
func TestWhatWasTalkedAboutWithHeddleComesBackForLess(t *testing.T) {
	s := newStage(t, func(c *roomtest.Parts) { c.Conversation.Recall = 10 })
	s.Ask(s.Ann, "what of the glaze?", openaitest.Answer("It is blue."))
	for i := range 130 {
		text := fmt.Sprintf("cup %d of tea", i%10)
		if i%25 == 0 {
			text = "the glaze of others"
		}
		s.Say(s.Bob, text)
	}
	s.Ask(s.Ann, "which glaze?", openaitest.Answer("The blue one."))
	asked := s.Asked()
	if tail := asked[len(asked)-1]; !strings.Contains(tail, "It is blue.") || strings.Contains(tail, "of others") {
		t.Errorf("the tail is %q, want the asker's own exchange in it alone", tail)
	}
}
