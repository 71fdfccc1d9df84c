package e2e_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"heddle/internal/cli"
)

// TestOutputThatDoesNotFitIsAFailure has commands write to a full disk.
func TestOutputThatDoesNotFitIsAFailure(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no file that is always full")
	}
	defer full.Close()
	s, _ := talked(t)
	for _, args := range [][]string{
		{"help"}, {"help", "export"}, {"config"}, {"version"}, {"tree"}, {"verify"}, {"completion", "bash"}, {"export", "-format", "raw"},
	} {
		var told bytes.Buffer
		status := cli.Run(context.Background(), args, cli.Process{
			Environ: append(consent(s.ann, s.bob), s.environ...), Read: noFiles, Stdin: strings.NewReader(""), Stdout: full, Stderr: &told,
		})
		if status != cli.StatusFailed || strings.Count(told.String(), "no space left on device") != 1 {
			t.Errorf("heddle %v ends with %d and says %q, want a failure that names the full disk once", args, status, told.String())
		}
	}
}
