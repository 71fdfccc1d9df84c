package path_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"heddle/graph"
	"heddle/graph/path"
)

// TestWhatLeavesIsInOneStretch goes on with random conversations and looks at what
// summaries would be made from: each message that leaves, once, and none again
// between two checkpoints.
func TestWhatLeavesIsInOneStretch(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		shape := path.Shape{Retention: pick(r, path.Retention{}, path.DefaultRetention(), atOnce()), Count: characters}
		shape.Budget = pick(r, 0, 3000+r.IntN(10000))
		c := newChat(shape)
		c.certain = func(int) *float64 { return pick(r, (*float64)(nil), new(r.Float64())) }
		if r.IntN(2) == 0 {
			c.sees = (*chat).everything
		}
		squeezed := map[graph.MessageID]bool{}
		for range 60 {
			before := c.lineage
			built := c.exchange()
			stretch := built.Stretch()
			if moved := built.Checkpoint > before.Checkpoint || built.Cut > before.Cut; !moved && len(stretch) > 0 {
				t.Fatalf("seed %d: %d messages left between two checkpoints, want none", seed, len(stretch))
			}
			for _, left := range stretch {
				if squeezed[left.Message.ID] || len(path.Transcript([]path.Left{left}, path.Naming{})) == 0 {
					t.Fatalf("seed %d: message %s is squeezed twice, or to nothing, want it once and with text", seed, left.Message.ID)
				}
				squeezed[left.Message.ID] = true
			}
			for _, m := range built.Messages {
				if squeezed[m.ID] {
					t.Fatalf("seed %d: message %s is on the path and in its summary, want it in one", seed, m.ID)
				}
			}
		}
		if lost, some := c.lost(squeezed); some {
			t.Fatalf("seed %d: message %s is neither on the path nor in a stretch, want it in one", seed, lost)
		}
	}
}

// lost is a message that is neither on the last path, the answer to it aside, nor
// among those that left.
func (c *chat) lost(left map[graph.MessageID]bool) (graph.MessageID, bool) {
	for _, m := range c.messages[:len(c.messages)-1] {
		if _, on := c.lineage.Positions[m.ID]; !on && !left[m.ID] {
			return m.ID, true
		}
	}
	return 0, false
}

func TestASummaryStandsBehindTheSystemPrompt(t *testing.T) {
	built := path.Build(conversation(said(9, 1, "ann", "now?"), said(1, 1, "ann", "then")), path.Shape{System: "Be kind."})
	built.Summarise(path.Summary("ann said much"))
	roles := make([]path.Role, len(built.Path.Turns))
	for i, turn := range built.Path.Turns {
		roles[i] = turn.Role
	}
	if !slices.Equal(roles, []path.Role{path.RoleSystem, path.RoleSummary, path.RoleUser, path.RoleUser}) {
		t.Errorf("the roles are %v, want a summary behind the system prompt", roles)
	}
}
