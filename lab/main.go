// Lab measures heddle, and trains what it ships with: what its developers need, and nobody
// who runs it. "lab help" lists the commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/pflag"

	"heddle/internal/terminal"
	"heddle/lab/answers"
	"heddle/lab/chatlog"
	"heddle/lab/eval"
	"heddle/lab/load"
	"heddle/lab/train"
)

// command is something that lab does, named by the first argument.
type command struct {
	name, args string
	about      string // one clause
	run        chatlog.Command
}

func commands() []command {
	return []command{
		{"eval", "DIR… [flags]", "measure how well contexts are chosen in annotated logs", eval.Command},
		{"answers", "DIR… --questions FILE [flags]", "have answers judged from what several strategies send, by anybody with a model", answers.Command},
		{"train", "DIR… -o FILE [flags]", "fit the link model to annotated logs, logs with replies and exports", train.Command},
		{"load", "[flags] [NAME=value…]", "measure heddle under load, with these settings", load.Command},
	}
}

// usage returns how to call the command.
func (c command) usage() string {
	return "lab " + c.name + " " + c.args + "\n" + terminal.Wrap(c.about, 2)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:])
	if err == nil || errors.Is(err, pflag.ErrHelp) {
		return
	}
	fmt.Fprintln(os.Stderr, "lab:", err)
	status := 1
	if _, correctable := errors.AsType[*terminal.InputError](err); correctable {
		status = 2
	}
	os.Exit(status) //nolint:gocritic // the process ends, so the deferred call does not matter
}

// run runs the command that the arguments name.
func run(ctx context.Context, args []string) error {
	if len(args) > 1 && args[0] == "help" {
		args = []string{args[1], "--help"}
	}
	for _, c := range commands() {
		if len(args) > 0 && args[0] == c.name {
			return c.run(ctx, args[1:], chatlog.Streams{Out: os.Stdout, Err: os.Stderr, Usage: c.usage()})
		}
	}
	var usage strings.Builder
	for _, c := range commands() {
		usage.WriteString(c.usage())
	}
	if _, err := os.Stdout.WriteString(usage.String()); err != nil {
		return fmt.Errorf("write the help: %w", err)
	}
	if len(args) > 0 && args[0] != "help" {
		return terminal.Errorf("there is no command %q", args[0])
	}
	return nil
}
