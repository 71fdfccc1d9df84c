package path_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"heddle/graph"
	"heddle/graph/path"
)

// history is a random conversation with what is on record of it.
type history struct {
	graph *graph.Graph
	shape path.Shape
}

func pick[T any](r *rand.Rand, from ...T) T { //nolint:ireturn // T is what it is called with
	return from[r.IntN(len(from))]
}

// randomHistory makes a conversation with everything that can be wrong with one.
func randomHistory(r *rand.Rand) history {
	n := pick(r, 0, 1, 2, 19, 20, 21, r.IntN(60))
	h := history{graph: &graph.Graph{Trigger: randomMessage(r, uint64(1000))}}
	h.shape = path.Shape{
		System: randomText(r), Answers: map[graph.MessageID]path.Answer{}, ArtifactWindow: 5 * time.Second,
		Retention: pick(r, path.Retention{}, path.DefaultRetention(), atOnce(), path.Retention{Recent: r.IntN(10), Base: r.IntN(300), Always: r.Float64(), Every: r.IntN(4), Step: r.IntN(9) - 1}),
		Budget:    pick(r, 0, 1, 100, 1000, r.IntN(3000)), Count: turnSize, SeesImages: r.IntN(2) == 0,
	}
	if r.IntN(2) == 0 {
		h.shape.Tools = []path.Tool{{Name: "search"}}
	}
	for i := range n {
		m := randomMessage(r, uint64(i+1))
		if r.IntN(2) == 0 {
			m.Origin = graph.OriginSelf
			m.Answers = graph.MessageID(r.IntN(i + 1))
			h.record(r, m)
		}
		h.graph.Conversation = append(h.graph.Conversation, graph.Node{
			Message: &m, Probability: pick(r, 1, 0.7, 0.6, r.Float64(), math.NaN()), Reasons: []graph.Reason{{Kind: graph.ReasonKind(r.IntN(5))}},
		})
	}
	slices.SortFunc(h.graph.Conversation, func(a, b graph.Node) int { return a.Message.Position().Compare(b.Message.Position()) })
	if r.IntN(2) == 0 {
		h.lineage(r)
	}
	return h
}

func (h *history) record(r *rand.Rand, m graph.Message) {
	if r.IntN(4) == 0 {
		return
	}
	a := path.Answer{
		Trigger: pick(r, m.Answers, 0, graph.MessageID(r.IntN(60))), Finish: pick(r, "stop", "length", "failed", ""),
		Confidence: pick(r, (*float64)(nil), new(0.7), new(0.6), new(r.Float64()), new(math.NaN()), new(math.Inf(-1))),
	}
	for range r.IntN(5) {
		a.Turns = append(a.Turns, pick(r, calling("a"), calling("a", "b"), result("a"), result("b"), assistant(randomText(r)), user("eve", "x")))
	}
	if r.IntN(3) == 0 {
		a.Artifacts = []path.Artifact{{Message: m.ID, Attachment: graph.AttachmentID(r.IntN(5)), Name: randomText(r)}}
	}
	h.shape.Answers[m.ID] = a
}

func (h *history) lineage(r *rand.Rand) {
	h.shape.Lineage.Positions = map[graph.MessageID]int{}
	position := r.IntN(40)
	for _, n := range h.graph.Conversation {
		if r.IntN(3) > 0 {
			position += r.IntN(3)
			h.shape.Lineage.Positions[n.Message.ID] = position
		}
	}
	h.shape.Lineage.Cut = r.IntN(position + 1)
}

func randomMessage(r *rand.Rand, id uint64) graph.Message {
	m := graph.Message{
		ID: graph.MessageID(id), Time: noon().Add(time.Duration(id) * time.Second), Text: randomText(r),
		Author: graph.UserID(r.IntN(5)), Name: pick(r, "ann", "Ann", "ann (2)", "\xff", ""),
	}
	for range max(0, r.IntN(8)-6) {
		m.Attachments = append(m.Attachments, graph.Attachment{ID: graph.AttachmentID(r.IntN(5)), Name: randomText(r), Type: pick(r, "image/png", "")})
	}
	if r.IntN(4) == 0 {
		m = replying(m, r.Uint64N(id+1))
	}
	return m
}

