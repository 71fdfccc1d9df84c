package cli_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"heddle/internal/cli"
)

// TestTheReadmeShowsWhatExplainPrints runs the explanation that the README shows. Each of
// its lines is printed, in this order; probabilities may differ.
func TestTheReadmeShowsWhatExplainPrints(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
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
	chance := regexp.MustCompile(` *\d+ %`)
	rest := chance.ReplaceAllString(out.String(), " %")
	for line := range strings.Lines(chance.ReplaceAllString(shown, " %")) {
		if line = strings.TrimSuffix(line, "\n"); line == "…" || line == "" {
			continue
		}
		_, after, printed := strings.Cut(rest, line)
		if !printed {
			t.Fatalf("want %q next from heddle explain, which prints\n%s", line, out.String())
		}
		rest = after
	}
}
