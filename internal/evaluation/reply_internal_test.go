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
		replies, parents := hideable(messages)
		if !slices.Equal(replies, []int{1}) || !slices.Equal(parents, []int{0}) {
			t.Fatalf("replies %v to %v, want %v and %v", replies, parents, []int{1}, []int{0})
		}
		if got := HideReply(messages, 1, 0).Trigger.References; !slices.Equal(got, want) {
			t.Errorf("%q: %v is left, want %v", text, got, want)
		}
		if len(messages[1].References) != 3 {
			t.Fatalf("%q: the message in the log has lost references, want three", text)
		}
	}
}

// TestOneReplyRecommendsNothing compares settings that find one reply more, and two.
func TestOneReplyRecommendsNothing(t *testing.T) {
	found := func(replies, most int) Tried {
		return Tried{Thresholds: &Thresholds{MaxTotal: most}, Parents: Parents{Replies: 20, InSent: float64(replies) / 20, Sent: 10}}
	}
	now := found(17, 30)
	if got := recommend(now, []Tried{found(18, 60)}); got.Thresholds != now.Thresholds {
		t.Errorf("for one reply of 20, %v is recommended, want what is set", got.Thresholds)
	}
	if got := recommend(now, []Tried{found(19, 60)}); got.Thresholds == now.Thresholds {
		t.Error("for two replies of 20, what is set is recommended, want the other")
	}
}
