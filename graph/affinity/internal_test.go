package affinity

import (
	"math"
	"slices"
	"testing"

	"heddle/graph"
	"heddle/internal/expensive"
)

// These tests reach what no other package may see: what a text is read as, and how rows
// are computed.

func read(text string) features { return analyze(&graph.Message{Text: text}) }

func TestShapesOfTexts(t *testing.T) {
	for text, want := range map[string]shape{
		"":                               shapeSymbolStart | shapeOpenEnd | shapeShort,
		"why?":                           shapeQuestion | shapeLowerStart | shapeShort,
		"Where is it, 何ですか？":             shapeQuestion,
		"see https://a.example/x?y=1 ok": shapeLink | shapeQuestion | shapeCode | shapeNumber | shapeLowerStart | shapeOpenEnd,
		"Run ls -l /tmp now.":            shapeCode,
		"@ann Yes, and then…":            shapeTrailing,
		"<@123> ok":                      shapeLowerStart | shapeOpenEnd | shapeShort,
		"Use version 12 here!":           shapeNumber | shapeEmphasis,
	} {
		got := read(text).shape
		if text == "see https://a.example/x?y=1 ok" {
			want = shapeLink | shapeLowerStart | shapeOpenEnd // an address is no question and no code
		}
		if got != want {
			t.Errorf("%q: shape %010b, want %010b", text, got, want)
		}
	}
}

func TestWordsAreComparedByTheirStems(t *testing.T) {
	for _, pair := range [][2]string{
		{"Printer", "printers"}, {"jamming,", "JAMMING"}, {"日本語", "日本"}, {"ÄRGER", "ärger"},
	} {
		a, b := read(pair[0]).words, read(pair[1]).words
		if !slices.ContainsFunc(a, func(w term) bool { return slices.Contains(b, w) }) {
			t.Errorf("%q and %q share no word, want one", pair[0], pair[1])
		}
	}
	if words := read("@ann <@42> a ! ").words; len(words) != 0 {
		t.Errorf("names and single letters count as %d words, want 0", len(words))
	}
}

func TestTextsAreAlikeByWhatTheyShare(t *testing.T) {
	w := newWindow([]*graph.Message{
		{ID: 1, Text: "could someone water the plants by the window?"},
		{ID: 2, Text: "the coffee machine wants descaling"},
		{ID: 3, Text: "Who waters the PLANTS next week"},
		{ID: 4, Text: "who waters the plants next week"},
		{ID: 5, Text: ""},
	}, 5, nil)
	alike := func(j, i int) float32 { return w.alike[j*w.n+i] }
	if related, other := alike(2, 0), alike(2, 1); related < 0.08 || other > related/4 {
		t.Errorf("likeness %.3f of related texts, %.3f of others, want at least %.3f and at most %.3f", related, other, 0.08, related/4)
	}
	if same := alike(3, 2); same < 0.99 || same > 1.01 {
		t.Errorf("likeness %.3f of the same words, want at least %.3f and at most %.3f", same, 0.99, 1.01)
	}
	if alike(4, 0) != 0 {
		t.Error("nothing is like something")
	}
}

func TestWhatIsFarAndUnrelatedIsNotJudged(t *testing.T) {
	messages := make([]*graph.Message, 60)
	for i := range messages {
		messages[i] = &graph.Message{ID: graph.MessageID(i + 1), Author: graph.UserID(100 + i), Text: "ok"}
	}
	messages[2].Text, messages[59].Text = "the rear tray", "which tray?"
	messages[4].Author, messages[5].Author = 7, 8
	messages[6].References = []graph.Reference{{Kind: graph.ReferenceAddress, User: 7}}
	messages[59].Author = 7
	messages[59].References = []graph.Reference{{Kind: graph.ReferenceAddress, User: 8}}
	r := newRow(newWindow(messages, len(messages), nil))
	r.start(59)
	for i, judged := range r.judged[:59] {
		want := i >= 59-nearest || i == 2 || i >= 4 && i <= 6
		if judged != want {
			t.Errorf("message %d is judged: %v, want %v", i, judged, want)
		}
	}
}

func FuzzAnalyze(f *testing.F) {
	f.Add("a b c https://x @y")
	f.Add("<@1> 日本 ๏ \xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := read(text)
		if !slices.IsSorted(got.words) || len(slices.Compact(slices.Clone(got.words))) != len(got.words) {
			t.Errorf("the words are %v, want them ascending and each once", got.words)
		}
		if len(got.words) > maxWords {
			t.Errorf("%d words, want at most %d", len(got.words), maxWords)
		}
	})
}

func TestThePaceLeavesOutBurstsAndNights(t *testing.T) {
	times := make([]float64, 120)
	for i := 1; i < len(times); i++ {
		times[i] = times[i-1] + 60
		if i%40 == 0 {
			times[i] += 8 * 3600
		}
		if i%30 == 1 {
			times[i] -= 59
		}
	}
	pace := make([]float64, len(times))
	paces(times, pace)
	for j, p := range pace {
		if math.Abs(p-60) > 5 {
			t.Errorf("pace %v at message %d, want about a minute", p, j)
		}
	}
}

func TestHangingTogetherIsExact(t *testing.T) {
	// Three messages: 1 answers 0 with 0.5; 2 answers 1 with 0.6 and 0 with 0.3.
	b := newBelief(3, 1, make([]float32, 9))
	entries := make([]entry, 3)
	b.settle(0, entries)
	b.links.Row(1)[0] = 0.5
	b.settle(1, entries)
	b.links.Row(2)[0], b.links.Row(2)[1] = 0.3, 0.6
	b.settle(2, entries)
	for _, c := range []struct {
		i, j int
		want float32
	}{{0, 1, 0.5}, {0, 2, 0.3 + 0.6*0.5}, {1, 2, 0.6 + 0.3*0.5}, {2, 2, 1}} {
		if got := b.together[c.j*3+c.i]; math.Abs(float64(got-c.want)) > 1e-6 {
			t.Errorf("together(%d, %d) = %v, want %v", c.i, c.j, got, c.want)
		}
	}
}

// TestEveryRowIsWhole judges with weights that have learnt nothing, whose scores lie around
// zero. The probabilities of a row, with that of answering nothing, must be 1 together.
func TestEveryRowIsWhole(t *testing.T) {
	weights := Weights{Quiet: new(Network), Busy: new(Network)}
	messages := make([]*graph.Message, 40)
	for i := range messages {
		messages[i] = &graph.Message{ID: graph.MessageID(i + 1), Author: graph.UserID(1 + i%3), Text: "the kiln"}
	}
	for _, n := range []int{1, 2, 40, 17} {
		m := newWindow(messages[:n], n-1, nil)
		weights.infer(m)
		for j := range n {
			sum := m.none[j]
			for _, p := range m.links.Row(j) {
				sum += p
			}
			if math.Abs(float64(sum-1)) > 1e-4 {
				t.Errorf("row %d of %d messages adds up to %v, want 1", j, n, sum)
			}
		}
	}
}

// BenchmarkExpensiveWords finds the words and grams of text that is not language.
func BenchmarkExpensiveWords(b *testing.B) {
	expensive.Text(b, func(text string) { analyze(&graph.Message{Text: text}) })
}
