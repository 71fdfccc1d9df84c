// Package heaptest measures what a full cache holds in memory, and compares it with what
// docs/operations.md tells operators. It is for tests.
package heaptest

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

const mebibyte = 1 << 20

// Table is where the bounds stand, and what its heading is.
const Table, heading = "docs/operations.md", "### What is held in memory"

// AtMost fails the test if what fill returns holds more memory than the row of the table
// in docs/operations.md allows. fill has to fill a cache to its bound. Tests that call
// AtMost must not be parallel, as what others allocate would count.
func AtMost(t *testing.T, row string, fill func() any) {
	t.Helper()
	all := Bounds(t)
	most, known := all[row]
	if !known {
		t.Fatalf("%s has no row %q, want one", Table, row)
	}
	held := Held(fill)
	t.Logf("%s: %.2f MiB", row, held)
	if held > most {
		t.Errorf("%s: %.2f MiB are held, want at most what %s says, %g", row, held, Table, most)
	}
}

// Held returns how many MiB what fill returns holds in memory.
func Held(fill func() any) float64 {
	before := inUse()
	filled := fill()
	after := inUse()
	runtime.KeepAlive(filled)
	return (float64(after) - float64(before)) / mebibyte
}

// inUse returns the bytes of heap in use after garbage was collected. What sync.Pools hold
// survives the first collection.
func inUse() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// Bounds returns the MiB of each row of the table.
func Bounds(t *testing.T) map[string]float64 {
	t.Helper()
	root := "."
	for tries := 0; ; tries++ {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		} else if tries > 10 {
			t.Fatal(err)
		}
		root = filepath.Join(root, "..")
	}
	text, err := os.ReadFile(filepath.Join(root, Table))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n"+heading+"\n")
	section, _, _ = strings.Cut(section, "\n#")
	bounds := make(map[string]float64)
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 {
			continue
		}
		if most, err := strconv.ParseFloat(strings.TrimSpace(cells[2]), 64); err == nil {
			bounds[strings.TrimSpace(cells[0])] = most
		}
	}
	return bounds
}
