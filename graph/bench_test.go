package graph_test

import (
	"testing"

	"heddle/graph"
)

// BenchmarkExpand expands 30 messages from a source that holds everything. The
// world's size must not show.
func BenchmarkExpand(b *testing.B) {
	for _, size := range []int{1_000, 10_000} {
		b.Run(graph.MessageID(size).String(), func(b *testing.B) {
			k := newTalk(1, size)
			k.options = graph.DefaultOptions()
			k.options.Parent = 2
			s := &source{world: k.world, order: inOrder}
			b.ReportAllocs()
			for b.Loop() {
				g, err := graph.Expand(s, k.trigger, k.options)
				if err != nil || len(g.Conversation) != 30 {
					b.Fatalf("%d messages, %v, want 30 and no error", len(g.Conversation), err)
				}
			}
		})
	}
}

// fixed is an affinity that costs nothing: every message answers the one before,
// or the fourth before.
type fixed map[int]graph.Links

func (f fixed) Links(window []*graph.Message) graph.Links {
	links, made := f[len(window)]
	if !made {
		links = graph.NewLinks(len(window))
		for j := range window {
			row := links.Row(j)
			for back, p := range map[int]float32{1: 0.6, 4: 0.2, 9: 0.1, 30: 0.01} {
				if back <= j {
					row[j-back] = p
				}
			}
		}
		f[len(window)] = links
	}
	return links
}

// BenchmarkExpandWithAffinity is what an expansion with an affinity costs beside
// the affinity itself.
func BenchmarkExpandWithAffinity(b *testing.B) {
	k := newTalk(1, 10_000)
	k.options = graph.DefaultOptions()
	k.options.Affinity = fixed{}
	s := &source{world: k.world, order: inOrder}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := graph.Expand(s, k.trigger, k.options); err != nil {
			b.Fatal(err)
		}
	}
}
