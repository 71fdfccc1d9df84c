package conversation

import (
	"testing"

	"heddle/graph"
)

func TestAgainIsAskedForInOneWordOrSign(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"again": true, "Again!": true, "@heddle again.": true, "🔁": true, "@heddle 🔄": true,
		"": false, "@heddle": false, "again, but shorter": false, "say it again": false,
	} {
		if got := saysAgain(text); got != want {
			t.Errorf("%q asks again: %v, want %v", text, got, want)
		}
	}
}

func TestAgainIsAskedOfTheMessageThatIsRepliedTo(t *testing.T) {
	t.Parallel()
	reply := graph.Reference{Kind: graph.ReferenceReply, Message: 7}
	for name, test := range map[string]struct {
		message graph.Message
		want    graph.MessageID
	}{
		"a reply":                {graph.Message{Text: "again", References: []graph.Reference{reply}}, 7},
		"a reply with more":      {graph.Message{Text: "again", References: []graph.Reference{{Kind: graph.ReferenceAddress}, reply}}, 7},
		"no reply":               {graph.Message{Text: "again"}, 0},
		"a forward":              {graph.Message{Text: "again", References: []graph.Reference{{Kind: graph.ReferenceForward, Message: 7}}}, 0},
		"a reply with a request": {graph.Message{Text: "again, in blue", References: []graph.Reference{reply}}, 0},
	} {
		if got, ok := AsksAgain(&test.message); got != test.want || ok != (test.want != 0) {
			t.Errorf("%s asks for another answer than %s: %t, want %s and %t", name, got, ok, test.want, (test.want != 0))
		}
	}
}
