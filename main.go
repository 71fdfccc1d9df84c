// Heddle is a Discord bot that parts the threads of a busy channel before it answers.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"heddle/internal/cli"
)

// The linker sets these in release builds; see the Makefile.
//
//nolint:gochecknoglobals // the linker can write nothing else
var version, commit, date string

// main runs the command that the arguments name, and exits with the status that it
// returns.
func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the first signal asks heddle to end, the second kills it
	os.Exit(cli.Run(ctx, os.Args[1:], cli.Process{
		Environ: os.Environ(),
		Read:    os.ReadFile,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Build:   cli.Build{Version: version, Commit: commit, Date: date},
	}))
}
