package recall_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/graph/recall"
)

// TestAnIndexFindsWhatComparingEveryMessageFinds adds, edits and deletes messages at
// random, and compares with the function that looks at each message.
func TestAnIndexFindsWhatComparingEveryMessageFinds(t *testing.T) {
	t.Parallel()
	pieces := strings.Fields("kiln oven a_b a.b.c 会議 it's x 42 ß İ the the the and and deploy.yml deployment deployed @x probably")
	for seed := range uint64(150) {
		random := rand.New(rand.NewPCG(seed, 3))
		said := func() string {
			var words []string
			for range random.IntN(12) {
				words = append(words, pieces[random.IntN(len(pieces))])
			}
			return strings.Join(words, " ")
		}
		held := map[graph.MessageID]graph.Message{}
		index := recall.NewIndex()
		for step := range 120 {
			id := graph.MessageID(1 + random.IntN(80))
			if old, known := held[id]; known {
				index.Remove(&old)
				delete(held, id)
			}
			if random.IntN(4) > 0 {
				m := graph.Message{ID: id, Name: "Ann", Text: said()}
				if id > 1 && random.IntN(3) == 0 {
					m.Origin, m.Answers = graph.OriginSelf, graph.MessageID(1+random.IntN(int(id)-1))
				}
				held[id] = m
				index.Add(&m)
			}
			if step%10 != 9 {
				continue
			}
			before := graph.MessageID(1 + random.IntN(100))
			compareFinds(t, index, held, said(), before)
		}
	}
}

// compareFinds compares what an index finds before a message with what Find does.
func compareFinds(t *testing.T, index *recall.Index, held map[graph.MessageID]graph.Message, question string, before graph.MessageID) {
	t.Helper()
	var messages []graph.Message
	for _, m := range held {
		if m.Position().Anchor < before {
			messages = append(messages, m)
		}
	}
	slices.SortFunc(messages, func(a, b graph.Message) int { return a.Position().Compare(b.Position()) })
	q := recall.Query{Trigger: &graph.Message{ID: 1 << 20, Text: question}, Least: least(1.5), Most: 1000}
	var want []recall.Scored
	for _, match := range recall.Find(messages, q) {
		want = append(want, recall.Scored{Anchor: messages[match.From].Position().Anchor, Score: match.Score})
	}
	if got := index.Find(recall.WordsOf(q.Trigger), before, 1.5); !slices.Equal(got, want) {
		t.Fatalf("%q before %v among %d messages: the index finds %v, want %v as by comparing", question, before, len(messages), got, want)
	}
}

func BenchmarkIndex(b *testing.B) {
	for _, n := range []int{200, 4_000} {
		held := benchmarked(n)
		index := recall.NewIndex()
		for i := range held {
			index.Add(&held[i])
		}
		words := recall.WordsOf(benchmarkQuestion().Trigger)
		b.Run("find/"+graph.MessageID(n).String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				index.Find(words, 1<<40, recall.LeastOwn)
			}
		})
		b.Run("replace/"+graph.MessageID(n).String(), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m := &held[i%n]
				index.Remove(m)
				index.Add(m)
			}
		})
	}
}
