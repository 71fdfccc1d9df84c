package cli_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"heddle/internal/cli"
	"heddle/internal/golden"
)

// TestWhatCommandsPrint compares what commands print with testdata/*.golden, which
// "go test ./internal/cli -update" writes. Each file holds the command lines after
// "$ ", with settings before the command, and what they print.
func TestWhatCommandsPrint(t *testing.T) {
	t.Parallel()
	for name, calls := range map[string][]string{
		"config-faults": {
			"MIN_LINEAR=ten heddle config",
			"EDIT_ANSWER=yes EXPORT_CONSENT=ann heddle config",
			"REDIS_URL=foo heddle config",
			"REDIS_URL=foo heddle",
		},
		"config-warnings": {
			"MIN_LINAER=3 heddle config",
			"DOTENV=MIN_LINAER=3 heddle config",
			"DOTENV=COMPOSE_PROJECT_NAME=heddle heddle config",
		},
		"help": {"heddle help", "heddle help tree", "heddle eval --help"},
		"empty": {
			"heddle opt-out 5 && heddle verify", "heddle opt-out 5 && heddle tree", "heddle forget --yes 5",
		},
		"no-store": {
			"heddle verify", "heddle tree", "heddle tree --format json", "heddle backup heddle.backup",
		},
		"misuse": {
			"heddle confg", "heddle sing", "heddle help me", "heddle tree --formt dot", "heddle tree -x", "heddle verify now", "heddle eval --scope g1",
			"heddle doctor --guild loom", "heddle health", "heddle forget ann", "heddle forget", "heddle opt-in",
			"heddle opt-out 5 && heddle verify --scope g1", "heddle tree --format svg", "heddle tree --match missing.json",
			"heddle export --format dpo", "heddle export --format svg", "heddle opt-out 5 && heddle export --format raw",
			"heddle eval", "heddle eval missing", "heddle eval missing.json",
			"heddle restore", "heddle restore missing.backup", "heddle try --address 8.8.8.8:1", "heddle try missing.json",
			"heddle explain", "heddle explain missing.json --at last",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got strings.Builder
			for _, call := range calls {
				got.WriteString(printed(t, call))
			}
			file := filepath.Join("testdata", name+".golden")
			golden.Check(t, file, got.String())
		})
	}
}

// printed runs a command line, which may join several by "&&", and returns it with what it
// prints. There is a file .env if the setting DOTENV holds its content. The table of
// config, which the README shows, is left out.
func printed(t *testing.T, line string) string {
	t.Helper()
	folder := t.TempDir()
	printed := []string{"$ " + line + "\n"}
	for call := range strings.SplitSeq(line, " && ") {
		printed = append(printed, strings.ReplaceAll(run(t, call, folder), folder, "DATA"))
	}
	return strings.Join(append(printed, "\n"), "")
}

// run runs a command with a folder as DATA_DIR, and returns what it prints.
func run(t *testing.T, call, folder string) string {
	t.Helper()
	settings, args, _ := strings.Cut(" "+call, " heddle")
	environ := append(strings.Fields(settings), "DATA_DIR="+folder)
	var out, errs bytes.Buffer
	status := cli.Run(t.Context(), strings.Fields(args), cli.Process{
		Environ: environ,
		Read: func(name string) ([]byte, error) {
			for _, setting := range environ {
				if content, ok := strings.CutPrefix(setting, "DOTENV="); ok && name == ".env" {
					return []byte(content), nil
				}
			}
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		},
		Stdout: &out, Stderr: &errs,
	})
	if strings.HasPrefix(out.String(), "What is in effect.") {
		out.Reset()
		out.WriteString("(the table)\n")
	}
	var text strings.Builder
	text.WriteString(out.String())
	for line := range strings.Lines(errs.String()) {
		if _, after, ok := strings.Cut(line, "level="); ok {
			line = "level=" + after
		}
		text.WriteString("2> " + line)
	}
	fmt.Fprintf(&text, "status %d\n", status)
	return text.String()
}
