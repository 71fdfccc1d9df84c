package graph_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"heddle/graph"
)

func person(id graph.MessageID, text string) graph.Message {
	return graph.Message{ID: id, Channel: 1, Author: 7, Name: "ada", Text: text, Time: time.Unix(int64(id), 0)}
}

func own(id, reply graph.MessageID, text string) graph.Message {
	m := graph.Message{
		ID: id, Channel: 1, Author: 9, Name: "heddle", Origin: graph.OriginSelf,
		Text: text, Time: time.Unix(int64(id), 0),
	}
	if reply != 0 {
		m.References = []graph.Reference{{Kind: graph.ReferenceReply, Channel: 1, Message: reply}}
	}
	return m
}

func answering(m graph.Message, trigger graph.MessageID) graph.Message {
	m.Answers = trigger
	return m
}

// row is what folding decides of a message.
type row struct {
	id, answers graph.MessageID
	parts       []graph.MessageID
	text        string
}

type foldTest struct {
	name string
	in   []graph.Message
	want []row
}

func (test foldTest) run(t *testing.T) {
	t.Helper()
	var got []row
	for _, m := range graph.Fold(test.in) {
		got = append(got, row{m.ID, m.Answers, m.Parts, m.Text})
	}
	if !reflect.DeepEqual(got, test.want) {
		t.Errorf("got  %v\nwant %v", got, test.want)
	}
}

func TestThePartsOfAnAnswerBecomeOneMessage(t *testing.T) {
	for _, test := range []foldTest{
		{"nothing", nil, nil},
		{
			"people are left alone and sorted",
			[]graph.Message{person(3, "c"), person(1, "a"), person(2, "b")},
			[]row{{1, 0, nil, "a"}, {2, 0, nil, "b"}, {3, 0, nil, "c"}},
		},
		{
			"parts that reply to the part before are one answer",
			[]graph.Message{person(1, "q"), own(2, 1, "one"), own(3, 2, "two"), own(4, 3, "three")},
			[]row{{1, 0, nil, "q"}, {2, 1, []graph.MessageID{3, 4}, "one\ntwo\nthree"}},
		},
		{
			"parts with a known trigger need no replies",
			[]graph.Message{person(1, "q"), answering(own(2, 0, "one"), 1), answering(own(4, 0, "two"), 1)},
			[]row{{1, 0, nil, "q"}, {2, 1, []graph.MessageID{4}, "one\ntwo"}},
		},
		{
			"two questions in a row, then both answers",
			[]graph.Message{person(1, "q1"), person(2, "q2"), own(3, 1, "a1"), own(4, 2, "a2"), own(5, 3, "a1 more")},
			[]row{{1, 0, nil, "q1"}, {3, 1, []graph.MessageID{5}, "a1\na1 more"}, {2, 0, nil, "q2"}, {4, 2, nil, "a2"}},
		},
	} {
		t.Run(test.name, test.run)
	}
}

func TestFoldOddAnswers(t *testing.T) {
	for _, test := range []foldTest{
		{
			"an own message that answers nothing stays itself",
			[]graph.Message{own(2, 0, "hello"), person(3, "hi"), own(4, 0, "hello again")},
			[]row{{2, 0, nil, "hello"}, {3, 0, nil, "hi"}, {4, 0, nil, "hello again"}},
		},
		{
			"parts of an own message that answers nothing",
			[]graph.Message{own(2, 0, "hello"), own(4, 2, "more")},
			[]row{{2, 0, []graph.MessageID{4}, "hello\nmore"}},
		},
		{
			"a trigger outside the slice",
			[]graph.Message{own(5, 2, "a"), own(6, 5, "b")},
			[]row{{5, 2, []graph.MessageID{6}, "a\nb"}},
		},
		{
			"a new part joins an answer folded before",
			[]graph.Message{person(1, "q"), {
				ID: 2, Channel: 1, Origin: graph.OriginSelf, Answers: 1, Parts: []graph.MessageID{3}, Text: "one\ntwo",
			}, own(3, 0, "two"), own(4, 3, "three")},
			[]row{{1, 0, nil, "q"}, {2, 1, []graph.MessageID{3, 4}, "one\ntwo\nthree"}},
		},
		{
			"an answer folded before comes again with a part of its own",
			[]graph.Message{own(2, 1, "one"), {ID: 2, Channel: 1, Origin: graph.OriginSelf, Answers: 1, Parts: []graph.MessageID{3}, Text: "one\ntwo"}},
			[]row{{2, 1, []graph.MessageID{3}, "one\ntwo"}},
		},
		{
			"replies in a circle end",
			[]graph.Message{own(2, 3, "one"), own(3, 2, "two")},
			[]row{{2, 0, []graph.MessageID{3}, "one\ntwo"}},
		},
		{
			"a part without text adds no line",
			[]graph.Message{own(2, 1, ""), own(3, 2, "file"), own(4, 3, "")},
			[]row{{2, 1, []graph.MessageID{3, 4}, "file"}},
		},
	} {
		t.Run(test.name, test.run)
	}
}

