package cli

import (
	"strings"
	"testing"
)

const exportSample = "../why/testdata/general.json"

func TestExplainTakesThresholdsFromTheEnvironment(t *testing.T) {
	status, stdout, stderr := heddle(t, "AFFINITY=off MIN_LINEAR=2 MAX_TOTAL=4 TIME_THRESHOLD=1m", "explain", exportSample, "--at", "last")
	if status != 0 || stderr != "" || !strings.Contains(stdout, "MIN_LINEAR 2, MAX_TOTAL 4, TIME_THRESHOLD 1m, AFFINITY off.") ||
		!strings.Contains(stdout, "heddle answers from 4 messages, and from 6 older ones that it recalls.") {
		t.Errorf("status %d, stderr %q, stdout\n%s\nwant 0, \"\", %q in it and %q in it", status, stderr, stdout, "MIN_LINEAR 2, MAX_TOTAL 4, TIME_THRESHOLD 1m, AFFINITY off.", "heddle answers from 4 messages, and from 6")
	}
	status, stdout, stderr = heddle(t, "", "explain", "--at", "1478332357017600000", "--compare", "last-3,plain", exportSample)
	if status != 0 || stderr != "" || !strings.Contains(stdout, "AFFINITY on.") || !strings.Contains(stdout, "  last-3: 3 messages, ") {
		t.Errorf("status %d, stderr %q, stdout\n%s\nwant 0, \"\", %q in it and %q in it", status, stderr, stdout, "AFFINITY on.", "  last-3: 3 messages, ")
	}
	status, stdout, _ = heddle(t, "", "explain", exportSample, "--at", "last", "--json")
	if status != 0 || !strings.HasPrefix(stdout, "{\n  \"graph\": ") {
		t.Errorf("status %d, stdout %q, want 0 and %q at its start", status, stdout, "{\n  \"graph\": ")
	}
}

func TestExplainTellsMisuseWithStatusTwo(t *testing.T) {
	for args, want := range map[string]string{
		"explain":                      "heddle: name an export",
		"explain ../why --at last":     "heddle: ../why is a folder",
		"explain explain.go --at last": "heddle: explain.go is not JSON",
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
