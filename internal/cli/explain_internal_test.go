package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

const exportSample = "../explain/testdata/general.json"

func TestExplainTakesThresholdsFromTheEnvironment(t *testing.T) {
	status, stdout, stderr := heddle(t, "AFFINITY=off MIN_LINEAR=2 MAX_TOTAL=4 TIME_THRESHOLD=1m", "explain", exportSample, "--at", "last")
	if status != 0 || stderr != "" || !strings.Contains(stdout, "MIN_LINEAR 2, MAX_TOTAL 4, TIME_THRESHOLD 1 min, AFFINITY off.") ||
		!strings.Contains(stdout, "heddle answers from 4 messages.") {
		t.Errorf("status %d, stderr %q, stdout\n%s\nwant 0, \"\", %q in it and %q in it", status, stderr, stdout, "MIN_LINEAR 2, MAX_TOTAL 4, TIME_THRESHOLD 1 min, AFFINITY off.", "heddle answers from 4 messages.")
	}
	status, stdout, stderr = heddle(t, "NO_COLOR=1", "explain", "--at", "1478332357017600000", "--compare", "last-3,plain", exportSample)
	if status != 0 || stderr != "" || !strings.Contains(stdout, "AFFINITY on.") || !strings.Contains(stdout, "last-3  plain") || strings.Contains(stdout, "\x1b") {
		t.Errorf("status %d, stderr %q, stdout\n%s\nwant 0, \"\", %q in it, %q in it and no %q in it", status, stderr, stdout, "AFFINITY on.", "last-3  plain", "\x1b")
	}
	status, stdout, _ = heddle(t, "", "explain", exportSample, "--at", "last", "--format", "mermaid")
	if status != 0 || !strings.HasPrefix(stdout, "flowchart BT\n") {
		t.Errorf("status %d, stdout %q, want 0 and %q at its start", status, stdout, "flowchart BT\n")
	}
}

func TestExplainTellsMisuseWithStatusTwo(t *testing.T) {
	for args, want := range map[string]string{
		"explain":                               "heddle: name an export",
		"explain " + exportSample:               "heddle: say which message to explain: --at",
		"explain ../explain --at last":          "heddle: ../explain is a folder",
		"explain explain.go --at last":          "heddle: explain.go is not JSON",
		"explain x.json --at last --format svg": `heddle: --format: "svg" is no format: take text, json, mermaid or dot; "heddle help explain"`,
	} {
		status, stdout, stderr := heddle(t, "", strings.Fields(args)...)
		if status != 2 || stdout != "" || !strings.HasPrefix(stderr, want) {
			t.Errorf("%s: status %d, stdout %q, stderr %q, want 2, \"\" and %q at its start", args, status, stdout, stderr, want)
		}
	}
	if status, _, stderr := heddle(t, "MAX_TOTAL=many", "explain", exportSample, "--at", "last"); status != 2 || !strings.Contains(stderr, "MAX_TOTAL") {
		t.Errorf("status %d, stderr %q, want 2 and %q in it", status, stderr, "MAX_TOTAL")
	}
}

func TestExplainEndsWhenAskedTo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	status := Run(ctx, []string{"explain", exportSample, "--at", "last"}, Process{
		Read: noFiles, Stdout: &out, Stderr: &out,
	})
	if status != 0 || out.Len() > 0 {
		t.Errorf("status %d, output %q, want %d and nothing", status, out.String(), 0)
	}
}

func TestColoursAreForTerminalsThatWantThem(t *testing.T) {
	for environ, want := range map[string]bool{
		"": true, "TERM=xterm": true, "NO_COLOR=": true, "NO_COLOR=1": false, "TERM=dumb": false, "TERM=xterm NO_COLOR=0": false,
	} {
		if got := colours(strings.Fields(environ)); got != want {
			t.Errorf("%q: colours %t, want %t", environ, got, want)
		}
	}
	if columns := terminal(&bytes.Buffer{}); columns != 0 {
		t.Errorf("a buffer is a terminal of %d columns, want 0", columns)
	}
}
