package graph_test

import (
	"hash/fnv"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"heddle/graph"
)

// labels is an affinity that reads the talk from the text: a message answers the
// newest older one with the same [label] at 0.8 and the one before that at 0.1, and
// one without a label answers the message before it at 0.5.
type labels struct{}

func (labels) Links(window []*graph.Message) graph.Links {
	links := graph.NewLinks(len(window))
	for j := range window {
		row := links.Row(j)
		p := float32(0.8)
		for i := j - 1; i >= 0 && p > 0; i-- {
			switch label := labelOf(window[j].Text); {
			case label == "":
				row[i], p = 0.5, 0
			case label == labelOf(window[i].Text):
				row[i] = p
				p = max(0, 0.9-p) * float32(math.Round(float64(p)))
			}
		}
	}
	return links
}

func labelOf(text string) string {
	label, _, ok := strings.Cut(text, "]")
	if !ok || !strings.HasPrefix(label, "[") {
		return ""
	}
	return label
}

// dice is an affinity that guesses, always the same.
type dice uint64

func (d dice) Links(window []*graph.Message) graph.Links {
	links := graph.NewLinks(len(window))
	for j := range window {
		left := float32(1)
		row := links.Row(j)
		for i := range slices.Backward(row) {
			h := fnv.New64a()
			_, _ = h.Write([]byte{byte(window[j].ID), byte(window[i].ID), byte(d)})
			row[i] = left * float32(h.Sum64()%4) / 4
			left -= row[i]
		}
	}
	return links
}

func FuzzExpandWithAffinity(f *testing.F) {
	for seed := range uint64(30) {
		f.Add(seed, uint8(seed*8))
	}
	f.Fuzz(func(t *testing.T, seed uint64, size uint8) {
		k := newTalk(seed, int(size)+1)
		k.options.Affinity = dice(seed)
		k.options.Recall = float64(seed % 3)
		g := k.expand(t, &source{world: k.world, order: inOrder})
		k.checkSelection(t, g)
		k.checkChain(t, g)
		for _, s := range []*source{
			{world: k.world, order: backwards}, {world: k.world, order: shuffled(seed)}, {world: k.world, order: inOrder, drip: 1},
		} {
			if again := k.expand(t, s); !reflect.DeepEqual(g.Conversation, again.Conversation) ||
				!reflect.DeepEqual(g.Background, again.Background) {
				t.Fatal("how the messages are read shows")
			}
		}
	})
}

// checkSelection: conversation and background together stay within MaxTotal, hold
// every seed, overlap nowhere, and everything conversation has a reason.
func (k *talk) checkSelection(t *testing.T, g *graph.Graph) {
	t.Helper()
	chosen := append(ids(g.Conversation), ids(g.Background)...)
	if len(chosen) > k.options.MaxTotal {
		t.Fatalf("%d messages, at most %d", len(chosen), k.options.MaxTotal)
	}
	slices.Sort(chosen)
	if len(slices.Compact(chosen)) != len(g.Conversation)+len(g.Background) {
		t.Fatal("a message is in twice")
	}
	left := min(k.options.MinLinear, k.options.MaxTotal)
	for _, m := range slices.Backward(k.channels[1]) {
		if left == 0 || m.Position().Compare(k.trigger.Position()) >= 0 {
			continue
		}
		left--
		if !slices.Contains(chosen, m.ID) {
			t.Fatalf("seed %v is not in", m.ID)
		}
	}
	for _, n := range slices.Concat(g.Conversation, g.Explored) {
		if n.Probability < 0 || n.Probability > 1 || math.IsNaN(n.Probability) {
			t.Fatalf("%v has the probability %v", n.Message.ID, n.Probability)
		}
	}
	for _, n := range g.Conversation {
		if len(n.Reasons) == 0 || n.Message.Position().Compare(k.trigger.Position()) >= 0 {
			t.Fatalf("%v is in without a reason", n.Message.ID)
		}
	}
}

// checkChain: while there is room, what the conversation refers to is in it.
func (k *talk) checkChain(t *testing.T, g *graph.Graph) {
	t.Helper()
	if len(g.Conversation)+len(g.Background) >= k.options.MaxTotal {
		return
	}
	chosen := ids(g.Conversation)
	for at := k.trigger; len(at.References) > 0; {
		r := at.References[0]
		to, held := k.byID[r.Message]
		inScope := r.Channel == 1 || r.Channel == 2
		if !held || !inScope || to.Channel != r.Channel || to.Position().Compare(at.Position()) >= 0 {
			return
		}
		if !slices.Contains(chosen, to.ID) {
			t.Fatalf("%v refers to %v, which is not in", at.ID, to.ID)
		}
		at = to
	}
}

func TestEveryMessageOfOneTalkIsFound(t *testing.T) {
	w := newWorld()
	for i := range 100 {
		label := []string{"[a] ", "[b] ", "[c] "}[i%3]
		w.add(person(graph.MessageID(i+1), label))
	}
	w.fold()
	g, err := graph.Expand(&source{world: w, order: inOrder}, w.byID[100], graph.Options{
		MinLinear: 4, MaxTotal: 30, Affinity: labels{},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range g.Conversation {
		if labelOf(n.Message.Text) != "[a" {
			t.Errorf("%v belongs elsewhere", n.Message.ID)
		}
	}
	if got := ids(g.Background); !slices.Equal(got, []graph.MessageID{96, 98, 99}) {
		t.Errorf("background %v", got)
	}
}
