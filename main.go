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

// gcPercent is how far the heap may grow between two collections, as GOGC: to three
// times what is live. heddle's heap is small, so Go's default of 100 would collect
// about four times a second under load, and each collection takes CPU time from a
// mention; see docs/benchmarks.md. GOGC in the environment overrides it, and GOMEMLIMIT
// bounds the memory as usual.
const gcPercent = 200

// The linker sets these in release builds; see the Makefile.
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
