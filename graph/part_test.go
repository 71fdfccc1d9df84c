package graph_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/internal/errtest"
)

// chat makes a stretch of channel 1 out of lines, a minute apart: "who: [talk] text", with
// "^3" in front of the text of a reply to line 3, from 0.
func chat(t *testing.T, lines ...string) []graph.Message {
	t.Helper()
	messages := make([]graph.Message, len(lines))
	for i, line := range lines {
		who, text, ok := strings.Cut(line, ": ")
		if !ok {
			t.Fatalf("the line is %q, want WHO: TEXT", line)
		}
		m := graph.Message{
			ID: graph.MessageID(i+1) << 22, Channel: 1, Author: graph.UserID(who[0]), Name: who,
			Time: time.Unix(1_800_000_000, 0).Add(time.Duration(i) * time.Minute),
		}
		var to int
		if n, _ := fmt.Sscanf(text, "^%d", &to); n == 1 {
			m.References = []graph.Reference{{Kind: graph.ReferenceReply, Channel: 1, Message: graph.MessageID(to+1) << 22}}
			_, text, _ = strings.Cut(text, " ")
		}
		m.Text = text
		messages[i] = m
	}
	return messages
}

// lines returns the talks as numbers of lines.
func lines(talks []graph.Talk) string {
	var all []string
	for _, talk := range talks {
		var numbers []string
		for i := range talk.Messages {
			numbers = append(numbers, strconv.FormatUint(uint64(talk.Messages[i].ID)>>22-1, 10))
		}
		all = append(all, strings.Join(numbers, " "))
	}
	return strings.Join(all, " | ")
}

func TestPartFollowsLinksAndReplies(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"two talks that take turns", []string{"a: [x] 1", "b: [y] 1", "c: [x] 2", "d: [y] 2", "a: [x] 3"}, "0 2 4 | 1 3"},
		{"a reply outweighs what its words are like", []string{"a: [x] 1", "b: [y] 1", "c: ^0 [y] 2", "d: [y] 3"}, "0 2 3 | 1"},
		{"a talk goes on where its latest message went", []string{"a: [x] 1", "b: [y] 1", "c: ^0 [z] 2", "d: [z] 3"}, "0 2 3 | 1"},
		{"nothing is answered", []string{"a: [x] 1", "b: [y] 1", "c: [z] 1"}, "0 | 1 | 2"},
		{"one line", []string{"a: [x] 1"}, "0"},
		{"nothing", nil, ""},
	} {
		if got := lines(graph.Part(chat(t, c.lines...), graph.Options{Affinity: labels{}})); got != c.want {
			t.Errorf("%s: parted into %s, want %s", c.name, got, c.want)
		}
	}
}

func TestPartTellsWhatIsAnswered(t *testing.T) {
	talks := graph.Part(chat(t, "a: [x] 1", "b: [y] 1", "c: [x] 2", "b: ^0 [x] 3", "c: [y] 2"), graph.Options{Affinity: labels{}})
	if len(talks) != 2 || !slices.Equal(talks[0].Answers, []int{-1, 0, 0}) || !slices.Equal(talks[1].Answers, []int{-1, 0}) {
		t.Fatalf("talks %+v, want 2 of them, Answers %v of the first and Answers %v of the second", talks, []int{-1, 0, 0}, []int{-1, 0})
	}
}

func TestReferencesDecideWhereAMessageBelongs(t *testing.T) {
	for name, c := range map[string]struct {
		lines  []string
		change func(messages []graph.Message) []graph.Message
		want   string
	}{
		"replies to what lies before the stretch are one talk": {
			[]string{"a: [x] 1", "b: [y] 1", "c: ^0 [x] 2", "d: [y] 2", "e: ^0 [z] 3", "d: ^1 [w] 4"},
			func(messages []graph.Message) []graph.Message { return messages[2:] }, "2 4 | 3 | 5",
		},
		"a message that points to two talks makes one of them": {
			[]string{"a: [x] 1", "b: [y] 1", "c: [z] 1", "d: ^0 [q] 2", "e: [y] 2"},
			func(messages []graph.Message) []graph.Message {
				forward := graph.Reference{Kind: graph.ReferenceForward, Channel: 1, Message: messages[1].ID}
				messages[3].References = append(messages[3].References, forward)
				return messages
			}, "0 1 3 4 | 2",
		},
		"an answer of heddle's is in the talk of its question": {
			[]string{"a: [x] 1", "b: [y] 1", "h: [q] 2", "a: [x] 2"},
			func(messages []graph.Message) []graph.Message {
				messages[2].Origin, messages[2].Answers = graph.OriginSelf, messages[0].ID
				return graph.Fold(messages)
			}, "0 2 3 | 1",
		},
	} {
		if got := lines(graph.Part(c.change(chat(t, c.lines...)), graph.Options{Affinity: labels{}})); got != c.want {
			t.Errorf("%s: parted into %s, want %s", name, got, c.want)
		}
	}
}

func TestWithoutAnAffinityPausesPart(t *testing.T) {
	messages := chat(t, "a: 1", "b: 2", "c: 3", "d: ^0 4")
	messages[2].Time = messages[2].Time.Add(time.Hour)
	messages[3].Time = messages[3].Time.Add(time.Hour)
	for threshold, want := range map[time.Duration]string{10 * time.Minute: "0 1 3 | 2", 2 * time.Hour: "0 1 2 3"} {
		if got := lines(graph.Part(messages, graph.Options{TimeThreshold: threshold})); got != want {
			t.Errorf("at %s parted into %s, want %s", threshold, got, want)
		}
	}
	var paced []string
	for range 60 {
		paced = append(paced, "a: word")
	}
	messages = chat(t, paced...)
	for i := 40; i < len(messages); i++ {
		messages[i].Time = messages[i].Time.Add(20 * time.Minute) // at a message a minute
	}
	if talks := graph.Part(messages, graph.Options{}); len(talks) != 2 || len(talks[0].Messages) != 40 {
		t.Errorf("parted into %s, want two talks, the first of 40 messages", lines(talks))
	}
}