func TestFoldKeepsWhatPartsCarry(t *testing.T) {
	first, second := own(2, 1, "one"), own(3, 2, "two")
	first.Attachments = []graph.Attachment{{ID: 1}}
	second.Attachments = []graph.Attachment{{ID: 2}}
	second.Edited = time.Unix(50, 0)
	got := graph.Fold([]graph.Message{first, second})[0]
	if !got.Edited.Equal(second.Edited) || !got.Time.Equal(first.Time) {
		t.Errorf("the answer was sent at %v and edited at %v, want the first part's time and the last part's edit", got.Time, got.Edited)
	}
	if len(got.Attachments) != 2 || len(got.References) != 1 || got.References[0].Message != 1 {
		t.Errorf("attachments %v, references %v, want 2 of them, one of them and Message 1 of the first", got.Attachments, got.References)
	}
	if len(first.Attachments) != 1 || len(second.References) != 1 {
		t.Errorf("the folded messages now have attachments %v and references %v, want one each, as before", first.Attachments, second.References)
	}
}

func TestFoldKeepsTheLatestVersion(t *testing.T) {
	old, edited := person(1, "old"), person(1, "new")
	edited.Edited = time.Unix(9, 0)
	got := graph.Fold([]graph.Message{edited, old})
	if len(got) != 1 || got[0].Text != "new" {
		t.Errorf("got %v, want one of them and Text %q of the first", got, "new")
	}
}

// FuzzFold checks that folding depends on no order, loses no message and is done
// after one time.
func FuzzFold(f *testing.F) {
	f.Add([]byte{0, 1, 1, 2}, uint64(1))
	f.Add([]byte{200, 199, 3, 0, 9, 8}, uint64(2))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		var messages []graph.Message
		for i, b := range data {
			id := graph.MessageID(i + 1)
			switch {
			case b < 64:
				messages = append(messages, person(id, "p"))
			case b < 224:
				messages = append(messages, own(id, graph.MessageID(b)%id, "o"))
			default:
				messages = append(messages, answering(own(id, 0, "o"), graph.MessageID(b)%id))
			}
		}
		once := graph.Fold(messages)
		if twice := graph.Fold(once); !reflect.DeepEqual(once, twice) {
			t.Fatalf("folded once it is\n%v\nfolded again, want the same, it is\n%v", once, twice)
		}
		held := 0
		for i := range once {
			held += 1 + len(once[i].Parts)
		}
		if held != len(messages) || !slices.IsSortedFunc(once, func(a, b graph.Message) int {
			return a.Position().Compare(b.Position())
		}) {
			t.Fatalf("the answers hold %d messages, want %d in order", held, len(messages))
		}
		random := rand.New(rand.NewPCG(seed, 1))
		random.Shuffle(len(messages), func(i, j int) { messages[i], messages[j] = messages[j], messages[i] })
		if again := graph.Fold(messages); !reflect.DeepEqual(once, again) {
			t.Fatalf("in another order the messages fold to %+v, want %+v", again, once)
		}
	})
}