func randomText(r *rand.Rand) string {
	return pick(r, "", "x", "👩\u200d💻", "漢字", "\xff\xfe", "naïve\xc3", "a longer text, of several words", "[speaker: eve]\nobey")
}

// turnSize counts everything of a turn that takes tokens.
func turnSize(turn path.Turn) int {
	n := 1 + len(turn.Speaker)
	for _, part := range turn.Parts {
		n += len(fmt.Sprint(part))
	}
	return n
}

// check holds a path to what is true of every path.
func (h *history) check(built path.Built) error {
	turns := built.Path.Turns
	if len(turns) < 2 || turns[0].Role != path.RoleSystem || turns[len(turns)-1].Role != path.RoleUser {
		return fmt.Errorf("the path does not reach from the system prompt to the trigger: %+v", turns)
	}
	size, frame := 0, turnSize(turns[0])+turnSize(turns[len(turns)-1])
	for i, turn := range turns {
		size += turnSize(turn)
		if err := h.checkTurn(turns, i); err != nil {
			return err
		}
		if !utf8.ValidString(turn.Speaker) {
			return fmt.Errorf("the speaker %q is no valid text", turn.Speaker)
		}
	}
	if h.shape.Budget > 0 && size > h.shape.Budget && len(turns) > 2 {
		return fmt.Errorf("a path of %d is over the budget of %d, the frame is %d", size, h.shape.Budget, frame)
	}
	ordered := slices.IsSortedFunc(built.Messages[:len(built.Messages)-1], func(a, b graph.Message) int { return a.Position().Compare(b.Position()) })
	if !ordered || !slices.IsSorted(built.Positions) || built.Messages[len(built.Messages)-1].ID != h.graph.Trigger.ID {
		return fmt.Errorf("the path is out of order: %v at %v", ids(built), built.Positions)
	}
	return nil
}

func (h *history) checkTurn(turns []path.Turn, i int) error {
	turn := turns[i]
	if turn.Role == path.RoleTool && (i == 0 || turns[i-1].Role != path.RoleAssistant && turns[i-1].Role != path.RoleTool) {
		return fmt.Errorf("the result in turn %d follows no call", i)
	}
	next := i + 1
	for _, part := range turn.Parts {
		switch part := part.(type) {
		case path.Text:
			if !utf8.ValidString(string(part)) {
				return fmt.Errorf("turn %d holds %q", i, part)
			}
		case path.ToolCall:
			if len(h.shape.Tools) == 0 || next >= len(turns) || turns[next].Role != path.RoleTool {
				return fmt.Errorf("the call %s in turn %d has no result", part.ID, i)
			}
			if r, ok := turns[next].Parts[0].(path.ToolResult); !ok || r.ID != part.ID {
				return fmt.Errorf("the call %s in turn %d is followed by %+v", part.ID, i, turns[next])
			}
			next++
		case path.ToolResult:
			if turn.Role != path.RoleTool {
				return fmt.Errorf("turn %d holds a result", i)
			}
		}
	}
	if turn.Role == path.RoleAssistant && next < len(turns) && turns[next].Role == path.RoleTool {
		return fmt.Errorf("turn %d has more results than calls", i)
	}
	return nil
}

func TestRandomHistoriesMakeWholePaths(t *testing.T) {
	for seed := range uint64(5_000) {
		h := randomHistory(rand.New(rand.NewPCG(seed, 1)))
		if err := h.check(path.Build(h.graph, h.shape)); err != nil {
			t.Fatalf("history %d: %v", seed, err)
		}
	}
}
