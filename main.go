// Heddle is a Discord bot that parts the threads of a busy channel before it answers.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/term"

	"heddle/internal/cli"
)

// gcPercent is how much garbage may gather before it is collected, relative to the
// memory in use. Heddle uses little memory, so that Go's default of 100 would collect
// four times a second under load, each time with a core that a mention then lacks;
// see docs/benchmarks.md. GOGC overrides it, and GOMEMLIMIT bounds the memory as usual.
const gcPercent = 200

// What a release build is, which the linker writes; see the Makefile.
//
//nolint:gochecknoglobals // the linker can write nothing else
var version, commit, date string

func main() {
	environ := os.Environ()
	if !slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, "GOGC=") }) {
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the first signal asks heddle to end, the second kills it
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	os.Exit(cli.Run(ctx, os.Args[1:], cli.Process{
		Environ:  environ,
		Read:     os.ReadFile,
		Stdin:    os.Stdin,
		Stdout:   os.Stdout,
		Stderr:   os.Stderr,
		Reload:   reload,
		Build:    cli.Build{Version: version, Commit: commit, Date: date},
		Terminal: term.IsTerminal(int(os.Stdin.Fd())),
	}))
}
