package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"heddle/config"
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
		{"misused", t.Context(), fmt.Errorf("explain: %w", misuseError{errors.New("no such file")}), 2},
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
