package graph_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/errtest"
)

// talk is a random world with a trigger in channel 1, whose parent is channel 2. Into
// channel 3 only links lead.
type talk struct {
	*world
	trigger graph.Message
	options graph.Options
}

func newTalk(seed uint64, size int) *talk {
	random := rand.New(rand.NewPCG(seed, 7))
	w := newWorld()
	kinds := []graph.ReferenceKind{graph.ReferenceReply, graph.ReferenceStarter, graph.ReferenceForward, graph.ReferenceLink}
	now := time.Unix(1_800_000_000, 0)
	for i := range size {
		id := graph.MessageID(i + 2)
		now = now.Add(time.Duration(random.ExpFloat64() * float64(3*time.Minute)))
		m := graph.Message{ID: id, Channel: 1, Author: graph.UserID(random.IntN(4) + 1), Time: now}
		switch random.IntN(10) {
		case 0, 1:
			m.Channel = 2
		case 2:
			m.Channel = 3
		}
		m.System = random.IntN(15) == 0
		if random.IntN(6) == 0 {
			m.Origin = graph.OriginSelf
		}
		for range random.IntN(3) {
			m.References = append(m.References, graph.Reference{
				Kind:    kinds[random.IntN(len(kinds))],
				Channel: graph.ChannelID(random.IntN(3) + 1),
				Message: graph.MessageID(random.IntN(i + 2)),
			})
		}
		w.add(m)
	}
	trigger := graph.Message{ID: graph.MessageID(size/2 + 2), Channel: 1, Author: 1, Time: w.raw[size/2].Time}
	if size > 3 {
		trigger.References = []graph.Reference{{Channel: 1, Message: graph.MessageID(random.IntN(size/2) + 1)}}
	}
	w.raw[size/2] = trigger
	w.fold()
	return &talk{world: w, trigger: w.byID[trigger.ID], options: graph.Options{
		MinLinear: random.IntN(12), MaxTotal: random.IntN(32), Parent: 2,
		TimeThreshold: time.Duration(random.IntN(600)+1) * time.Second,
	}}
}

func (k *talk) expand(t *testing.T, s *source) *graph.Graph {
	t.Helper()
	return errtest.Must(graph.Expand(s.Read, k.trigger, k.options))(t)
}

func ids(nodes []graph.Node) []graph.MessageID {
	list := make([]graph.MessageID, len(nodes))
	for i := range nodes {
		list[i] = nodes[i].Message.ID
	}
	return list
}

func FuzzExpand(f *testing.F) {
	for seed := range uint64(30) {
		f.Add(seed, uint8(seed*8))
	}
	f.Fuzz(func(t *testing.T, seed uint64, size uint8) {
		k := newTalk(seed, int(size)+1)
		g := k.expand(t, &source{world: k.world})
		if want := choose(k.world, k.trigger, k.options); !slices.Equal(ids(g.Conversation), want) {
			t.Fatalf("chose %v\nwant %v by the rules", ids(g.Conversation), want)
		}
		k.checkSelection(t, g)
		k.checkSides(t, g)
		if again := k.expand(t, &source{world: k.world}); !reflect.DeepEqual(g, again) {
			t.Fatal("the second time the graph is another, want the same")
		}
		dripped := k.expand(t, &source{world: k.world, drip: int(seed%3) + 1})
		if !reflect.DeepEqual(g.Conversation, dripped.Conversation) {
			t.Fatal("how much is read ahead changes the conversation, want the same one")
		}
	})
}

// endsOf counts the ends of every side of a message: seals and neighbours.
func endsOf(g *graph.Graph) map[oracleSide]int {
	ends := map[oracleSide]int{}
	for _, s := range g.Seals {
		ends[oracleSide{s.At, s.Direction}]++
	}
	for _, e := range g.Edges {
		if e.Kind == graph.EdgeTemporal {
			ends[oracleSide{e.From, graph.Older}]++
			ends[oracleSide{e.To, graph.Newer}]++
		}
	}
	return ends
}

// checkSides: every side of every message in the graph has exactly one end, a seal
// or a neighbour, save the trigger's newer one.
func (k *talk) checkSides(t *testing.T, g *graph.Graph) {
	t.Helper()
	ends := endsOf(g)
	for _, id := range append(ids(g.Conversation), k.trigger.ID) {
		for _, direction := range []graph.Direction{graph.Older, graph.Newer} {
			want := 1
			if id == k.trigger.ID && direction == graph.Newer {
				want = 0
			}
			if got := ends[oracleSide{id, direction}]; got != want {
				t.Fatalf("%s of %v has %d ends, want %d", direction, id, got, want)
			}
		}
	}
}

func TestAutoThresholdJudgesByThePace(t *testing.T) {
	for seed := range uint64(200) {
		k := newTalk(seed, 120)
		k.options.TimeThreshold = graph.AutoThreshold
		want := ids(k.expand(t, &source{world: k.world}).Conversation)
		for _, factor := range []int64{60, 3600} {
			slow := &talk{world: newWorld(), options: k.options}
			for _, m := range k.raw {
				m.Time = k.raw[0].Time.Add(time.Duration(int64(m.Time.Sub(k.raw[0].Time)) * factor))
				slow.add(m)
			}
			slow.fold()
			slow.trigger = slow.byID[k.trigger.ID]
			if got := ids(slow.expand(t, &source{world: slow.world}).Conversation); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %d times slower: chose %v instead of %v", seed, factor, got, want)
			}
		}
	}
}

// TestABurstMakesNoShortPauseLong has messages come within milliseconds, as programs or an
// import write them, and one after a pause that people need to read and to write.
func TestABurstMakesNoShortPauseLong(t *testing.T) {
	const floor = 10 * time.Second
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 13))
		w, size := newWorld(), 3+random.IntN(80)
		at := time.Unix(1_800_000_000, 0)
		for i := range size {
			pause := time.Duration(random.IntN(50)) * time.Millisecond
			if i == size-2 {
				pause = time.Duration(random.Int64N(int64(floor) + 1))
			}
			at = at.Add(pause)
			w.add(graph.Message{ID: graph.MessageID(i + 1), Channel: 1, Time: at, Author: 1, Text: "thread"})
		}
		w.fold()
		g := errtest.Must(graph.Expand((&source{world: w}).Read, w.byID[graph.MessageID(size)], graph.Options{MinLinear: 1, MaxTotal: size, TimeThreshold: graph.AutoThreshold}))(t)
		if len(g.Conversation) != size-1 {
			t.Fatalf("seed %d: %d of %d messages are in, want all, with %v as the longest gap", seed, len(g.Conversation), size-1, g.Threshold)
		}
		talks := graph.Part(w.channels[1], graph.Options{TimeThreshold: graph.AutoThreshold})
		if len(talks) != 1 {
			t.Fatalf("seed %d: a burst and a short pause are parted into %d talks, want 1", seed, len(talks))
		}
	}
}
