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
	var tails [2]string
	for i, percent := range []int{0, 10} {
		other := s.With(func(c *roomtest.Parts) { c.Conversation.Recall = percent })
		s.Model.Queue(openaitest.Answer("Very."))
		if i == 0 {
			other.Give(s.Question(question))
		} else {
			errtest.Must(other.Again(s.Last().ID))(t)
		}
		tails[i] = s.Tail()
		asked[i] = slices.DeleteFunc(s.Asked(), func(text string) bool { return text == tails[i] })
	}
	if !slices.Equal(asked[0], asked[1]) {
		t.Errorf("without recall the path is\n%q, with it\n%q\nwant the same", asked[0], asked[1])
	}
	for i, comes := range []bool{false, true} {
		if strings.Contains(tails[i], "1280") != comes {
			t.Errorf("the tail is %q, want the older message in it: %t", tails[i], comes)
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
	if tail := s.Tail(); !strings.Contains(tail, "It is blue.") || strings.Contains(tail, "of others") {
		t.Errorf("the tail is %q, want the asker's own exchange in it alone", tail)
	}
}
