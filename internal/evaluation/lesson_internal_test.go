package evaluation

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"heddle/graph/affinity"
)

// pressed returns a log in which every third message is shown as a reply.
func pressed(n int) *Log {
	b := newBuilder("pressed", "club/dev/pressed.jsonl")
	for i := range n {
		seconds := float64(60 * i)
		r := record{ID: strconv.Itoa(i), Seconds: &seconds, Author: strconv.Itoa(i % 4), Text: "so it is"}
		if i%3 == 2 {
			to := strconv.Itoa(i - 2)
			r.ReplyTo = &to
		}
		b.add(&r)
	}
	return b.finish()
}

// TestMessagesWithoutRepliesWeighAsMuchAsRepliesAreHidden adds up, over many
// variations, the weights of hidden replies and of messages without a reply. If a
// lesson hides no replies, messages without a reply must have no weight, or they would
// teach that nothing is answered.
func TestMessagesWithoutRepliesWeighAsMuchAsRepliesAreHidden(t *testing.T) {
	log := pressed(100)
	c := &community{logs: []*Log{log}, shown: &affinity.Shown{}}
	random := rand.New(rand.NewPCG(1, 2))
	replies, hidden, silence, silent := 0, 0, 0.0, 0
	for range 300 {
		shown := lesson{log: log, community: c, end: 99}.show(99, random)
		for k := range log.Messages {
			switch {
			case k%3 != 2:
				silence += float64(shown.Weight[k])
				silent++
			case shown.Weight[k] != 1:
				t.Fatalf("a reply weighs %v, want 1", shown.Weight[k])
			default:
				replies++
				if shown.Hidden[k] {
					hidden++
				}
			}
		}
	}
	want, got := float64(hidden)/float64(replies), silence/float64(silent)
	if want > 0.9 || got < want-0.05 || got > want+0.05 {
		t.Errorf("messages without a reply weigh %.2f on average, and %.2f of the replies are hidden", got, want)
	}
}
