package alternatives

import (
	"testing"

	"heddle/graph/path"
)

func TestTheWordsOfATurnAreItsText(t *testing.T) {
	t.Parallel()
	for want, turn := range map[string]path.Turn{
		"":        {},
		"a loom?": {Parts: []path.Part{path.Text("a loom?")}},
		"two":     {Parts: []path.Part{path.Image{}, path.Text("two")}},
	} {
		if got := words(turn); got != want {
			t.Errorf("the words are %q, want %q", got, want)
		}
	}
}
