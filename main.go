// Heddle is a Discord bot that parts the threads of a busy channel before it answers.
package main

import (
	"os"

	"heddle/internal/cli"
)

// The linker sets these in release builds; see the Makefile.
//
//nolint:gochecknoglobals // the linker can write nothing else
var version, commit, date string

func main() {
	os.Exit(cli.Main(cli.Process{
		Environ: os.Environ(),
		Read:    os.ReadFile,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Build:   cli.Build{Version: version, Commit: commit, Date: date},
	}))
}
