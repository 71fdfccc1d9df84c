package conversation

import (
	"testing"

	"heddle/graph"
	"heddle/graph/path"
)

// TestTheChoicesThatAreKeptAreBounded keeps more of them, the last one twice.
func TestTheChoicesThatAreKeptAreBounded(t *testing.T) {
	r := newReader(nil, nil)
	for i := range readKept + 2 {
		for range 2 {
			r.keep(path.RequestHash([]byte{byte(i), byte(i >> 8)}), graph.Choice{By: "it"})
		}
	}
	for i, want := range map[int]bool{0: false, 1: false, 2: true, readKept + 1: true} {
		if _, kept := r.kept[path.RequestHash([]byte{byte(i), byte(i >> 8)})]; kept != want {
			t.Errorf("choice %d is kept: %t, want %t", i, kept, want)
		}
	}
	if len(r.kept) != readKept || len(r.old) != readKept {
		t.Errorf("%d choices are kept, in an order of %d, want %d", len(r.kept), len(r.old), readKept)
	}
}
