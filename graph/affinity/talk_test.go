package affinity_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"heddle/graph"
)

// randomTalk returns so many messages of a channel in which people address each other,
// also before they have spoken.
func randomTalk(random *rand.Rand, n int) []*graph.Message {
	words := []string{"printer", "jam", "tray", "rope", "why?", "https://a.example", "日本語", "ok", "the", "a_b", "@x", "Kiln", "kilns", "🙂"}
	messages := make([]*graph.Message, n)
	at := time.Unix(1_800_000_000, 0)
	for i := range messages {
		at = at.Add(time.Duration(random.ExpFloat64() * float64(time.Minute)))
		m := &graph.Message{
			ID: graph.MessageID(i + 1), Channel: 3, Author: graph.UserID(1 + random.IntN(3+i/6)), Time: at,
			Origin: graph.Origin(random.IntN(3)),
		}
		for range random.IntN(9) {
			m.Text += words[random.IntN(len(words))] + " "
		}
		for range random.IntN(3) {
			m.References = append(m.References, graph.Reference{Kind: graph.ReferenceAddress, User: graph.UserID(1 + random.IntN(6+i/6))})
		}
		if random.IntN(5) == 0 {
			m.References = append(m.References, graph.Reference{Kind: graph.ReferenceReply, Message: graph.MessageID(random.IntN(i + 1))})
		}
		if m.Origin == graph.OriginSelf && i > 0 {
			m.Answers = graph.MessageID(1 + random.IntN(i))
		}
		messages[i] = m
	}
	return messages
}

// TestAMentionChangesNoEarlierRow compares the rows before mentions by one person that say
// different things at different times.
func TestAMentionChangesNoEarlierRow(t *testing.T) {
	model := shipped(t)
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 12))
		window := randomTalk(random, 2+random.IntN(110))
		last := len(window) - 1
		want := model.Links(window)
		mention := *window[last]
		mention.Text, mention.References = "the printer jams, ok? "+window[last/2].Text, nil
		mention.Time = mention.Time.Add(time.Duration(1+random.IntN(600)) * time.Minute)
		window[last] = &mention
		got := model.Links(window)
		for j := range last {
			if !slices.Equal(got.Row(j), want.Row(j)) {
				t.Fatalf("channel %d: another mention changes row %d of %d, want the same", seed, j, len(window))
			}
		}
	}
}
