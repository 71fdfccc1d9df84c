package evaluation

import (
	"slices"
	"testing"

	"heddle/graph"
)

// TestThePingOfAHiddenReplyIsHidden hides replies. The ping that Discord adds to a
// reply must be hidden as well. A name in the text may stay, because everybody can read
// it.
func TestThePingOfAHiddenReplyIsHidden(t *testing.T) {
	reply := graph.Reference{Kind: graph.ReferenceReply, Message: MessageID(0)}
	ping, other := graph.Reference{Kind: graph.ReferenceAddress, User: 7}, graph.Reference{Kind: graph.ReferenceAddress, User: 8}
	for text, want := range map[string][]graph.Reference{
		"yes":            {other},
		"@bob what now?": {other},
		"@ann what now?": {ping, other},
	} {
		messages := []graph.Message{{ID: MessageID(0), Author: 7, Name: "ann"}, {ID: MessageID(1), Author: 9, Text: text, References: []graph.Reference{reply, ping, other}}}
		hidden := hiddenReplies(&Log{Messages: messages, IDs: []string{"1", "2"}})
		if len(hidden) != 1 || !slices.Equal(hidden[0].Needed, []int{0}) || len(hidden[0].Sight.Before) != 1 {
			t.Fatalf("%+v are hidden, want the second message, which needs the first", hidden)
		}
		if got := hidden[0].Sight.Trigger.References; !slices.Equal(got, want) {
			t.Errorf("%q: %v is left, want %v", text, got, want)
		}
		if len(messages[1].References) != 3 {
			t.Fatalf("%q: the message in the log has lost references, want three", text)
		}
	}
}
