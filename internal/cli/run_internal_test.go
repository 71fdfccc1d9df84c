package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"heddle/config"
	"heddle/internal/errtest"
	"heddle/internal/golden"
	"heddle/internal/terminal"
)

// heddle runs heddle with settings and arguments and returns what it printed.
func heddle(t *testing.T, environ string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = Run(t.Context(), args, Process{
		Environ: strings.Fields(environ),
		Read:    noFiles,
		Stdout:  &out,
		Stderr:  &errs,
	})
	return status, out.String(), errs.String()
}

// noFiles is a disk that holds nothing.
func noFiles(string) ([]byte, error) { return nil, fs.ErrNotExist }

func TestConfigShowsEverySettingAndNoSecret(t *testing.T) {
	status, stdout, stderr := heddle(t, "MAX_TOTAL=44 DISCORD_TOKEN=hunter2", "config")
	if status != 0 || stderr != "" || strings.Contains(stdout, "hunter2") {
		t.Errorf("status %d, stderr %q, stdout %q, want 0, \"\" and no %q in it", status, stderr, stdout, "hunter2")
	}
	for _, v := range config.Variables() {
		if !slices.Contains(strings.Fields(stdout), v.Name) {
			t.Errorf("%s is not shown, want every setting:\n%s", v.Name, stdout)
		}
	}
}

func TestHelpNamesEveryCommand(t *testing.T) {
	for _, args := range []string{"help", "--help", "-h", "help help"} {
		status, stdout, stderr := heddle(t, "", strings.Fields(args)...)
		if status != 0 || stderr != "" {
			t.Errorf("%s: status %d, stderr %q, want 0 and \"\"", args, status, stderr)
		}
		for _, c := range commands() {
			if !strings.Contains(stdout, "  heddle "+c.name) {
				t.Errorf("%s does not name %s, want every command:\n%s", args, c.name, stdout)
			}
		}
	}
}

func TestEveryCommandExplainsItself(t *testing.T) {
	for _, c := range commands() {
		if c.args != "" && c.example == "" {
			t.Errorf("%s takes arguments and has no example, want one", c.name)
		}
		for _, args := range [][]string{{"help", c.name}, {c.name, "--help"}} {
			status, stdout, stderr := heddle(t, "", args...)
			if status != 0 || stderr != "" || !strings.Contains(stdout, terminal.Wrap(c.about, 2)) || c.example != "" && !strings.Contains(stdout, "heddle "+c.name+" "+c.example) {
				t.Errorf("%v: status %d, stdout %q, stderr %q, want 0, the lines %q with the example %q, and nothing", args, status, stdout, stderr, terminal.Wrap(c.about, 2), c.example)
			}
		}
	}
}

func TestVersionNamesWhatWasBuilt(t *testing.T) {
	for _, test := range []struct {
		build Build
		want  string
	}{
		{Build{"v1.2.3", "0123456789abcdef", "2026-11-22T10:11:12Z"}, "heddle  v1.2.3\ncommit  0123456789abcdef\ndate    2026-11-22T10:11:12Z\ngo      go1."},
		{Build{}, "heddle  (devel)\ncommit  "},
	} {
		var out, errs bytes.Buffer
		status := Run(t.Context(), []string{"version"}, Process{Stdout: &out, Stderr: &errs, Build: test.build})
		if status != 0 || errs.Len() > 0 || !strings.HasPrefix(out.String(), test.want) {
			t.Errorf("%+v: status %d, %q, %q; want %q", test.build, status, out.String(), errs.String(), test.want)
		}
	}
}

func TestTheStatusSaysWhoseFaultItWas(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context //nolint:containedctx // a table of cases
		err  error
		want int
	}{
		{"done", t.Context(), nil, 0},
		{"asked to end", cancelled, fmt.Errorf("serve: %w", context.Canceled), 0},
		{"failed while ending", cancelled, errors.New("the store is full"), 1},
		{"failed", t.Context(), errors.New("no network"), 1},
		{"misused", t.Context(), fmt.Errorf("explain: %w", terminal.Errorf("no such file")), 2},
		{"misconfigured", t.Context(), fmt.Errorf("serve: %w", config.InvalidError{}), 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stderr bytes.Buffer
			if got := status(c.ctx, c.err, &stderr); got != c.want || (got != 0) != (stderr.Len() > 0) {
				t.Errorf("status %d, want %d; stderr %q", got, c.want, stderr.String())
			}
		})
	}
}

func TestEvalMeasuresAnExportWithTheSettingsInEffect(t *testing.T) {
	const export = "../playground/sample/thread.json"
	status, stdout, stderr := heddle(t, "AFFINITY=off MIN_LINEAR=2 MAX_TOTAL=4", "eval", export)
	if status != 0 || stderr != "" || !strings.Contains(stdout, "heddle, as it is set  ████████████████  100.0%      3.") {
		t.Errorf("status %d, stderr %q, stdout\n%s\nwant 0, \"\" and %q in it", status, stderr, stdout, "heddle, as it is set  ████████████████  100.0%      3.")
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
	errtest.None(t, os.WriteFile(questions, []byte(lines), 0o600))
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
	status, stdout, _ = heddle(t, "", "explain", exportSample, "--at", "last", "--format", "json")
	if status != 0 || !strings.HasPrefix(stdout, "{\n  \"trigger\": ") {
		t.Errorf("status %d, stdout %q, want 0 and %q at its start", status, stdout, "{\n  \"trigger\": ")
	}
}
