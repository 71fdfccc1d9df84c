package retention

import (
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"heddle/graph"
	"heddle/graph/recall"
)

// nearest is the number of exchanges that are found by their embeddings.
const nearest = 8

// meant returns the exchanges outside of the path that heddle recalls for a trigger
// with the help of a simulated embedding model.
func (t *told) meant(held []graph.Message, trigger *graph.Message, room int) []recall.Match {
	if t.meanings == nil {
		for from := 0; from < len(held); from += 2 {
			t.meanings = append(t.meanings, recall.Meaning{Anchor: held[from].ID, Values: recall.Rounded(standIn(textOf(held[from : from+2])))})
		}
	}
	sent := make(map[graph.MessageID]bool, len(t.built.Messages))
	for i := range t.built.Messages {
		sent[t.built.Messages[i].ID] = true
	}
	places := make(map[graph.MessageID]recall.Match)
	for from := 0; from < len(held); from += 2 {
		places[held[from].ID] = recall.Match{From: from, To: from + 2}
	}
	var sharing []recall.Scored
	for _, match := range matching(held, trigger, t.built) {
		sharing = append(sharing, recall.Scored{Anchor: held[match.From].ID, Score: match.Score})
	}
	near := recall.Near(standIn(trigger.Text), t.meanings, trigger.ID, nearest)
	near = slices.DeleteFunc(near, func(s recall.Scored) bool { return sent[s.Anchor] })
	var matches []recall.Match
	for _, s := range recall.Fuse(sharing, near) {
		matches = append(matches, places[s.Anchor])
	}
	return fitting(held, matches, room)
}

// standIn simulates an embedding model. It counts substrings of four characters, and
// treats the words for one concept as equal. A real model knows more concepts and is
// less sure of each. The measurements therefore show what heddle does with vectors, and
// not how good the vectors of any model are.
func standIn(text string) []float32 {
	const (
		dimensions = 256
		gram       = 4
		weight     = 4 // weight of a concept, in substrings
	)
	vector := make([]float32, dimensions)
	text = strings.ToLower(text)
	for i := range max(len(text)-gram+1, 0) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(text[i : i+gram])) // it never fails
		vector[h.Sum32()%dimensions]++
	}
	for i, words := range [...][]string{{"train", "station", "platform"}, {"locker", "pool", "swimming", "swam"}} {
		for _, word := range words {
			if strings.Contains(text, word) {
				vector[i] += weight * float32(len(word))
			}
		}
	}
	length := 0.0
	for _, x := range vector {
		length += float64(x * x)
	}
	for i := range vector {
		vector[i] /= float32(math.Sqrt(max(length, 1)))
	}
	return vector
}
