package recall_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/graph/recall"
)

// said returns messages of one person, with the texts and the ids from 1.
func said(texts ...string) []graph.Message {
	messages := make([]graph.Message, len(texts))
	for i, text := range texts {
		messages[i] = graph.Message{ID: graph.MessageID(i + 1), Author: 1, Name: "Ann", Text: text}
	}
	return messages
}

// chatter returns messages in which no word is rare.
func chatter(n int) []graph.Message {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = "so that is what we said about this thing again today"
	}
	return said(texts...)
}

func least(bits float64) func([]graph.Message) float64 {
	return func([]graph.Message) float64 { return bits }
}

func ask(text string) recall.Query {
	return recall.Query{Trigger: &graph.Message{ID: 1 << 20, Text: text}, Least: least(4), Most: 10}
}

func TestWhatSharesRareWordsIsFound(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ older, question string }{
		"a word":          {"the kiln reaches 1280 degrees", "how hot does the kiln get?"},
		"another ending":  {"we deployed on friday", "when was the deployment?"},
		"a number":        {"it listens on 8443", "what was 8443 again?"},
		"an identifier":   {"parse_frame panics on an empty frame", "why does `parse_frame()` fail?"},
		"camel case":      {"use newDecoder(r) there", "what does NewDecoder return?"},
		"a path":          {"it stands in /etc/heddle/deploy.yml", "where is deploy.yml?"},
		"umlauts":         {"der Ölwechsel ist im März", "wann ist der ölwechsel?"},
		"cyrillic":        {"Пароль лежит в сейфе", "где пароль?"},
		"no spaces":       {"会議は水曜日です", "会議はいつ?"},
		"vowel signs":     {"किताब मेज़ पर है", "किताब कहाँ"},
		"a combined sign": {"le cafe\u0301 ferme", "quand ferme le CAFE\u0301 ?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held := chatter(60)
			held[17].Text = test.older
			found := recall.Find(held, ask(test.question))
			if len(found) != 1 || found[0].From != 17 || found[0].To != 18 {
				t.Errorf("%q finds %v in %q, want one of them, From 17 of the first and To 18 of the first", test.question, found, test.older)
			}
		})
	}
}

func TestFilesAndPeopleAreFoundByTheirNames(t *testing.T) {
	t.Parallel()
	held := chatter(60)
	held[5].Attachments = []graph.Attachment{{ID: 1, Name: "floorplan-v2.png"}}
	held[9].Name = "Marguerite"
	for question, want := range map[string]int{"show floorplan-v2.png once more": 5, "what did marguerite say?": 9} {
		if found := recall.Find(held, ask(question)); len(found) != 1 || found[0].From != want {
			t.Errorf("%q finds %v, want one of them and From %v of the first", question, found, want)
		}
	}
}

func TestCommonWordsFindNothing(t *testing.T) {
	t.Parallel()
	for _, question := range []string{"what was that thing again today?", "", "ok", "👍", "<@1>", "the kiln?"} {
		if found := recall.Find(chatter(200), ask(question)); len(found) != 0 {
			t.Errorf("%q finds %v, want none", question, found)
		}
	}
}

func TestShortWordsAndThoseOfManyExchangesFindNothing(t *testing.T) {
	t.Parallel()
	held := chatter(100)
	for i := range 30 {
		held[3*i].Text = "probably tomorrow in the morning"
	}
	held[50].Text = "up to me or by us"
	q := ask("up to us by tomorrow in the morning, probably")
	q.Least = least(0)
	if found := recall.Find(held, q); len(found) != 0 {
		t.Errorf("common words find %v, want none", found)
	}
}

func TestAPieceIsWorthMoreThanItsWords(t *testing.T) {
	t.Parallel()
	held := chatter(100)
	held[10].Text = "it is in deploy.yml"
	held[20].Text = "it is in deploy of yml"
	found := recall.Find(held, ask("what is in deploy.yml?"))
	if len(found) != 2 || found[0].From != 10 || found[0].Score < found[1].Score+4 {
		t.Errorf("a piece and its words are found as %v, want message 10 first, by 4 bits, and another", found)
	}
}

func TestALongQuestionIsComparedByItsFirstWords(t *testing.T) {
	t.Parallel()
	held := chatter(100)
	held[10].Text, held[20].Text = "the kiln", "the oven"
	var question strings.Builder
	question.WriteString("kiln ")
	for i := range 100 {
		fmt.Fprintf(&question, "w%d ", i+100)
	}
	if found := recall.Find(held, ask(question.String()+"oven")); len(found) != 1 || found[0].From != 10 {
		t.Errorf("a long question finds %v, want one of them and From 10 of the first", found)
	}
}

func TestTheNameOfWhoIsAskedIsNoWord(t *testing.T) {
	t.Parallel()
	held := chatter(60)
	held[3].Text = "@heddle good morning"
	q := ask("@heddle how are you?")
	q.Trigger.References = []graph.Reference{{Kind: graph.ReferenceAddress, User: 7}}
	if found := recall.Find(held, q); len(found) != 0 {
		t.Errorf("heddle's name finds %v, want none", found)
	}
}

