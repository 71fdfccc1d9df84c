package archtest_test

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"heddle/internal/heaptest"
)

// TestWhatIsHeldInMemoryIsStated checks docs/operations.md: a test fills each cache of the
// table to its bound, and the total is the sum of the rows. A cache that is bounded by its
// entries belongs to a package with such a test.
func TestWhatIsHeldInMemoryIsStated(t *testing.T) {
	tests, caches := map[string]string{}, map[string]bool{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && skipped(entry.Name()):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go"):
			return nil
		}
		folder := name[:max(0, strings.LastIndexByte(name, '/'))]
		text := read(t, name)
		switch {
		case strings.HasSuffix(name, "_test.go") && strings.Contains(text, "heaptest."):
			tests[folder] += text
		case !strings.HasSuffix(name, "_test.go") && folder != "internal/lru" && strings.Contains(text, "lru.New"):
			caches[folder] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(tests, "internal/archtest")
	sum := 0.0
	for row, most := range heaptest.Bounds(t) {
		sum += most
		filled := false
		for _, text := range tests {
			filled = filled || strings.Contains(text, `"`+row+`"`)
		}
		if !filled {
			t.Errorf("no test fills %q of %s", row, heaptest.Table)
		}
	}
	if total := fmt.Sprintf("Together at most %.4g MiB", sum); !strings.Contains(read(t, heaptest.Table), total) {
		t.Errorf("%s does not say %q", heaptest.Table, total)
	}
	for folder := range caches {
		if tests[folder] == "" {
			t.Errorf("no test of %s measures what its caches hold", folder)
		}
	}
}
