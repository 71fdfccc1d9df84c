package cli_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"heddle/internal/cli"
	"heddle/internal/errtest"
)

// TestTheReadmeShowsWhatExplainPrints runs the explanation that the README shows. Each of
// its lines is printed, in this order and with these figures.
func TestTheReadmeShowsWhatExplainPrints(t *testing.T) {
	t.Parallel()
	text := errtest.Must(os.ReadFile("../../README.md"))(t)
	_, shown, found := strings.Cut(string(text), "\n$ go run . explain internal/")
	shown, _, whole := strings.Cut(shown, "\n```")
	call, shown, _ := strings.Cut(shown, "\n")
	if !found || !whole || strings.Count(shown, "\n") < 10 {
		t.Fatalf("the README shows %q, want an explanation of ten lines or more", shown)
	}
	var out, errs bytes.Buffer
	args := append([]string{"explain"}, strings.Fields("../"+call)...)
	if status := cli.Run(t.Context(), args, cli.Process{Read: os.ReadFile, Stdout: &out, Stderr: &errs}); status != cli.StatusDone {
		t.Fatalf("status %d: %s, want %d", status, errs.String(), cli.StatusDone)
	}
	rest := out.String()
	for line := range strings.Lines(shown) {
		if line == "…\n" || line == "\n" || line == "…" {
			continue
		}
		_, after, printed := strings.Cut(rest, line)
		if !printed {
			t.Fatalf("want %q next from heddle explain, which prints\n%s", line, out.String())
		}
		rest = after
	}
}
