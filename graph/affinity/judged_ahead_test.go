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

// TestWhatIsJudgedAheadIsWhatIsJudgedAtTheMention compares both for random channels, in
// models that have judged others before.
func TestWhatIsJudgedAheadIsWhatIsJudgedAtTheMention(t *testing.T) {
	ahead, atOnce := shipped(t), shipped(t)
	for seed := range uint64(120) {
		random := rand.New(rand.NewPCG(seed, 11))
		window := randomTalk(random, 1+random.IntN(115))
		last := len(window) - 1
		ahead.Ahead(window[:last])
		got, want := ahead.Links(window), atOnce.Links(window)
		for j := range window {
			if !slices.Equal(got.Row(j), want.Row(j)) {
				t.Fatalf("channel %d: row %d of %d differs if it is judged ahead, want the same", seed, j, len(window))
			}
		}
	}
}

// TestTheTriggerChangesNoEarlierRow compares the rows before different triggers.
func TestTheTriggerChangesNoEarlierRow(t *testing.T) {
	model := shipped(t)
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 12))
		window := randomTalk(random, 2+random.IntN(110))
		last := len(window) - 1
		want := model.Links(window)
		window[last] = randomTalk(random, len(window))[last]
		got := model.Links(window)
		for j := range last {
			if !slices.Equal(got.Row(j), want.Row(j)) {
				t.Fatalf("channel %d: another trigger changes row %d of %d, want the same", seed, j, len(window))
			}
		}
	}
}

// TestOnlyTheSameMessagesHaveBeenJudgedAhead changes one thing at a time in a message
// after it was judged.
func TestOnlyTheSameMessagesHaveBeenJudgedAhead(t *testing.T) {
	changes := map[string]func(*graph.Message){
		"its text":        func(m *graph.Message) { m.Text = "qqqqqqq qqq qqqq" },
		"its author":      func(m *graph.Message) { m.Author = 77 },
		"its time":        func(m *graph.Message) { m.Time = m.Time.Add(time.Hour) },
		"a file":          func(m *graph.Message) { m.Attachments = []graph.Attachment{{ID: 1}} },
		"its origin":      func(m *graph.Message) { m.Origin = (m.Origin + 1) % 3 },
		"whom it calls":   func(m *graph.Message) { m.References = []graph.Reference{{Kind: graph.ReferenceAddress, User: 2}} },
		"what it replies": func(m *graph.Message) { m.References = []graph.Reference{{Message: 3}} },
		"what it answers": func(m *graph.Message) { m.Origin, m.Answers = graph.OriginSelf, 4 },
		"its id":          func(m *graph.Message) { m.ID = 10_000 },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			ahead, atOnce := shipped(t), shipped(t)
			window := randomTalk(rand.New(rand.NewPCG(5, 5)), 60)
			window[40].Text = "printer jam tray" // as long as what it is changed to
			ahead.Ahead(window[:59])
			changed := *window[40]
			change(&changed)
			window[40] = &changed
			got, want := ahead.Links(window), atOnce.Links(window)
			for j := range window {
				if !slices.Equal(got.Row(j), want.Row(j)) {
					t.Fatalf("row %d is that of the message before its change, want another", j)
				}
			}
		})
	}
}
