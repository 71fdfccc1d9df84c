package graph_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/internal/golden"
)

func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			s := readScenario(t, file)
			whole := s.expand(t, &source{world: s.world})
			got := render(whole)
			if golden.Updating() {
				rewrite(t, file, got)
				return
			}
			if got != s.want {
				t.Errorf("got\n%s\nwant\n%s", got, s.want)
			}
			dripped := s.expand(t, &source{world: s.world, drip: 1})
			if !reflect.DeepEqual(dripped.Conversation, whole.Conversation) {
				t.Errorf("read one by one it is\n%s\ninstead of\n%s", render(dripped), got)
			}
		})
	}
}

func (s *scenario) expand(t *testing.T, from *source) *graph.Graph {
	t.Helper()
	return errtest.Must(graph.Expand(from.Read, s.world.byID[s.trigger], s.options))(t)
}

func rewrite(t *testing.T, file, lower string) {
	t.Helper()
	data := errtest.Must(os.ReadFile(file))(t)
	upper, _, _ := strings.Cut(string(data), "\n---\n")
	errtest.None(t, os.WriteFile(file, []byte(strings.TrimRight(upper, "\n")+"\n---\n"+lower), 0o600))
}

func TestExpandFailsWithItsSource(t *testing.T) {
	broken := errors.New("broken")
	failing := func(graph.Batch) (graph.Reading, error) { return graph.Reading{}, broken }
	if _, err := graph.Expand(failing, person(1, ""), graph.DefaultOptions()); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

// render writes a graph as the lower half of a scenario.
func render(g *graph.Graph) string {
	var b strings.Builder
	for _, section := range []struct {
		name  string
		nodes []graph.Node
	}{{"conversation", g.Conversation}, {"background", g.Background}, {"explored", g.Explored}} {
		fmt.Fprintf(&b, "%s:\n", section.name)
		for _, n := range section.nodes {
			fmt.Fprintf(&b, "  %s", n.Message.ID)
			if n.Probability > 0 && n.Probability < 1 {
				fmt.Fprintf(&b, " %.2f", n.Probability)
			}
			fmt.Fprintf(&b, "%s\n", renderReasons(n.Reasons))
		}
	}
	b.WriteString("seals:\n")
	for _, s := range g.Seals {
		fmt.Fprintf(&b, "  %s %s: %s", s.At, s.Direction, s.Why)
		if s.Why == graph.SealGap {
			fmt.Fprintf(&b, " %s", s.Gap)
		}
		if s.Beyond != 0 {
			fmt.Fprintf(&b, " before %s", s.Beyond)
		}
		fmt.Fprintf(&b, ", round %d\n", s.Round)
	}
	b.WriteString("edges:\n")
	for _, e := range g.Edges {
		switch e.Kind {
		case graph.EdgeReference:
			fmt.Fprintf(&b, "  %s -> %s %s %s", e.From, e.To, e.Reference, e.State)
			if e.Probability < 1 {
				fmt.Fprintf(&b, " %.2f", e.Probability)
			}
			b.WriteString("\n")
		case graph.EdgeTemporal:
			fmt.Fprintf(&b, "  %s - %s %s\n", e.From, e.To, e.Gap)
		case graph.EdgeVersion:
			fmt.Fprintf(&b, "  %s edited %s\n", e.From, e.Edited.Format("15:04"))
		}
	}
	fmt.Fprintf(&b, "rounds: %d, threshold %s\n", g.Rounds, g.Threshold)
	return b.String()
}

func renderReasons(reasons []graph.Reason) string {
	var b strings.Builder
	for i, r := range reasons {
		if i > 0 {
			b.WriteString(";")
		}
		switch r.Kind {
		case graph.ReasonSeed:
			b.WriteString(" seed")
		case graph.ReasonReference:
			fmt.Fprintf(&b, " %s from %s, round %d", r.Reference, r.From, r.Round)
		case graph.ReasonTemporal:
			fmt.Fprintf(&b, " beside %s after %s, round %d", r.From, r.Gap, r.Round)
		case graph.ReasonAnswer:
			fmt.Fprintf(&b, " %s to %s, round %d", r.Reference, r.From, r.Round)
		case graph.ReasonLineage:
			fmt.Fprintf(&b, " lineage from %s", r.From)
		case graph.ReasonNeeded:
			fmt.Fprintf(&b, " needed at %.2f", r.Probability)
		case graph.ReasonRead:
			fmt.Fprintf(&b, " read by %s", r.By)
		case graph.ReasonRecalled: // not by Expand
		}
	}
	return b.String()
}

// counted is an affinity that counts the windows that it judges.
type counted struct {
	graph.Affinity
	windows int
}

func (c *counted) Links(window []*graph.Message) graph.Links {
	c.windows++
	return c.Affinity.Links(window)
}

// apart is how many messages stand between two replies of a chain, in minutes as well.
const apart = 120

// chain is a world with a chain of so many replies, which ends with its last message, in
// which links point to messages between the replies.
func chain(length, links int) (w *world, last graph.Message) {
	w = newWorld()
	at := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	for i := range length*apart + 1 {
		last = person(graph.MessageID(i+1), "text")
		last.Time = at.Add(time.Duration(i) * time.Minute)
		if i > 0 && i%apart == 0 {
			last.References = []graph.Reference{{Channel: last.Channel, Message: graph.MessageID(i + 1 - apart)}}
		}
		for k := range links {
			if i == length*apart {
				last.References = append(last.References, graph.Reference{Kind: graph.ReferenceLink, Channel: last.Channel, Message: graph.MessageID(apart*(2+k) + apart/2)})
			}
		}
		w.add(last)
	}
	w.fold()
	return w, last
}

// A chain of replies costs one read and one round for each reply that is not held, and one
// read for the neighbours of all; it is judged once.
func TestAChainIsReadBeforeItIsJudged(t *testing.T) {
	const length = 25
	w, last := chain(length, 0)
	s := &source{world: w}
	options := graph.DefaultOptions()
	affinity := &counted{Affinity: dice(1)}
	options.Affinity = affinity
	g := errtest.Must(graph.Expand(s.Read, last, options))(t)
	if most := length + 4; s.batches > most || g.Rounds < length || affinity.windows > 1+length {
		t.Errorf("%d reads, %d rounds and %d windows, want at most %d, at least %d, and one window and one for each reply", s.batches, g.Rounds, affinity.windows, most, length)
	}
	if len(g.Conversation) < length {
		t.Errorf("the conversation has %d messages, want at least the %d of the chain", len(g.Conversation), length)
	}
}

// The neighbours of replied-to messages are explored up to a bound, whatever refers to them,
// and a few of each that the question itself refers to.
func TestTheNeighboursOfAChainAreBounded(t *testing.T) {
	const length = 25
	for _, links := range []int{0, 12, 20} {
		w, last := chain(length, links)
		options := graph.DefaultOptions()
		options.Affinity = dice(1)
		g := errtest.Must(graph.Expand((&source{world: w}).Read, last, options))(t)
		const before, around, beside = 100, 100, 2 * 3 // the question, any messages, and each that the question refers to
		n := len(g.Conversation) + len(g.Background) + len(g.Explored)
		if most := before + length + links + around + beside*(links+1); n > most {
			t.Errorf("with %d links %d messages are explored, want at most %d", links, n, most)
		}
	}
}

// The same messages and question, in a channel, in a thread without a starter and in
// one with, give the same context: a starter is where they stand, not an answer.
func TestAStarterIsAPlace(t *testing.T) {
	for seed := range uint64(100) {
		for _, total := range []int{5, 30, 40} {
			channel := expandIn(t, "channel", dice(seed), total)
			for _, place := range []string{"thread", "thread with starter"} {
				thread := expandIn(t, place, dice(seed), total)
				if want, got := said(channel.Conversation, channel.Background), said(thread.Conversation, thread.Background); !slices.Equal(got, want) {
					t.Fatalf("seed %d, %d messages: a %s gives %v, want %v as a channel does", seed, total, place, got, want)
				}
				full := len(channel.Conversation) == total // then the starter displaces one
				if want, got := said(channel.Conversation), said(thread.Conversation); !full && !slices.Equal(got, want) {
					t.Fatalf("seed %d, %d messages: a %s has the conversation %v, want %v as in a channel", seed, total, place, got, want)
				}
				if place == "thread with starter" && !slices.Contains(ids(thread.Conversation), starterID) {
					t.Fatalf("seed %d, %d messages: the conversation is %v, want the starter in it", seed, total, ids(thread.Conversation))
				}
			}
		}
	}
}

const (
	starterID graph.MessageID = 50
	pointerID graph.MessageID = 100
)

// said returns the ids of the 32 messages among the nodes, in order.
func said(nodes ...[]graph.Node) []graph.MessageID {
	said := slices.DeleteFunc(ids(slices.Concat(nodes...)), func(id graph.MessageID) bool { return id <= pointerID || id > pointerID+32 })
	slices.Sort(said)
	return said
}

// expandIn builds the graph of a question behind 32 messages in such a place.
func expandIn(t *testing.T, place string, affinity graph.Affinity, total int) *graph.Graph {
	t.Helper()
	w := newWorld()
	now := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	options := graph.Options{MinLinear: 10, MaxTotal: total, Affinity: affinity}
	starter := graph.Reference{Kind: graph.ReferenceStarter, Channel: 2, Message: starterID}
	if place != "channel" {
		options.Parent = 2
	}
	if place == "thread with starter" {
		for i := range graph.MessageID(5) {
			w.add(graph.Message{ID: starterID - 2 + i, Channel: 2, Author: 1, Time: now, Text: "in the parent channel"})
		}
		w.add(graph.Message{ID: pointerID, Channel: 1, Author: 1, Time: now, Text: "[started]", References: []graph.Reference{starter}})
	}
	for i := range 32 {
		now = now.Add(time.Minute)
		w.add(graph.Message{ID: pointerID + graph.MessageID(i+1), Channel: 1, Author: graph.UserID(i%3 + 1), Time: now, Text: fmt.Sprint("message ", i)})
	}
	trigger := graph.Message{ID: 200, Channel: 1, Author: 1, Time: now.Add(time.Minute), Text: "question"}
	if place == "thread with starter" {
		trigger.References = append(trigger.References, starter)
	}
	w.add(trigger)
	w.fold()
	return errtest.Must(graph.Expand((&source{world: w}).Read, w.byID[trigger.ID], options))(t)
}
