package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"heddle/internal/golden"
)

func TestEvalMeasuresAnExportWithTheSettingsInEffect(t *testing.T) {
	const export = "../playground/sample/thread.json"
	status, stdout, stderr := heddle(t, "AFFINITY=off MIN_LINEAR=2 MAX_TOTAL=4", "eval", export)
	if status != 0 || stderr != "" || !strings.Contains(stdout, "heddle, as it is set  ████████████████ 100.0 %      3.") {
		t.Errorf("status %d, stderr %q, stdout\n%s\nwant 0, \"\" and %q in it", status, stderr, stdout, "heddle, as it is set  ████████████████ 100.0 %      3.")
	}
	if status, _, stderr := heddle(t, "MAX_TOTAL=many", "eval", export); status != 2 || !strings.Contains(stderr, "MAX_TOTAL") {
		t.Errorf("status %d, stderr %q, want 2 and %q in it", status, stderr, "MAX_TOTAL")
	}
}

// TestEvalMeasuresQuestionsToABot asks after a whole channel about its first message, which
// only what heddle recalls brings back, and about nothing.
func TestEvalMeasuresQuestionsToABot(t *testing.T) {
	const export = "../playground/sample/commons.json"
	questions := filepath.Join(t.TempDir(), "questions.jsonl")
	const lines = `{"after": "1486681308959604967", "author": "fay", "text": "@heddle how often did my sourdough come out flat?", "kind": "back", "needed": ["1486650920140800000"]}
{"after": "1486681308959604967", "author": "fay", "text": "@heddle what is 6 times 7?", "kind": "none", "needed": []}
`
	if err := os.WriteFile(questions, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := heddle(t, "", "eval", export, "--questions", questions)
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, stderr %q, want 0 and none", status, stderr)
	}
	golden.Check(t, filepath.Join("testdata", "questions.golden"), stdout)
	for line := range strings.Lines(stdout) {
		if columns := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); columns > 80 {
			t.Errorf("a line has %d columns: %s, want at most 80", columns, line)
		}
	}
	if status, _, stderr := heddle(t, "", "eval", "../playground/sample/garden.json", "--questions", questions); status != 2 || !strings.Contains(stderr, "line 1 is asked after message") {
		t.Errorf("status %d, stderr %q, want 2 and %q in it", status, stderr, "line 1 is asked after message")
	}
}
