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
			got := render(s.expand(t, &source{world: s.world, order: inOrder}))
			if golden.Updating() {
				rewrite(t, file, got)
				return
			}
			if got != s.want {
				t.Errorf("got\n%s\nwant\n%s", got, s.want)
			}
			for name, order := range map[string]func(int) []int{"backwards": backwards, "shuffled": shuffled(1)} {
				if again := render(s.expand(t, &source{world: s.world, order: order})); again != got {
					t.Errorf("read %s it is\n%s\ninstead of\n%s", name, again, got)
				}
			}
			dripped := s.expand(t, &source{world: s.world, order: inOrder, drip: 1})
			whole := s.expand(t, &source{world: s.world, order: inOrder})
			if !reflect.DeepEqual(dripped.Conversation, whole.Conversation) {
				t.Errorf("read one by one it is\n%s\ninstead of\n%s", render(dripped), got)
			}
		})
	}
}

func (s *scenario) expand(t *testing.T, from *source) *graph.Graph {
	t.Helper()
	return errtest.Must(graph.Expand(from, s.world.byID[s.trigger], s.options))(t)
}

func rewrite(t *testing.T, file, lower string) {
	t.Helper()
	data := errtest.Must(os.ReadFile(file))(t)
	upper, _, _ := strings.Cut(string(data), "\n---\n")
	errtest.None(t, os.WriteFile(file, []byte(strings.TrimRight(upper, "\n")+"\n---\n"+lower), 0o600))
}

func TestExpandFailsWithItsSource(t *testing.T) {
	broken := errors.New("broken")
	failing := graph.SourceFunc(func(graph.Batch) (graph.Reading, error) { return graph.Reading{}, broken })
	if _, err := graph.Expand(failing, person(1, ""), graph.DefaultOptions()); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	half := graph.SourceFunc(func(graph.Batch) (graph.Reading, error) { return graph.Reading{}, nil })
	if _, err := graph.Expand(half, person(1, ""), graph.DefaultOptions()); err == nil {
		t.Error("half an answer is taken, want an error")
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

// A gap that is as long as the threshold is walked across; a longer one is not.
func TestAGapAsLongAsTheThresholdIsWalkedAcross(t *testing.T) {
	const threshold = 10 * time.Minute
	for gap, want := range map[time.Duration][]graph.MessageID{
		threshold: {1, 2, 3}, threshold + 1: {2, 3}, threshold - 1: {1, 2, 3},
	} {
		w := newWorld()
		at := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
		for i, apart := range []time.Duration{0, gap, time.Minute, time.Minute} {
			at = at.Add(apart)
			m := person(graph.MessageID(i+1), "text")
			m.Time = at
			w.add(m)
		}
		w.fold()
		g := errtest.Must(graph.Expand(&source{world: w, order: inOrder}, w.byID[4], graph.Options{MinLinear: 1, MaxTotal: 10, TimeThreshold: threshold}))(t)
		if got := ids(g.Conversation); !slices.Equal(got, want) {
			t.Errorf("across a gap of %v the conversation is %v, want %v", gap, got, want)
		}
	}
}
