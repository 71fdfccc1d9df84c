package why

import (
	"reflect"
	"testing"

	"heddle/fetch"
	"heddle/graph"
)

// TestAMessageOfALogSurvivesTheWire sends messages of a log as Discord would. heddle must
// read them as they were, with all that they refer to.
func TestAMessageOfALogSurvivesTheWire(t *testing.T) {
	to := []graph.Reference{{Kind: graph.ReferenceReply, Channel: 1, Message: 4}, {Kind: graph.ReferenceAddress, Channel: 1, User: 9}}
	files := []graph.Attachment{{ID: 3, Name: "log.txt", Type: "text/plain", Size: 7}}
	names := map[graph.UserID]string{9: "bob"}
	for _, m := range []graph.Message{
		{ID: 5, Channel: 1, Author: 7, Name: "ann", Text: "yes", References: to[:1]},
		{ID: 5, Channel: 1, Author: 7, Name: "ann", Text: "@bob yes", References: to[1:]},
		{ID: 5, Channel: 1, Author: 8, Name: "bot", Text: "yes", Origin: graph.OriginBot},
		{ID: 5, Channel: 1, Author: 7, Name: "ann", Text: "@bob, here", References: to, Attachments: files},
		{ID: 5, Channel: 1, Author: 7, Name: "ann", Text: "write to me@a.example", References: []graph.Reference{{Kind: graph.ReferenceAddress, Channel: 1, User: 10}}},
	} {
		got := fetch.Render(wire(&m, names), 0)
		if got.Text != m.Text || got.Name != m.Name || got.Author != m.Author || got.Origin != m.Origin || got.System || !reflect.DeepEqual(got.References, m.References) || !reflect.DeepEqual(got.Attachments, m.Attachments) {
			t.Errorf("%+v arrives as %+v, want it as it was", m, got)
		}
	}
	if got := fetch.Render(wire(&graph.Message{ID: 5, System: true}, nil), 0); !got.System {
		t.Errorf("a notice arrives as %+v, want a notice", got)
	}
}