// FuzzPart holds what is true of every stretch and every affinity.
func FuzzPart(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, uint16(seed*seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, size uint16) {
		k := newTalk(seed, int(size%1500)+1)
		messages := graph.Fold(k.raw)
		options := graph.Options{Affinity: dice(seed)}
		if seed%5 == 0 {
			options.Affinity = nil
		}
		talks := graph.Part(messages, options)
		talkOf := checkTalks(t, talks)
		checkPlaces(t, messages, talkOf)
		if again := graph.Part(messages, options); !reflect.DeepEqual(again, talks) {
			t.Errorf("the second time the stretch is parted into %v, want %v", again, talks)
		}
	})
}

// checkTalks checks each talk by itself, and returns the number of each message's talk.
func checkTalks(t *testing.T, talks []graph.Talk) map[graph.MessageID]int {
	t.Helper()
	talkOf := map[graph.MessageID]int{}
	for n := range talks {
		talk := &talks[n]
		if len(talk.Messages) == 0 || len(talk.Answers) != len(talk.Messages) {
			t.Fatalf("talk %d has %d messages and %d answers, want at least one message and as many answers", n, len(talk.Messages), len(talk.Answers))
		}
		if n > 0 && talks[n-1].Messages[0].Position().Compare(talk.Messages[0].Position()) >= 0 {
			t.Errorf("talk %d begins before the one in front of it, want them by their beginnings", n)
		}
		for i := range talk.Messages {
			m := &talk.Messages[i]
			if i > 0 && talk.Messages[i-1].Position().Compare(m.Position()) >= 0 {
				t.Errorf("talk %d is out of order at %s, want it ascending", n, m.ID)
			}
			if talk.Answers[i] >= i {
				t.Errorf("%s answers a later message, want an earlier one", m.ID)
			}
			if _, twice := talkOf[m.ID]; twice || m.System {
				t.Errorf("%s is in two talks, or is a system message, want each other message in one", m.ID)
			}
			talkOf[m.ID] = n
		}
	}
	return talkOf
}

// checkPlaces checks that each message is in a talk, with what it replies to.
func checkPlaces(t *testing.T, messages []graph.Message, talkOf map[graph.MessageID]int) {
	t.Helper()
	earlier := map[graph.MessageID]bool{}
	for i := range messages {
		m := &messages[i]
		if _, in := talkOf[m.ID]; in == m.System {
			t.Errorf("whether %s is in a talk is %t, want not %t", m.ID, in, m.System)
		}
		for _, r := range m.References {
			answers := r.Kind == graph.ReferenceReply || r.Kind == graph.ReferenceForward
			if answers && !m.System && r.Channel == m.Channel && earlier[r.Message] && talkOf[r.Message] != talkOf[m.ID] {
				t.Errorf("%s replies to %s of another talk, want both in one", m.ID, r.Message)
			}
		}
		earlier[m.ID] = !m.System
	}
}

// chatter is a stretch of three talks that take turns at random.
func chatter(seed uint64, size int) []graph.Message {
	random := rand.New(rand.NewPCG(seed, 1))
	subjects := [][]string{
		{"printer", "tray", "roller", "paper", "jam"}, {"rope", "hall", "climbing", "wall", "harness"}, {"dough", "oven", "flour", "yeast", "crust"},
	}
	messages := make([]graph.Message, size)
	now := time.Unix(1_800_000_000, 0)
	for i := range messages {
		now = now.Add(time.Duration(random.ExpFloat64() * float64(time.Minute)))
		k := random.IntN(len(subjects))
		words := make([]string, 4)
		for w := range words {
			words[w] = subjects[k][random.IntN(5)]
		}
		messages[i] = graph.Message{
			ID: graph.FirstMessageID(now) + 1, Channel: 1, Author: graph.UserID(2*k + random.IntN(2) + 1), Time: now, Text: strings.Join(words, " "),
		}
	}
	return messages
}

func TestStretchesThatOverlapArePartedAlike(t *testing.T) {
	model := errtest.Must(affinity.Default())(t)
	messages := chatter(3, 600)
	options := graph.Options{Affinity: model}
	links := func(talks []graph.Talk) map[graph.MessageID]graph.MessageID {
		answered := make(map[graph.MessageID]graph.MessageID)
		for _, talk := range talks {
			for i, to := range talk.Answers {
				if to >= 0 {
					answered[talk.Messages[i].ID] = talk.Messages[to].ID
				}
			}
		}
		return answered
	}
	whole := links(graph.Part(messages, options))
	for _, cut := range []int{1, 17, 100, 233} {
		part, different, compared := links(graph.Part(messages[cut:], options)), 0, 0
		for i := cut + 192; i < len(messages); i++ {
			compared++
			if part[messages[i].ID] != whole[messages[i].ID] {
				different++
			}
		}
		if different*50 > compared {
			t.Errorf("without its first %d messages, %d of %d are linked otherwise, want one in fifty at most", cut, different, compared)
		}
	}
}