func TestAnExchangeIsFoundWhole(t *testing.T) {
	t.Parallel()
	held := chatter(60)
	held[20].Text = "where is the kiln manual?"
	held[21] = graph.Message{ID: 22, Answers: 21, Origin: graph.OriginSelf, Name: "heddle", Text: "On the second shelf."}
	if found := recall.Find(held, ask("the kiln manual, please")); len(found) != 1 || found[0].From != 20 || found[0].To != 22 {
		t.Fatalf("an exchange is found as %v, want one of them, From 20 of the first and To 22 of the first", found)
	}
	q := ask("the kiln manual, please")
	q.Skip = func(m *graph.Message) bool { return m.ID == 22 }
	if found := recall.Find(held, q); len(found) != 0 {
		t.Errorf("an exchange of which a part is skipped is found as %v, want none", found)
	}
}

func TestTheRarerAndTheNewerComesFirst(t *testing.T) {
	t.Parallel()
	held := chatter(100)
	for _, i := range []int{10, 20, 30, 40} {
		held[i].Text = "the oven is warm"
	}
	held[15].Text = "the kiln is warm"
	q := ask("oven or kiln?")
	q.Least = least(0)
	var order []int
	for _, match := range recall.Find(held, q) {
		order = append(order, match.From)
	}
	if !slices.Equal(order, []int{15, 40, 30, 20, 10}) {
		t.Errorf("the order is %v, want %v", order, []int{15, 40, 30, 20, 10})
	}
	q.Most = 2
	if found := recall.Find(held, q); len(found) != 2 || found[0].From != 15 {
		t.Errorf("of two there are %v, want 2 of them and From 15 of the first", found)
	}
}

func TestALongMessageHasToShareMore(t *testing.T) {
	t.Parallel()
	held := chatter(100)
	held[10].Text = "the kiln " + strings.Repeat("and much more of this ", 100)
	held[20].Text = "the kiln is warm"
	found := recall.Find(held, ask("which kiln?"))
	if len(found) == 0 || found[0].From != 20 || len(found) > 1 && found[1].Score > found[0].Score/4 {
		t.Errorf("a long message is found as %v, want message 20 first, with four times the score of any other", found)
	}
}

// TestRandomHistories compares random messages, of which some are strange.
func TestRandomHistories(t *testing.T) {
	t.Parallel()
	pieces := []string{"kiln", "oven", "a_b", "a.b.c", "::", "会議", "\u0301", "\xff", "📎", "@x", " ", "\n", "it's", "x", "42", "…", "ß", "İ"}
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 1))
		text := func() string {
			var b strings.Builder
			for range random.IntN(12) {
				b.WriteString(pieces[random.IntN(len(pieces))] + strings.Repeat(" ", random.IntN(2)))
			}
			return b.String()
		}
		held := make([]graph.Message, random.IntN(40))
		for i := range held {
			held[i] = graph.Message{ID: graph.MessageID(i + 1), Name: "x", Text: text()}
			if i > 0 && random.IntN(4) == 0 {
				held[i].Answers, held[i].Origin = held[i-1].Position().Anchor, graph.OriginSelf
			}
		}
		q := ask(text())
		q.Least, q.Most = least(random.Float64()*6), random.IntN(8)
		skipped := func(m *graph.Message) bool { return m.ID%5 == 0 }
		if seed%2 == 0 {
			q.Skip = skipped
		}
		found := recall.Find(held, q)
		if err := sound(held, q, found); err != nil {
			t.Fatalf("history %d: %v", seed, err)
		}
		if again := recall.Find(slices.Clone(held), q); !reflect.DeepEqual(found, again) {
			t.Fatalf("history %d: the first search found %v, and the same one again %v, want the same", seed, found, again)
		}
	}
}

// sound returns what is wrong with matches.
func sound(held []graph.Message, q recall.Query, found []recall.Match) error {
	if len(found) > q.Most {
		return fmt.Errorf("%d matches of at most %d", len(found), q.Most)
	}
	taken := make([]bool, len(held))
	for i, match := range found {
		switch {
		case match.From < 0 || match.From >= match.To || match.To > len(held):
			return fmt.Errorf("a match from %d to %d of %d", match.From, match.To, len(held))
		case i > 0 && found[i-1].Score < match.Score:
			return fmt.Errorf("%v stands before %v", found[i-1], match)
		case !(match.Score > 0) || match.Score < q.Least(nil):
			return fmt.Errorf("a score of %v", match.Score)
		}
		anchor := held[match.From].Position().Anchor
		for k := range held {
			in := k >= match.From && k < match.To
			if (held[k].Position().Anchor == anchor) != in {
				return fmt.Errorf("%v is no whole exchange", match)
			}
			if in && (taken[k] || q.Skip != nil && q.Skip(&held[k])) {
				return fmt.Errorf("message %d is found again, or should be skipped", k)
			}
			taken[k] = taken[k] || in
		}
	}
	return nil
}

// benchmarked returns so many messages in which some words are rarer than others.
func benchmarked(n int) []graph.Message {
	random := rand.New(rand.NewPCG(1, 1))
	texts := make([]string, n)
	for i := range texts {
		var line strings.Builder
		for range 5 + random.IntN(15) {
			fmt.Fprintf(&line, "word%d ", int(random.ExpFloat64()*300))
		}
		texts[i] = line.String()
	}
	return said(texts...)
}

func benchmarkQuestion() recall.Query {
	return ask("@heddle what was word1900 and word2100 in deploy.yml?")
}

func BenchmarkFind(b *testing.B) {
	for _, n := range []int{200, 2_000, 10_000} {
		held, q := benchmarked(n), benchmarkQuestion()
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				recall.Find(held, q)
			}
		})
	}
}
