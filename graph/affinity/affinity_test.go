package affinity_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/internal/errtest"
)

// chat makes messages of lines "author> text", a minute apart. "@name" in a text
// addresses that author.
func chat(lines ...string) []*graph.Message {
	var messages []*graph.Message
	start := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	for i, line := range lines {
		name, text, _ := strings.Cut(line, "> ")
		m := &graph.Message{
			ID: graph.MessageID(i+1) << 22, Channel: 1, Author: user(name), Name: name,
			Time: start.Add(time.Duration(i) * time.Minute), Text: text,
		}
		for word := range strings.FieldsSeq(text) {
			if called, ok := strings.CutPrefix(word, "@"); ok {
				m.References = append(m.References, graph.Reference{Kind: graph.ReferenceAddress, Channel: 1, User: user(called)})
			}
		}
		messages = append(messages, m)
	}
	return messages
}

func user(name string) graph.UserID {
	id := graph.UserID(7)
	for _, r := range name {
		id = id*131 + graph.UserID(r)
	}
	return id
}

func reply(m *graph.Message, to graph.MessageID) {
	m.References = append(m.References, graph.Reference{Kind: graph.ReferenceReply, Channel: 1, Message: to})
}

func twoTalks() []*graph.Message {
	return chat(
		"ann> does anybody know why the printer on floor two keeps jamming?",
		"bob> who is coming to the climbing hall tonight",
		"cyd> @ann did you open the rear tray and look for a torn sheet",
		"dan> @bob me, is eight all right?",
		"ann> @cyd yes, the rear tray is empty",
		"bob> @dan eight is fine, bring the long rope",
		"cyd> @ann then it is the roller, printers of that age all jam",
		"dan> @bob I lent the rope to eve",
	)
}

func shipped(tb testing.TB) *affinity.Model {
	tb.Helper()
	return errtest.Must(affinity.Default())(tb)
}

func TestShippedWeightsPartTwoTalks(t *testing.T) {
	links := shipped(t).Links(twoTalks())
	for j, want := range map[int]int{2: 0, 3: 1, 4: 2, 5: 3, 6: 4, 7: 5} {
		row := links.Row(j)
		best := slices.Index(row, slices.Max(row))
		if best != want {
			t.Errorf("message %d most likely answers %d (%.2f), want %d (%.2f)", j, best, row[best], want, row[want])
		}
	}
}

func TestStartersAndLinksAnswerNothing(t *testing.T) {
	want := shipped(t).Links(twoTalks())
	for _, kind := range []graph.ReferenceKind{graph.ReferenceStarter, graph.ReferenceLink} {
		for _, target := range []graph.MessageID{12345, twoTalks()[0].ID} {
			window := twoTalks()
			window[7].References = append(window[7].References, graph.Reference{Kind: kind, Channel: 2, Message: target})
			same(t, shipped(t).Links(window), want)
		}
	}
}

func TestWhatIsKnownToBeAnsweredIsCertain(t *testing.T) {
	for name, c := range map[string]struct {
		change func(window []*graph.Message)
		to     int
		want   float32
	}{
		"a reply": {func(w []*graph.Message) { reply(w[7], w[0].ID) }, 0, 1},
		"a forward": {func(w []*graph.Message) {
			w[7].References = []graph.Reference{{Kind: graph.ReferenceForward, Channel: 1, Message: w[0].ID}}
		}, 0, 1},
		"a reply to a part": {func(w []*graph.Message) { w[0].Parts = []graph.MessageID{99}; reply(w[7], 99) }, 0, 1},
		"heddle's answer":   {func(w []*graph.Message) { w[7].Origin, w[7].Answers = graph.OriginSelf, w[5].ID }, 5, 1},
		"out of sight":      {func(w []*graph.Message) { reply(w[7], 12345) }, 5, 0},
	} {
		window := twoTalks()
		c.change(window)
		row := shipped(t).Links(window).Row(7)
		if row[c.to] != c.want || slices.Max(slices.Delete(slices.Clone(row), c.to, c.to+1)) != 0 {
			t.Errorf("%s: row %v, want %v for message %d alone", name, row, c.want, c.to)
		}
	}
}

