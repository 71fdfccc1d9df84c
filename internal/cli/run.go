package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
	"time"

	"heddle/bot/answer"
	"heddle/config"
	"heddle/internal/terminal"
)

// Process is what a run of heddle receives from the operating system. Read reads
// files that settings and arguments name.
type Process struct {
	Environ []string // NAME=value, as os.Environ returns it
	Read    config.ReadFile
	Stdout  io.Writer
	Stderr  io.Writer
	Build   Build          // what a release build knows of itself
	Recent  *answer.Recent // what answers are made from; nil: nobody looks
	Timings Timings        // set by tests only

	// dir is the folder to which names of files are relative, and held the store to use. Both
	// are set for a command that another process sent, and zero otherwise.
	dir  string
	held *opened
}

// Timings are durations that tests may shorten or lengthen. A zero field stands for the usual
// duration.
type Timings struct {
	// Lease is how long a claim holds without being renewed; 20 s: longer than a pause of a
	// process or of Redis that is no crash.
	Lease time.Duration
	// Grace is how long answers in progress may continue at shutdown; 8 s: container engines
	// kill a process after 10 s.
	Grace time.Duration
	// Patience is how long the model may take to begin before people are told that it is slow;
	// an eighth of LLM_TIMEOUT, so that a model that thinks for long needs one setting only.
	Patience time.Duration
	// Edited is how long the old version of an edited message is kept; see store.Lifetimes.
	Edited time.Duration
	// Record is how long the last edit of an answer waits for its record; 50 ms: people do not
	// notice it, and one edit is saved nearly always.
	Record time.Duration
	// Deaf is the shortest silence of a shard after which heddle looks whether it missed
	// something; 10 min.
	Deaf time.Duration
}

// usually completes the timings of a bot that waits for its model for at most timeout.
func (t Timings) usually(timeout time.Duration) Timings {
	t.Lease = cmp.Or(t.Lease, 20*time.Second)
	t.Grace = cmp.Or(t.Grace, 8*time.Second)
	t.Patience = cmp.Or(t.Patience, timeout/8)
	t.Record = cmp.Or(t.Record, 50*time.Millisecond)
	t.Deaf = cmp.Or(t.Deaf, 10*time.Minute)
	return t
}

// Main runs the command that the arguments of the program name, until it is done or the
// program receives SIGINT or SIGTERM. A second signal kills it.
func Main(p Process) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return Run(ctx, os.Args[1:], p)
}

// unopened says in a sentence why a file that a command reads cannot be opened.
func unopened(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return terminal.Errorf("there is no file %s", name)
	}
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathError.Err // the sentence names the file
	}
	return terminal.Errorf("%s cannot be read: %w", name, err)
}

// The statuses that heddle exits with.
const (
	StatusDone   = 0
	StatusFailed = 1
	StatusMisuse = 2 // wrong arguments, settings or input files: trying again will not help
)

// statusError makes heddle exit with its value. Whatever there was to say is said.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("status %d", int(e)) }

// Run runs the command that args name, serve if there are none, until it is done or
// ctx is cancelled. It returns the status to exit with; a failure, also to write all of
// the output, is described by one sentence on p.Stderr.
func Run(ctx context.Context, args []string, p Process) int {
	out := &output{to: p.Stdout}
	p.Stdout = out
	err := runCommand(ctx, args, p)
	if err == nil {
		err = out.err
	}
	return status(ctx, err, p.Stderr)
}

// status reports err on stderr, unless heddle ended as it was asked to, and returns
// the exit status for it.
func status(ctx context.Context, err error, stderr io.Writer) int {
	switch {
	case err == nil:
		return StatusDone
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return StatusDone
	}
	if silent, ok := errors.AsType[statusError](err); ok {
		return int(silent)
	}
	_, _ = fmt.Fprintf(stderr, "heddle: %v\n", err) // nobody is left to tell
	_, invalid := errors.AsType[config.InvalidError](err)
	_, input := errors.AsType[*terminal.InputError](err)
	if invalid || input {
		return StatusMisuse
	}
	return StatusFailed
}

// said returns an error that makes heddle exit with a status, whose reason is said
// already, or nil if that is StatusDone.
func said(status int) error {
	if status == StatusDone {
		return nil
	}
	return statusError(status)
}

// runCommand runs the command that args name, here or in the heddle that holds the store.
func runCommand(ctx context.Context, args []string, p Process) error {
	name := serveCommand
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	command, err := find(name)
	if err != nil {
		return err
	}
	if usesStore(name) && p.held == nil {
		if sent, err := sendBeside(ctx, append([]string{name}, args...), p); sent {
			return err
		}
	}
	return command.run(ctx, args, p)
}

// output is the standard output of a command. It keeps the first error of writing to it, so
// that no command has to look: output that is not whole is a failure.
type output struct {
	to  io.Writer
	err error
}

// Write writes, unless an earlier write failed.
func (o *output) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.to.Write(b)
	if err != nil {
		o.err = fmt.Errorf("write the output: %w", err)
	}
	return n, o.err
}
