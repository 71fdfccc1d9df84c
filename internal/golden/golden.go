// Package golden compares what tests produce with golden files. With the flag -update,
// go test writes the files instead.
package golden

import (
	"flag"
	"os"
	"testing"

	"heddle/internal/errtest"
)

var update = flag.Bool("update", false, "write the golden files") //nolint:gochecknoglobals // a flag of go test

// Updating reports whether golden files are to be written rather than compared.
func Updating() bool { return *update }

// Check fails a test if got differs from the content of a file. With -update it writes
// got to the file.
func Check(tb testing.TB, file, got string) {
	tb.Helper()
	if *update {
		Write(tb, file, got)
		return
	}
	want := errtest.Must(os.ReadFile(file))(tb) //nolint:gosec // the test names the file
	if got != string(want) {
		tb.Errorf("%s is out of date; run the test with -update and review what changed. Got\n%s\nwant\n%s", file, got, want)
	}
}

// Write writes a golden file.
func Write(tb testing.TB, file, content string) {
	tb.Helper()
	errtest.None(tb, os.WriteFile(file, []byte(content), 0o644)) //nolint:gosec // it is committed
}