// same fails unless two answers are equal, but for rounding.
func same(t *testing.T, got, want graph.Links) {
	t.Helper()
	for j := range want.Size() {
		for i, p := range want.Row(j) {
			if math.Abs(float64(got.Row(j)[i]-p)) > 1e-3 {
				t.Fatalf("link from %d to %d: %v, want %v", j, i, got.Row(j)[i], p)
			}
		}
	}
}

// cyrillic writes every letter of a text with one of another alphabet.
func cyrillic(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'а'
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'А'
		}
		return r
	}, text)
}

// TestWhatTellsNothingDoesNotMatter changes the pace of a busy channel, names, ids and channels,
// and the alphabet.
func TestWhatTellsNothingDoesNotMatter(t *testing.T) {
	begun := twoTalks()[0].Time
	paced := func(scale float64) func(*graph.Message) {
		return func(m *graph.Message) { m.Time = begun.Add(time.Duration(float64(m.Time.Sub(begun)) * scale)) }
	}
	want := shipped(t).Links(twoTalks())
	for name, change := range map[string]func(*graph.Message){
		"sixty times as fast": paced(1.0 / 60), "ten times": paced(0.1), "twice": paced(0.5), "slower": paced(1.5),
		"the alphabet": func(m *graph.Message) { m.Text = cyrillic(m.Text) },
		"what people are called": func(m *graph.Message) {
			m.ID += 1 << 40
			m.Channel += 5
			m.Author ^= 0xffff
			m.Name = "x"
			for k := range m.References {
				m.References[k].User ^= 0xffff
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			window := twoTalks()
			for _, m := range window {
				change(m)
			}
			same(t, shipped(t).Links(window), want)
		})
	}
}

func TestEmptyAndOddWindowsAreTaken(t *testing.T) {
	model := shipped(t)
	if size := model.Links(nil).Size(); size != 0 {
		t.Errorf("links of %d messages, want none", size)
	}
	model.Links(chat("ann> "))
	odd := chat("ann> ", "ann> \x00", "bob> ￾￾", "bob> "+strings.Repeat("@", 5000), "eve> "+strings.Repeat("日本語", 3000))
	for _, m := range odd {
		m.Time = time.Time{}
		m.Author = 1
	}
	for j := range odd {
		for _, p := range model.Links(odd).Row(j) {
			if math.IsNaN(float64(p)) {
				t.Fatalf("row %d holds %v, want numbers", j, p)
			}
		}
	}
}

// TestAQuestionNeedsWhatItIsAbout asks about one of two talks by its subject, and about
// nothing that was said. A question none of whose words was said may be in another language.
func TestAQuestionNeedsWhatItIsAbout(t *testing.T) {
	asked := func(question string) graph.Links {
		window := append(twoTalks(), chat("kim> "+question)...)
		last := window[len(window)-1]
		last.ID, last.Time = window[len(window)-2].ID+1, window[len(window)-2].Time.Add(time.Minute)
		return shipped(t).Links(window)
	}
	tray, moon := asked("@heddle what should I check in the rear tray of the printer?"), asked("@heddle how far is the moon from venus?")
	about, nothing := tray.Needs, moon.Needs
	if len(about) != len(twoTalks()) || len(nothing) != len(about) {
		t.Fatalf("%d and %d messages are judged, want %d", len(about), len(nothing), len(twoTalks()))
	}
	for i, p := range about {
		if !(p >= 0 && p <= 1) {
			t.Errorf("message %d is needed with the probability %v", i, p)
		}
	}
	const answer = 4
	if about[answer] <= 2*nothing[answer] {
		t.Errorf("the question about the rear tray needs the answer to it at %.3f, a question about the moon at %.3f, want far less there", about[answer], nothing[answer])
	}
	if spanish := asked("@heddle ¿qué se decidió?"); !(moon.Asks < min(tray.Asks, spanish.Asks)/4) {
		t.Errorf("the odds to need anything are %.1f about the tray, %.1f about the moon and %.1f in Spanish, want far less about the moon", tray.Asks, moon.Asks, spanish.Asks)
	}
}

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
