// Heddle is a Discord bot that parts the threads of a busy channel before it answers.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"heddle/config"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the first signal asks to end, the second is not caught and ends at once
	garbage := roomForGarbage()
	code := run(ctx, os.Args[1:], process{
		environ: os.Environ(),
		read:    os.ReadFile,
		stdin:   os.Stdin,
		stdout:  os.Stdout,
		stderr:  os.Stderr,
	})
	runtime.KeepAlive(garbage)
	os.Exit(code)
}

// roomForGarbage gives a block that is never touched and so takes no memory, but counts
// as memory in use: as much garbage may gather beside it before it is collected. Heddle
// uses some 12 MB, and would be collected four times a second under load, each time
// with a core for some milliseconds that a mention then lacks. Where the operator has
// bounded the memory there is none.
func roomForGarbage() []byte {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 { // asks only
		return nil
	}
	const room = 32 << 20
	return make([]byte, room)
}

// process is what a run of heddle has from the system. Tests make their own.
type process struct {
	environ []string
	read    config.ReadFile
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
}

// open gives a file that a command is to read; - is standard input.
func (p process) open(name string) (io.Reader, error) {
	if name == "-" {
		return p.stdin, nil
	}
	content, err := p.read(name)
	if err != nil {
		return nil, err
	}
	return bytes.NewReader(content), nil
}

// The statuses that heddle exits with.
const (
	statusDone   = 0
	statusFailed = 1
	statusMisuse = 2 // wrong arguments, settings or input files: trying again will not help
)

// misuseError is a fault of what heddle was given, told with status 2.
type misuseError struct{ err error }

func (e misuseError) Error() string { return e.err.Error() }
func (e misuseError) Unwrap() error { return e.err }

// run runs the command that args name until it is done or ctx is cancelled, and
// gives the status to exit with. What failed is one sentence on stderr.
func run(ctx context.Context, args []string, p process) int {
	return status(ctx, dispatch(ctx, args, p), p.stderr)
}

// status tells err, if it is one to tell, and gives the status for it.
func status(ctx context.Context, err error, stderr io.Writer) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return statusDone
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return statusDone // asked to end, and did
	}
	fmt.Fprintf(stderr, "heddle: %v\n", err)
	var invalid config.InvalidError
	var misuse misuseError
	if errors.As(err, &invalid) || errors.As(err, &misuse) {
		return statusMisuse
	}
	return statusFailed
}

func dispatch(ctx context.Context, args []string, p process) error {
	name := serveCommand
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	command, err := find(name)
	if err != nil {
		return err
	}
	return command.run(ctx, args, p)
}
