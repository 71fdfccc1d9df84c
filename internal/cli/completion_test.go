package cli_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"heddle/internal/cli"
	"heddle/internal/layout"
)

// TestEveryCommandHelps asks each command that completion knows for help.
func TestEveryCommandHelps(t *testing.T) {
	t.Parallel()
	for _, name := range completed(t, "heddle", "") {
		var out, errs bytes.Buffer
		p := cli.Process{Read: os.ReadFile, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
		for _, args := range [][]string{{name, "--help"}, {"help", name}} {
			out.Reset()
			if status := cli.Run(t.Context(), args, p); status != cli.StatusDone || errs.Len() > 0 {
				t.Errorf("heddle %s: status %d, stderr %q, want %d and nothing", strings.Join(args, " "), status, errs.String(), cli.StatusDone)
			}
			if name != "help" && !strings.HasPrefix(out.String(), "heddle "+name) {
				t.Errorf("heddle %s writes %q, want %q at its beginning", strings.Join(args, " "), out.String(), "heddle "+name)
			}
			for line := range strings.Lines(out.String()) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > layout.Width {
					t.Errorf("heddle %s: %d columns: %s, want at most %d", strings.Join(args, " "), n, line, layout.Width)
				}
			}
		}
	}
}

func TestBashCompletesCommandsFlagsAndFiles(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		words []string // the last one is being typed
		want  string
	}{
		{[]string{"heddle", "opt"}, "opt-out opt-in"},
		{[]string{"heddle", "help", "expl"}, "explain"},
		{[]string{"heddle", "completion", "z"}, "zsh"},
		{[]string{"heddle", "tree", "--p"}, "--path --prompt"},
		{[]string{"heddle", "train", "-o"}, "-o"},
		{[]string{"heddle", "explain", "gen"}, "general.json"},
		{[]string{"heddle", "tree", "--match", "gen"}, "general.json"},
		{[]string{"heddle", "try", "our"}, "our channel.json"},
	} {
		if got := strings.Join(completed(t, tc.words...), " "); got != tc.want {
			t.Errorf("%q completes to %q, want %q", tc.words, got, tc.want)
		}
	}
}

// completed returns what bash offers for the last of words, in a folder that holds
// general.json and "our channel.json".
func completed(t *testing.T, words ...string) []string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"general.json", "our channel.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var script bytes.Buffer
	if status := cli.Run(t.Context(), []string{"completion", "bash"}, cli.Process{Read: os.ReadFile, Stdout: &script, Stderr: &script}); status != cli.StatusDone {
		t.Fatalf("heddle completion bash: status %d, %q, want %d and a script", status, script.String(), cli.StatusDone)
	}
	script.WriteString("\nCOMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _heddle; printf '%s\\n' \"${COMPREPLY[@]}\"\n")
	command := exec.CommandContext(context.WithoutCancel(t.Context()), "bash", append([]string{"-c", script.String(), "bash"}, words...)...)
	command.Dir = dir
	out, err := command.Output()
	if err != nil {
		t.Fatalf("bash: %v", err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}
