package affinity

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heddle/graph"
)

// These tests reach what no other package may see: what a text is read as, and the
// arithmetic that two implementations must agree on.

func read(text string) features {
	f, _, _ := analyze(&graph.Message{Text: text}, nil, nil)
	return f
}

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
		if !slices.ContainsFunc(a, func(w uint64) bool { return slices.Contains(b, w) }) {
			t.Errorf("%q and %q share no word, want one", pair[0], pair[1])
		}
	}
	if words := read("@ann <@42> a ! ").words; len(words) != 0 {
		t.Errorf("names and single letters count as %d words, want 0", len(words))
	}
}

func TestTextsAreAlikeByWhatTheyShare(t *testing.T) {
	var w window
	w.compile([]*graph.Message{
		{ID: 1, Text: "could someone water the plants by the window?"},
		{ID: 2, Text: "the coffee machine wants descaling"},
		{ID: 3, Text: "Who waters the PLANTS next week"},
		{ID: 4, Text: "who waters the plants next week"},
		{ID: 5, Text: ""},
	})
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
	var m workspace
	m.compile(messages)
	m.row.begin(&m.window)
	m.row.start(59)
	for i, judged := range m.row.judged {
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

func TestBothAdditionsRoundAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	net := NewTrainer(5).Network()
	for n := range 60 {
		var a active
		for range n {
			a.set(random.IntN(inputs), random.Float32()*3-1)
		}
		fast, plain := net.bias, net.bias
		net.add(&fast, &a)
		net.addPlainly(&plain, &a)
		if fast != plain {
			t.Fatalf("with %d inputs: %v, want %v", n, fast, plain)
		}
	}
}

func TestBothScoresRoundAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	net := NewTrainer(5).Network()
	if net.wide = hasAVX(); !net.wide {
		t.Log("this processor knows no 256-bit vectors")
	}
	for n := range 60 {
		var a active
		for range n {
			a.set(random.IntN(inputs), random.Float32()*3-1)
		}
		own := net.in[random.IntN(inputs)]
		if fast, plain := net.score(&net.bias, &own, &a), net.scorePlainly(&net.bias, &own, &a); fast != plain {
			t.Fatalf("with %d inputs: %v, want %v", n, fast, plain)
		}
	}
}

func TestBothSumsOfRowsRoundAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for n := range 40 {
		from, fast := make([]float32, n+1), make([]float32, n)
		for k := range n {
			from[k], fast[k] = random.Float32()*3-1, random.Float32()
		}
		plain, x := slices.Clone(fast), random.Float32()
		addTimes(fast, from, x)
		addTimesPlainly(plain, from, x)
		if !slices.Equal(fast, plain) {
			t.Fatalf("of %d: %v, want %v", n, fast, plain)
		}
	}
}

func TestNoMessageTurnsOnMoreInputsThanThereIsRoomFor(t *testing.T) {
	// Each block gives at most two knots or one flag, and shapes as many as they are.
	if most := 2*30 + 30; most > maxActive {
		t.Errorf("one message, candidate or pair can set %d inputs, want at most %d", most, maxActive)
	}
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

func TestLogarithmsAreNearEnough(t *testing.T) {
	for x := float32(1e-6); x < 1e9; x *= 1.37 {
		if d := math.Abs(float64(log2(x)) - math.Log2(float64(x))); d > 0.09 {
			t.Errorf("log2(%v) is off by %v, want at most %v", x, d, 0.09)
		}
	}
}

func TestHangingTogetherIsExact(t *testing.T) {
	// Three messages: 1 answers 0 with 0.5; 2 answers 1 with 0.6 and 0 with 0.3.
	var b belief
	b.begin(3, 1)
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
// zero. The probabilities of a row, with that of answering nothing, must be 1 together, also
// in memory that was used before.
func TestEveryRowIsWhole(t *testing.T) {
	weights := Weights{Quiet: NewTrainer(5).Network(), Busy: NewTrainer(6).Network()}
	messages := make([]*graph.Message, 40)
	for i := range messages {
		messages[i] = &graph.Message{ID: graph.MessageID(i + 1), Author: graph.UserID(1 + i%3), Text: "the kiln"}
	}
	var m workspace
	for _, n := range []int{1, 2, 40, 17} {
		weights.judge(&m, messages[:n-1])
		weights.judgeLast(&m, messages[:n])
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

// TestWhatIsKeptIsBounded judges more channels ahead than are kept, and forgets some.
func TestWhatIsKeptIsBounded(t *testing.T) {
	model, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	talk := func(channel int) []*graph.Message {
		messages := make([]*graph.Message, 4)
		for i := range messages {
			messages[i] = &graph.Message{ID: graph.MessageID(i + 1), Channel: graph.ChannelID(channel), Text: "the kiln"}
		}
		return messages
	}
	kept := func() int {
		table := <-model.ahead.table
		defer func() { model.ahead.table <- table }()
		return len(table.channels)
	}
	for channel := range 2 * mostJudged {
		model.Ahead(talk(channel + 1)[:3])
	}
	if n := kept(); n != mostJudged {
		t.Fatalf("%d channels are kept, want %d", n, mostJudged)
	}
	model.Forget(2 * mostJudged)
	model.Forget(1) // which is no longer kept
	model.Links(talk(2*mostJudged - 1))
	if n := kept(); n != mostJudged-2 {
		t.Errorf("%d channels are kept after one was forgotten and one was used, want %d", n, mostJudged-2)
	}
}

// BenchmarkTheTriggerAlone judges what a mention has to judge if the messages before it
// were judged ahead.
func BenchmarkTheTriggerAlone(b *testing.B) {
	model, err := Default()
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	messages := make([]*graph.Message, 101)
	for i := range messages {
		messages[i] = &graph.Message{ID: graph.MessageID(i + 1), Author: graph.UserID(random.IntN(15)), Text: "does the printer jam when the rear tray is open?"}
	}
	var m workspace
	model.weights.judge(&m, messages[:100])
	words, grams, people := len(m.wordMemory), len(m.gramMemory), len(m.people)
	b.ReportAllocs()
	for b.Loop() {
		m.n, m.wordMemory, m.gramMemory, m.people = 100, m.wordMemory[:words], m.gramMemory[:grams], m.people[:people]
		m.square[100] = 0
		clear(m.words[100*m.stride:])
		clear(m.alike[100*m.stride:])
		model.weights.judgeLast(&m, messages)
	}
}
