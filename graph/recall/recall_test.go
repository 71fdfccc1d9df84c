package recall_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/graph/recall"
	"heddle/internal/expensive"
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

// leastFound is the least score of what these tests look for.
const leastFound = 4

func search(held []graph.Message, words recall.Words) *recall.Search {
	s := recall.NewSearch(words)
	for i := range held {
		s.Add(&held[i])
	}
	return s
}

// find returns the indices of the messages of said that share words with a question.
func find(held []graph.Message, question string, least float64) (at []int, scores []float64) {
	words := recall.WordsOf(&graph.Message{ID: 1 << 20, Text: question})
	for _, found := range search(held, words).Find(least) {
		at, scores = append(at, int(found.Anchor)-1), append(scores, found.Score)
	}
	return at, scores
}

func TestWhatSharesRareWordsIsFound(t *testing.T) {
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
			held := chatter(60)
			held[17].Text = test.older
			if found, _ := find(held, test.question, leastFound); !slices.Equal(found, []int{17}) {
				t.Errorf("%q finds %v, want message 17, %q", test.question, found, test.older)
			}
		})
	}
}

func TestFilesAndPeopleAreFoundByTheirNames(t *testing.T) {
	held := chatter(60)
	held[5].Attachments = []graph.Attachment{{ID: 1, Name: "floorplan-v2.png"}}
	held[9].Name = "Marguerite"
	for question, want := range map[string]int{"show floorplan-v2.png once more": 5, "what did marguerite say?": 9} {
		if found, _ := find(held, question, leastFound); !slices.Equal(found, []int{want}) {
			t.Errorf("%q finds %v, want message %d", question, found, want)
		}
	}
}

func TestCommonWordsFindNothing(t *testing.T) {
	for _, question := range []string{"what was that thing again today?", "", "ok", "👍", "<@1>", "the kiln?"} {
		if found, _ := find(chatter(200), question, leastFound); len(found) != 0 {
			t.Errorf("%q finds %v, want none", question, found)
		}
	}
}

func TestShortWordsAndThoseOfManyExchangesFindNothing(t *testing.T) {
	held := chatter(100)
	for i := range 30 {
		held[3*i].Text = "probably tomorrow in the morning"
	}
	held[50].Text = "up to me or by us"
	if found, _ := find(held, "up to us by tomorrow in the morning, probably", 0); len(found) != 0 {
		t.Errorf("common words find %v, want none", found)
	}
}

func TestAPieceIsWorthMoreThanItsWords(t *testing.T) {
	held := chatter(100)
	held[10].Text = "it is in deploy.yml"
	held[20].Text = "it is in deploy of yml"
	found, scores := find(held, "what is in deploy.yml?", leastFound)
	if len(found) != 2 || found[0] != 10 || scores[0] < scores[1]+4 {
		t.Errorf("a piece and its words are found as %v with %v, want message 10 first, by 4 bits, and another", found, scores)
	}
}

func TestALongQuestionIsComparedByItsFirstWords(t *testing.T) {
	held := chatter(100)
	held[10].Text, held[20].Text = "the kiln", "the oven"
	var question strings.Builder
	question.WriteString("kiln ")
	for i := range 100 {
		fmt.Fprintf(&question, "w%d ", i+100)
	}
	if found, _ := find(held, question.String()+"oven", leastFound); !slices.Equal(found, []int{10}) {
		t.Errorf("a long question finds %v, want message 10", found)
	}
}

// TestWhatOthersSaidIsMeantByMoreThanAWord asks about what one message says, in words that
// others say, too.
func TestWhatOthersSaidIsMeantByMoreThanAWord(t *testing.T) {
	held := chatter(100)
	for at, word := range map[int]string{10: "kiln", 20: "rope, the oar", 30: "oar", 40: "lamp"} {
		held[at].Text = "so that is what we said about the " + word + " again today"
	}
	for question, meant := range map[string]bool{
		"which kiln?":                 true, // one message holds all that is shared
		"where are the rope and oar?": true,
		"kiln, lamp or rope?":         false,
	} {
		s := search(held, recall.WordsOf(&graph.Message{ID: 1 << 20, Text: question}))
		found := s.Find(recall.LeastOwn)
		if got := found[0].Score >= s.LeastOther(); got != meant {
			t.Errorf("%q is about an older message: %t with %.1f of %.1f bits, want %t", question, got, found[0].Score, s.LeastOther(), meant)
		}
	}
}

func TestTheNameOfWhoIsAskedIsNoWord(t *testing.T) {
	calls := []graph.Reference{{Kind: graph.ReferenceAddress, User: 7}}
	if words := recall.WordsOf(&graph.Message{Text: "@heddle is", References: calls}); len(words) != 0 {
		t.Errorf("a mention of heddle has %d words, want none", len(words))
	}
}

func TestAnExchangeIsFoundWhole(t *testing.T) {
	held := chatter(60)
	held[20].Text = "where is the manual?"
	held[21] = graph.Message{ID: 22, Answers: 21, Origin: graph.OriginSelf, Name: "heddle", Text: "Beside the kiln."}
	found, scores := find(held, "the kiln manual, please", leastFound)
	if _, half := find(held, "the manual, please", leastFound); !slices.Equal(found, []int{20}) || scores[0] <= half[0] {
		t.Fatalf("an exchange is found as %v with %v, want message 20 with more than %v", found, scores, half)
	}
}

func TestTheRarerAndTheNewerComesFirst(t *testing.T) {
	held := chatter(100)
	for _, i := range []int{10, 20, 30, 40} {
		held[i].Text = "the oven is warm"
	}
	held[15].Text = "the kiln is warm"
	if found, _ := find(held, "oven or kiln?", 0); !slices.Equal(found, []int{15, 40, 30, 20, 10}) {
		t.Errorf("the order is %v, want %v", found, []int{15, 40, 30, 20, 10})
	}
}

func TestHoldingFindsCommonWordsToo(t *testing.T) {
	held := chatter(3)
	held[1].Text += " kiln"
	words := recall.WordsOf(&graph.Message{Text: "kiln today"})
	want := []recall.Scored{{Anchor: 2, Score: 2}, {Anchor: 3, Score: 1}, {Anchor: 1, Score: 1}}
	if found := search(held, words).Holding(); !slices.Equal(found, want) {
		t.Errorf("%v hold words, want %v", found, want)
	}
}

func TestALongMessageHasToShareMore(t *testing.T) {
	held := chatter(100)
	held[10].Text = "the kiln " + strings.Repeat("and much more of this ", 100)
	held[20].Text = "the kiln is warm"
	found, scores := find(held, "which kiln?", 0)
	if len(found) != 2 || found[0] != 20 || scores[1] > scores[0]/4 {
		t.Errorf("a long message is found as %v with %v, want message 20 first, with four times the score", found, scores)
	}
}

// BenchmarkExpensiveRecall compares a question with messages that are not language.
func BenchmarkExpensiveRecall(b *testing.B) {
	expensive.Text(b, func(text string) {
		half := len(text) / 2
		s := recall.NewSearch(recall.WordsOf(&graph.Message{ID: 3, Author: 1, Text: text[half:]}))
		s.Add(&graph.Message{ID: 1, Author: 1, Text: text[:half]})
		s.Find(0)
	})
}
