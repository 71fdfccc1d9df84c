package training

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/internal/chatlog"
)

// pressed returns a log in which every third message is shown as a reply.
func pressed(n int) *chatlog.Log {
	log := &chatlog.Log{Name: "pressed", Path: "club/dev/pressed.jsonl", Gold: make([]chatlog.Gold, n)}
	for i := range n {
		m := graph.Message{ID: chatlog.MessageID(i), Channel: chatlog.Channel, Author: graph.UserID(1 + i%4), Time: time.Unix(int64(60*i), 0), Text: "so it is"}
		if i%3 == 2 {
			m.References = chatlog.WithReply(nil, i-2)
			log.Replies++
		}
		log.Messages, log.IDs = append(log.Messages, m), append(log.IDs, strconv.Itoa(i))
	}
	return log
}

// TestMessagesWithoutRepliesWeighAsMuchAsRepliesAreHidden adds up, over many
// variations, the weights of hidden replies and of messages without a reply. If a
// lesson hides no replies, messages without a reply must have no weight, or they would
// teach that nothing is answered.
func TestMessagesWithoutRepliesWeighAsMuchAsRepliesAreHidden(t *testing.T) {
	log := pressed(100)
	c := &community{logs: []*chatlog.Log{log}, shown: &affinity.Shown{}}
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
		t.Errorf("messages without a reply weigh %.2f on average, want %.2f within 0.05, the share of replies that are hidden, and at most 0.9", got, want)
	}
}
