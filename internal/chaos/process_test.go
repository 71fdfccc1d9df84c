package chaos_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"

	"heddle/internal/cli"
	"heddle/internal/clitest"
	"heddle/internal/limittest"
	"heddle/internal/redistest"
	"heddle/internal/waittest"
)

// asHeddle is the environment variable that makes the test binary run as heddle.
const asHeddle = "CHAOS_IS_HEDDLE"

func TestMain(m *testing.M) {
	if os.Getenv(asHeddle) == "" {
		flag.Parse()
		if err := flag.Set("test.parallel", "4"); err != nil { // they wait more than they work
			panic(err)
		}
		os.Exit(m.Run())
	}
	os.Exit(cli.Main(clitest.Process(os.Environ(), os.Stdout, os.Stderr)))
}

// process is a heddle in a separate process, which is restarted whenever it ends.
type process struct {
	program string // "": the test binary
	environ []string
	dir     string
	redis   *redistest.Link // link to its Redis; nil if it has none

	log waittest.Log

	mu      sync.Mutex
	command *exec.Cmd
}

func (p *process) start() error {
	command := exec.Command(cmp.Or(p.program, os.Args[0])) //nolint:noctx // built here, and signalled by the tests
	command.Env = append(slices.Clone(p.environ), asHeddle+"=1")
	command.Dir = p.dir
	command.Stdout, command.Stderr = &p.log, &p.log
	if err := command.Start(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.command = command
	return nil
}

func (p *process) signal(s os.Signal) { _ = p.running().Process.Signal(s) } // it fails only if the process has ended

// running returns the command that was last started.
func (p *process) running() *exec.Cmd {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.command
}

// room limits the size of files that the running process can write to a number of
// bytes. Writes beyond it fail as on a full disk. Where that cannot be done, it does nothing.
func (p *process) room(bytes int64) {
	_ = limittest.Files(p.running().Process.Pid, bytes) // the process may be gone
}

// end sends a signal to the process and waits until it has ended. It does nothing if it has ended
// before.
func (p *process) end(s os.Signal) {
	if p.running().ProcessState != nil {
		return
	}
	p.signal(s)
	if err := p.running().Wait(); err != nil {
		if _, exited := errors.AsType[*exec.ExitError](err); !exited {
			panic(err)
		}
	}
}

// says returns a channel that is closed when the log contains a text, or when ctx ends.
func (p *process) says(ctx context.Context, text string) <-chan struct{} {
	said := make(chan struct{})
	go func() {
		defer close(said)
		_ = p.log.Await(ctx, text, 1) // the caller notices if ctx has ended
	}()
	return said
}
