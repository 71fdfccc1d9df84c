package evaluation

import (
	"fmt"
	"testing"
	"time"

	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/internal/chatlog"
	"heddle/internal/selection"
)

// BenchmarkChain selects the context of a reply to a chain of 25 replies, with 40
// messages of others between each two of them.
func BenchmarkChain(b *testing.B) {
	const length, apart = 25, 41
	messages := make([]graph.Message, length*apart+1)
	for i := range messages {
		m := &messages[i]
		*m = graph.Message{
			ID: chatlog.MessageID(i), Channel: chatlog.Channel, Author: graph.UserID(1 + i%7), Name: "ann",
			Time: time.Unix(int64(i*60), 0), Text: fmt.Sprintf("line %d of the log, about %d", i, i%11),
		}
		if i > 0 && i%apart == 0 {
			m.References = chatlog.WithReply(nil, i-apart)
		}
	}
	model, err := affinity.Default()
	if err != nil {
		b.Fatal(err)
	}
	options := graph.DefaultOptions()
	options.Affinity = model
	sight := selection.Sight{Before: messages[:len(messages)-1], Trigger: messages[len(messages)-1]}
	b.ReportAllocs()
	for b.Loop() {
		chosen, err := expand{options}.Select(sight)
		if err != nil || len(chosen.Conversation) < length {
			b.Fatalf("%d messages, %v, want at least %d and no error", len(chosen.Conversation), err, length)
		}
	}
}
