package affinity_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"heddle/graph"
)

// BenchmarkLinksOfManyChannels judges channel after channel, as mentions come: no
// branch of one is foretold by the one before.
func BenchmarkLinksOfManyChannels(b *testing.B) {
	model := shipped(b)
	random := rand.New(rand.NewPCG(3, 5))
	windows := make([][]*graph.Message, 64)
	for i := range windows {
		windows[i] = long(101)
		random.Shuffle(101, func(a, b int) {
			w := windows[i]
			w[a].Text, w[b].Text, w[a].Author, w[b].Author = w[b].Text, w[a].Text, w[b].Author, w[a].Author
			w[a].References, w[b].References = w[b].References, w[a].References
		})
		at := windows[i][0].Time
		for _, m := range windows[i] {
			at = at.Add(time.Duration(random.ExpFloat64() * float64(time.Minute)))
			m.Time = at
		}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		model.Links(windows[i%len(windows)])
	}
}
