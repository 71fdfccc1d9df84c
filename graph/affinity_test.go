package graph_test

import (
	"hash/fnv"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/errtest"
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
		g := k.expand(t, &source{world: k.world})
		k.checkSelection(t, g)
		k.checkEnds(t, g)
		k.checkChain(t, g)
		k.checkClosed(t, g)
		k.checkAround(t, g)
		for _, s := range []*source{{world: k.world}, {world: k.world, drip: 1}} {
			if again := k.expand(t, s); !reflect.DeepEqual(g.Conversation, again.Conversation) ||
				!reflect.DeepEqual(g.Background, again.Background) {
				t.Fatal("how the messages are read changes the graph, want the same graph")
			}
		}
	})
}

// checkSelection: the conversation stays within MaxTotal, conversation and background
// hold all seeds and overlap nowhere, and everything in them has a reason.
func (k *talk) checkSelection(t *testing.T, g *graph.Graph) {
	t.Helper()
	if len(g.Conversation) > k.options.MaxTotal {
		t.Fatalf("%d messages, want at most %d", len(g.Conversation), k.options.MaxTotal)
	}
	chosen := append(ids(g.Conversation), ids(g.Background)...)
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
			t.Fatalf("seed %v is not in, want every seed", m.ID)
		}
	}
	for _, n := range slices.Concat(g.Conversation, g.Background, g.Explored) {
		if n.Probability < 0 || n.Probability > 1 || math.IsNaN(n.Probability) {
			t.Fatalf("%v has the probability %v, want one between 0 and 1", n.Message.ID, n.Probability)
		}
	}
	for _, nodes := range [][]graph.Node{g.Conversation, g.Background} {
		before := graph.Position{}
		for _, n := range nodes {
			position := n.Message.Position()
			if len(n.Reasons) == 0 || n.Message.System || position.Compare(k.trigger.Position()) >= 0 {
				t.Fatalf("%v is in without a reason, want one", n.Message.ID)
			}
			if position.Compare(before) <= 0 {
				t.Fatalf("%v stands at %v, want it behind %v", n.Message.ID, position, before)
			}
			before = position
		}
	}
}

// checkEnds: no side of a message has more than one end, a seal or a neighbour.
func (k *talk) checkEnds(t *testing.T, g *graph.Graph) {
	t.Helper()
	for side, n := range endsOf(g) {
		if n > 1 {
			t.Fatalf("%s of %v has %d ends, want at most 1", side.direction, side.id, n)
		}
	}
}

// answered returns what a message certainly answers of what may be read: the targets
// of its references, starters left out, and the question of an answer.
func (k *talk) answered(m *graph.Message) []graph.MessageID {
	var targets []graph.MessageID
	for _, r := range m.References {
		to, held := k.byID[r.Message]
		inScope := r.Channel == 1 || r.Channel == 2 || r.Channel == m.Channel || r.Kind == graph.ReferenceLink
		if r.Kind != graph.ReferenceStarter && held && !to.System && inScope && to.Channel == r.Channel && to.ID != m.ID && to.Position().Compare(k.trigger.Position()) < 0 {
			targets = append(targets, to.ID)
		}
	}
	if to, held := k.byID[m.Answers]; held && !to.System && to.Channel == m.Channel && to.ID != k.trigger.ID {
		targets = append(targets, to.ID)
	}
	return targets
}

// checkChain: the references from the trigger are followed to their end before
// anything else is admitted, the nearest first.
func (k *talk) checkChain(t *testing.T, g *graph.Graph) {
	t.Helper()
	chosen := ids(g.Conversation)
	level := []graph.MessageID{k.trigger.ID}
	chain := 0
	for seen := map[graph.MessageID]bool{}; len(level) > 0; {
		var next []graph.MessageID
		for _, id := range level {
			m := k.byID[id]
			for _, to := range k.answered(&m) {
				if !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
			}
		}
		in := 0
		for _, id := range next {
			if slices.Contains(chosen, id) {
				in++
			}
		}
		if want := min(len(next), k.options.MaxTotal-chain); in < want {
			t.Fatalf("of the references %v %d are in, want %d", next, in, want)
		}
		chain += len(next)
		if chain >= k.options.MaxTotal {
			return
		}
		level = next
	}
}

