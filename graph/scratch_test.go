package graph_test

import (
	"reflect"
	"testing"

	"heddle/graph"
)

// What an expansion leaves in the memory that it worked in changes nothing of the next.
func TestMemoryThatIsUsedAgainChangesNothing(t *testing.T) {
	scratch := graph.NewScratch()
	for seed := range uint64(60) {
		k := newTalk(seed, 40+int(seed)*3)
		k.options = graph.DefaultOptions()
		k.options.Parent = 2
		if seed%3 > 0 {
			k.options.Affinity = fixed{}
		}
		expand := func(memory *graph.Scratch) *graph.Graph {
			k.options.Scratch = memory
			g, err := graph.Expand(&source{world: k.world, order: inOrder}, k.trigger, k.options)
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		if fresh, used := expand(nil), expand(scratch); !reflect.DeepEqual(fresh, used) {
			t.Fatalf("talk %d: with memory used before the graph is another, want the same", seed)
		}
	}
}
