package reply

import (
	"strings"
	"testing"

	"heddle/graph/path"
	"heddle/store"
)

func TestFilesOfOtherAlternativesAreNamed(t *testing.T) {
	const first, second, earlier = "-# Files of answer 1: warp.txt.", "-# Files of answer 2: weft.txt.", "-# Files of an earlier answer: old.txt, older.txt."
	var d Display
	for _, f := range []struct {
		name string
		of   int
	}{{"warp.txt", 0}, {"weft.txt", 1}, {"old.txt", -1}, {"older.txt", -1}} {
		d.files = append(d.files, file{store.Artifact{Artifact: path.Artifact{Name: f.name}}, f.of})
	}
	for shown, want := range map[int][]string{0: {earlier, second}, 1: {earlier, first}, NewAlternative: {earlier, first, second}} {
		if got := d.filesOfOthers(shown); got != strings.Join(want, "\n") {
			t.Errorf("if %d is shown the notice is %q, want %q", shown, got, want)
		}
	}
}
