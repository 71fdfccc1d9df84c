// Package redistest runs real Redis or Valkey servers for tests, and can disturb them
// while they are in use.
package redistest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"heddle/internal/errtest"

	goredis "github.com/redis/go-redis/v9"
)

// ErrMissing means that this machine has no server program.
var ErrMissing = errors.New("neither redis-server nor valkey-server is installed")

// IsMissing reports whether this machine has no server program, as an error says, and tests may
// do without. On CI they may not.
func IsMissing(err error) bool {
	return errors.Is(err, ErrMissing) && os.Getenv("CI") != "true" //nolint:forbidigo // tests have no configuration
}

// Started returns what was started for a test, and closes it when the test ends. If IsMissing,
// it skips the test.
func Started[S io.Closer](server S, err error) func(testing.TB) S {
	return func(tb testing.TB) S {
		tb.Helper()
		if IsMissing(err) {
			tb.Skip(err)
		}
		errtest.None(tb, err)
		tb.Cleanup(func() { errtest.None(tb, server.Close()) })
		return server
	}
}

// Server is a server that listens on a socket file. It stores nothing on disk, unless
// StartDurable started it.
type Server struct {
	program string
	dir     string
	address string // "" if it listens on no port
	url     string
	options []string
	command *exec.Cmd
	ended   chan struct{} // closed when the process is gone
}

// Start starts a server and waits until it answers.
func Start(ctx context.Context) (*Server, error) {
	return start(ctx, volatile("--port", "0")...)
}

// volatile has a server store nothing on disk.
func volatile(options ...string) []string {
	return append([]string{"--save", "", "--appendonly", "no", "--loglevel", "warning"}, options...)
}

// StartDurable starts a server that writes each change to disk before it answers. For clients
// that cannot use socket files, it also listens on Address.
func StartDurable(ctx context.Context) (*Server, error) {
	s, port, err := startOnPort(ctx, "--save", "", "--appendonly", "yes", "--appendfsync", "always", "--loglevel", "warning")
	if err != nil {
		return nil, err
	}
	s.address = "127.0.0.1:" + port
	return s, nil
}

// StartCluster starts a Redis Cluster of one node, which holds all slots. It refuses calls
// across slots as larger ones do.
func StartCluster(ctx context.Context) (*Server, error) {
	s, port, err := startOnPort(ctx, volatile("--cluster-enabled", "yes")...)
	if err != nil {
		return nil, err
	}
	s.url = "redis+cluster://127.0.0.1:" + port + patient
	if answer, err := s.Do(ctx, "CLUSTER", "ADDSLOTSRANGE", "0", "16383"); err != nil || answer != "OK" {
		return nil, errors.Join(fmt.Errorf("assign the slots: %q, %w", answer, err), s.Close())
	}
	return s, until(ctx, "the cluster", func() bool {
		info, err := s.Do(ctx, "CLUSTER", "INFO")
		return err == nil && strings.Contains(info, "cluster_state:ok")
	})
}

// Log returns the file in which a durable server records its writes, in order.
func (s *Server) Log() string {
	return filepath.Join(s.dir, "appendonlydir", "appendonly.aof.1.incr.aof")
}

// start starts a server with these options and waits until it answers.
func start(ctx context.Context, options ...string) (*Server, error) {
	program, err := find()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("/tmp", "redis") // sockets need a short name
	if err != nil {
		return nil, fmt.Errorf("make a directory for a socket: %w", err)
	}
	s := &Server{program: program, dir: dir, options: options}
	s.url = "unix://" + s.Socket() + patient
	if err := s.Restart(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// find returns the path of the server program.
func find() (string, error) {
	for _, name := range []string{"redis-server", "valkey-server"} {
		if program, err := exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", ErrMissing
}

// Socket returns the file that the server listens on, also while it is down.
func (s *Server) Socket() string { return filepath.Join(s.dir, "s") }

// Address returns the host and port of a server that StartDurable started.
func (s *Server) Address() string { return s.address }

// patient has heddle wait for an answer however slow the machine is.
const patient = "?read_timeout=10m"

// Within returns an address that a URL method returned, with another time to wait for an
// answer.
func Within(url, timeout string) string {
	return strings.Replace(url, patient, "?read_timeout="+timeout, 1)
}

// URL returns the address for REDIS_URL.
func (s *Server) URL() string { return s.url }

// Restart starts a killed server again, with what it stored on disk, and waits until it
// answers.
func (s *Server) Restart(ctx context.Context) error {
	options := append(slices.Clone(s.options), "--unixsocket", s.Socket(), "--dir", s.dir)
	s.command = exec.Command(s.program, options...) //nolint:gosec,noctx // it outlives ctx
	if err := s.command.Start(); err != nil {
		return fmt.Errorf("start %s: %w", s.program, err)
	}
	s.ended = make(chan struct{})
	go func(command *exec.Cmd, ended chan struct{}) {
		defer close(ended)
		_ = command.Wait() // a killed process ends with an error
	}(s.command, s.ended)
	return s.await(ctx)
}

var errEnded = errors.New("the server ended at once")

// await waits until the server answers. It fails if the process ends first.
func (s *Server) await(ctx context.Context) error {
	var ended error
	err := until(ctx, s.program, func() bool {
		select {
		case <-s.ended:
			ended = errEnded
		default:
		}
		answer, err := s.Do(ctx, "PING")
		return ended != nil || err == nil && answer == "PONG"
	})
	return errors.Join(err, ended)
}

// Do sends one command and returns the answer.
func (s *Server) Do(ctx context.Context, words ...string) (string, error) {
	client := goredis.NewClient(&goredis.Options{Network: "unix", Addr: s.Socket(), MaxRetries: -1, DialerRetries: 1, DisableIdentity: true})
	defer client.Close() //nolint:errcheck // nothing is left to send
	command := make([]any, len(words))
	for i, word := range words {
		command[i] = word
	}
	answer, err := client.Do(ctx, command...).Result()
	if err != nil {
		return "", fmt.Errorf("ask the server: %w", err)
	}
	return fmt.Sprint(answer), nil
}

// Pause stops the server from answering. Its connections stay open.
func (s *Server) Pause() error { return s.signal(syscall.SIGSTOP) }

// Resume ends a Pause.
func (s *Server) Resume() error { return s.signal(syscall.SIGCONT) }

func (s *Server) signal(signal syscall.Signal) error {
	if err := s.command.Process.Signal(signal); err != nil {
		return fmt.Errorf("signal the server: %w", err)
	}
	return nil
}

// Kill ends the server at once, with everything in its memory.
func (s *Server) Kill() {
	_ = s.command.Process.Kill() // it fails only if the process is gone
	<-s.ended
}

// Close kills the server and removes its files.
func (s *Server) Close() error {
	s.Kill()
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("remove the server's files: %w", err)
	}
	return nil
}
