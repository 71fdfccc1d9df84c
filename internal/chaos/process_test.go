package chaos_test

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"heddle/internal/cli"
	"heddle/internal/redistest"
	"heddle/internal/wait"
)

// asHeddle is the variable with which the program of these tests is heddle.
const asHeddle = "CHAOS_IS_HEDDLE"

func TestMain(m *testing.M) {
	if os.Getenv(asHeddle) == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := cli.Run(ctx, nil, cli.Process{
		Environ: os.Environ(), Read: os.ReadFile, Stdin: strings.NewReader(""), Stdout: os.Stdout, Stderr: os.Stderr,
	})
	stop()
	os.Exit(status)
}

// process is a heddle in a process of its own, which is started again whenever it ends.
type process struct {
	program string // "": the program of these tests
	environ []string
	dir     string
	redis   *redistest.Link // to its Redis; nil if it has none

	mu      sync.Mutex
	command *exec.Cmd
	log     strings.Builder
}

// Write keeps the log.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(b)
}

func (p *process) start() error {
	command := exec.Command(cmp.Or(p.program, os.Args[0])) //nolint:noctx // built here, and signalled by the tests
	command.Env = append(slices.Clone(p.environ), asHeddle+"=1")
	command.Dir = p.dir
	command.Stdout, command.Stderr = p, p
	if err := command.Start(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.command = command
	return nil
}

func (p *process) signal(s os.Signal) { _ = p.running().Process.Signal(s) } // it fails only if the process is gone

// running returns the process as it was last started.
func (p *process) running() *exec.Cmd {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.command
}

// unlimited is the room of a process whose disk is not full.
const unlimited = -1

// room lets the files of the process grow to so many bytes, as long as it runs. What it
// writes beyond them fails, as on a full disk. It does nothing where that cannot be done.
func (p *process) room(bytes int64) {
	most := "unlimited"
	if bytes != unlimited {
		most = strconv.FormatInt(bytes, 10)
	}
	pid := strconv.Itoa(p.running().Process.Pid)
	_ = exec.Command("prlimit", "--pid", pid, "--fsize="+most+":").Run() //nolint:noctx // it takes no time; the process may be gone
}

// end ends the process with a signal and waits for its end.
func (p *process) end(s os.Signal) {
	p.signal(s)
	if err := p.running().Wait(); err != nil {
		if _, exited := errors.AsType[*exec.ExitError](err); !exited {
			panic(err)
		}
	}
}

// logged returns the log so far.
func (p *process) logged() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// says returns a channel that is closed when the log holds a text, or when ctx ends.
func (p *process) says(ctx context.Context, text string) <-chan struct{} {
	said := make(chan struct{})
	go func() {
		defer close(said)
		for !strings.Contains(p.logged(), text) {
			if wait.For(ctx, 10*time.Millisecond) != nil {
				return
			}
		}
	}()
	return said
}