// checkClosed: what a message of the conversation answers is in it, as long as there
// is room.
func (k *talk) checkClosed(t *testing.T, g *graph.Graph) {
	t.Helper()
	if len(g.Conversation) == k.options.MaxTotal {
		return // the trigger's own chain may be longer than that
	}
	chosen := ids(g.Conversation)
	for i := range g.Conversation {
		for _, to := range k.answered(g.Conversation[i].Message) {
			if !slices.Contains(chosen, to) {
				t.Fatalf("%v answers %v, which is not in, want it in", g.Conversation[i].Message.ID, to)
			}
		}
	}
}

// checkAround: the neighbours of what the trigger refers to, three on either side up
// to a gap, are in.
func (k *talk) checkAround(t *testing.T, g *graph.Graph) {
	t.Helper()
	if k.options.MaxTotal == 0 {
		return
	}
	sent := append(ids(g.Conversation), ids(g.Background)...)
	o := &oracle{world: k.world, trigger: k.trigger}
	for _, id := range k.answered(&k.trigger) {
		for _, direction := range []graph.Direction{graph.Older, graph.Newer} {
			at := k.byID[id]
			for range 3 {
				next, ok := o.beside(at, direction)
				if !ok || gapOf(at, next) > k.options.TimeThreshold {
					break
				}
				if !slices.Contains(sent, next.ID) {
					t.Fatalf("%v, beside %v, which the trigger refers to, is not in, want it in", next.ID, id)
				}
				at = next
			}
		}
	}
}

// near is an affinity by which each message of a window answers the one before it with
// the probability that stands at its place, and nothing else answers anything.
type near []float32

func (n near) Links(window []*graph.Message) graph.Links {
	links := graph.NewLinks(len(window))
	for j := 1; j < min(len(window), len(n)); j++ {
		links.Row(j)[j-1] = n[j]
	}
	return links
}

// asked returns the graph of the last of these texts, which are said a minute apart.
func asked(t *testing.T, affinity graph.Affinity, texts ...string) *graph.Graph {
	t.Helper()
	w := newWorld()
	for i, text := range texts {
		m := person(graph.MessageID(i+1), text)
		m.Time = time.Unix(int64(60*i), 0)
		if i < len(texts)-1 {
			m.References = []graph.Reference{{Kind: graph.ReferenceAddress, User: 7}} // so that turns do not count
		}
		w.add(m)
	}
	w.fold()
	options := graph.DefaultOptions()
	options.Affinity = affinity
	return errtest.Must(graph.Expand((&source{world: w}).Read, w.byID[graph.MessageID(len(texts))], options))(t)
}

func TestABareMentionTakesMoreOfWhatWasSaidLast(t *testing.T) {
	for text, want := range map[string]int{"": 2, "@heddle": 2, "@heddle again?": 1} {
		if g := asked(t, near{0, 0.4, 0.95}, "stuck", "again?", text); len(g.Conversation) != want {
			t.Errorf("asked %q: %d messages, want %d", text, len(g.Conversation), want)
		}
	}
}

func TestATriggerThatBeginsATalkHasNoConversation(t *testing.T) {
	for _, c := range []struct {
		p    float32
		text string
		want int
	}{
		{0.02, "who knows about printers?", 0},
		{0.5, "who knows about printers?", 1},
		{0.02, "@heddle", 1}, // it can only mean what was said before
	} {
		g := asked(t, near{0, c.p}, "the oven is on", c.text)
		if len(g.Conversation) != c.want {
			t.Errorf("%q at %.2f: %d messages are conversation, want %d", c.text, c.p, len(g.Conversation), c.want)
		}
		if len(g.Conversation)+len(g.Background) != 1 {
			t.Errorf("%q at %.2f: what was said last is not sent, want it", c.text, c.p)
		}
	}
}
