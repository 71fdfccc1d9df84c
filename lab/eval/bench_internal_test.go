package eval

import (
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/internal/errtest"
	"heddle/internal/evaluation"
)

// BenchmarkSelection chooses the context of one trigger in a warm, busy channel.
func BenchmarkSelection(b *testing.B) {
	people := strings.Fields("ann bob cyd dan eve fay gus hal ida jon")
	words := strings.Fields("printer rope tray climbing hall jam roller sheet kernel disk mount fstab reboot driver screen cable")
	messages := make([]graph.Message, 300)
	for i := range messages {
		m := &messages[i]
		*m = graph.Message{
			ID: evaluation.MessageID(i), Channel: evaluation.LogChannel, Author: graph.UserID(1 + i*7%10), Name: people[i*7%10],
			Time: time.Unix(int64(i*40+i%7*3), 0),
		}
		for k := range 4 + i%9 {
			m.Text += words[(i*5+k*k*3)%len(words)] + " "
		}
		if i%3 == 0 {
			m.References = []graph.Reference{{Kind: graph.ReferenceAddress, Channel: evaluation.LogChannel, User: graph.UserID(1 + i*3%10)}}
		}
	}
	model := errtest.Must(affinity.Default())(b)
	options := graph.DefaultOptions()
	options.Affinity = model
	strategy := evaluation.Heddle(options)
	sight := evaluation.Sight{Before: messages[:299], Trigger: messages[299]}
	b.ReportAllocs()
	for b.Loop() {
		errtest.Must(strategy(sight))(b)
	}
}
