package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"heddle/internal/discordtest"
	"heddle/internal/wait"
)

// settling is how long a process is left alone before and after the mention, so that what
// it does after a start counts as the start, and what follows an answer as the mention.
const settling = 3 * time.Second

// way prints the functions that the first mention in a channel of 30 messages enters and a
// start does not, by file. It compares what Go's coverage says of two runs.
func way(ctx context.Context, dir string, environ []string, w io.Writer) error {
	program := filepath.Join(dir, "heddle-covered")
	if err := build(ctx, program, "-cover", "-coverpkg=./..."); err != nil {
		return err
	}
	started, err := entered(ctx, program, filepath.Join(dir, "start"), environ, 0)
	if err != nil {
		return fmt.Errorf("run without a mention: %w", err)
	}
	asked, err := entered(ctx, program, filepath.Join(dir, "mention"), environ, 1)
	if err != nil {
		return fmt.Errorf("run with a mention: %w", err)
	}
	maps.DeleteFunc(asked, func(function, _ string) bool { return started[function] != "" })
	files := map[string]int{}
	for _, file := range asked {
		files[file]++
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(w, "%4d %s\n", files[file], file)
	}
	fmt.Fprintf(w, "one mention enters %d functions in %d files that a start does not\n", len(asked), len(files))
	return nil
}

// entered runs a program that was built for coverage until it is connected and
// has answered so many mentions. It returns the functions of heddle that were entered, by
// where they begin, with their files.
func entered(ctx context.Context, program, dir string, environ []string, mentions int) (map[string]string, error) {
	covered := filepath.Join(dir, "covered")
	if err := os.MkdirAll(covered, 0o700); err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	s, err := newScene(plan{channels: 1, history: 30, mentions: 1}, nil) //nolint:contextcheck // close stops its servers
	if err != nil {
		return nil, err
	}
	defer s.close() //nolint:contextcheck // stops servers without a context
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := process(ctx, program, dir, append(environ, "GOCOVERDIR="+covered), servers{s.heddle.Token, s.discord.URL(), s.model.URL()})
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start heddle: %w", err)
	}
	err = errors.Join(s.converses(ctx, mentions), cmd.Process.Signal(os.Interrupt), cmd.Wait())
	if err != nil {
		return nil, err
	}
	return functions(ctx, covered)
}

// converses waits until heddle is connected, and mentions it so often, each time once the
// mention before was answered.
func (s *scene) converses(ctx context.Context, mentions int) error {
	if err := s.discord.Gateway.Await(ctx, func(g discordtest.GatewayState) bool { return g.Ready > 0 }); err != nil {
		return fmt.Errorf("wait until it is connected: %w", err)
	}
	if err := wait.For(ctx, settling); err != nil {
		return err
	}
	for range mentions {
		if err := s.mention(s.channels[0], "way"); err != nil {
			return err
		}
		answers := func(m discordtest.Message) bool { return m.Author == s.heddle.User && m.Content == "Noted." }
		if _, err := s.discord.Chat.AwaitMessage(ctx, s.channels[0], answers); err != nil {
			return fmt.Errorf("wait for the answer: %w", err)
		}
	}
	return wait.For(ctx, settling)
}

// function is a line of what "go tool covdata func" prints: where a function of heddle
// begins, its name, and how much of it was run.
var function = regexp.MustCompile(`(?m)^heddle/?(\S+?):(\d+):\s+(\S+)\s+(\d+\.\d)%$`)

// functions returns the functions that were entered, by what a folder holds of a run's coverage.
// Servers for tests do not count.
func functions(ctx context.Context, covered string) (map[string]string, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", "tool", "covdata", "func", "-i="+covered) //nolint:gosec // a folder of our own
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("read the coverage: %w", err)
	}
	found := map[string]string{}
	for _, match := range function.FindAllStringSubmatch(out.String(), -1) {
		if file := match[1]; match[4] != "0.0" && !strings.Contains(path.Dir(file), "test") {
			found[file+":"+match[2]] = file
		}
	}
	return found, nil
}
