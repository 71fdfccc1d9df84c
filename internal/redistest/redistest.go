// Package redistest runs real Redis or Valkey servers for tests, and can disturb them
// while they are in use.
package redistest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// ErrMissing means that this machine has no server program.
var ErrMissing = errors.New("neither redis-server nor valkey-server is installed")

// Required reports whether a missing server fails tests, which is the case on CI.
func Required() bool {
	return os.Getenv("CI") == "true" //nolint:forbidigo // tests have no configuration
}

// Server is a server that listens on a socket file. It stores nothing on disk, unless
// StartDurable started it.
type Server struct {
	program string
	dir     string
	address string // "" if it listens on no port
	options []string
	command *exec.Cmd
	ended   chan struct{} // closed when the process is gone
}

// Start starts a server and waits until it answers.
func Start(ctx context.Context) (*Server, error) {
	return start(ctx, "--port", "0")
}

// StartDurable starts a server that writes each change to disk before it answers.
func StartDurable(ctx context.Context) (*Server, error) {
	return startDurable(ctx, "--port", "0")
}

// StartDurableTCP is like StartDurable for clients that cannot use socket files. The
// server also listens on Address.
func StartDurableTCP(ctx context.Context) (*Server, error) {
	s, port, err := startOnPort(ctx, func(port string) (*Server, error) {
		return startDurable(ctx, "--port", port, "--bind", "127.0.0.1")
	})
	if err != nil {
		return nil, err
	}
	s.address = "127.0.0.1:" + port
	return s, nil
}

func startDurable(ctx context.Context, options ...string) (*Server, error) {
	return startWith(ctx, append([]string{"--save", "", "--appendonly", "yes", "--appendfsync", "always", "--loglevel", "warning"}, options...)...)
}

// Log returns the file in which a durable server records its writes, in order.
func (s *Server) Log() string {
	return filepath.Join(s.dir, "appendonlydir", "appendonly.aof.1.incr.aof")
}

// start starts a server that stores nothing, with further options.
func start(ctx context.Context, options ...string) (*Server, error) {
	return startWith(ctx, append([]string{"--save", "", "--appendonly", "no", "--loglevel", "warning"}, options...)...)
}

// startWith starts a server with these options and waits until it answers.
func startWith(ctx context.Context, options ...string) (*Server, error) {
	program, err := find()
	if err != nil {
		return nil, err
	}
	dir, err := ShortDir("redis")
	if err != nil {
		return nil, err
	}
	s := &Server{program: program, dir: dir, options: options}
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

// Address returns the host and port of a server that StartDurableTCP started.
func (s *Server) Address() string { return s.address }

// URL returns the address for REDIS_URL.
func (s *Server) URL() string { return "unix://" + s.Socket() }

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

// await waits until the server answers. It fails if the process ends first.
func (s *Server) await(ctx context.Context) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		answer, err := s.Do(ctx, "PING")
		if err == nil && answer == "+PONG" {
			return nil
		}
		select {
		case <-tick.C:
		case <-s.ended:
			return fmt.Errorf("%s ended at once: %w", s.program, err)
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", s.program, ctx.Err())
		}
	}
}

// Do sends one command and returns the first line of the answer.
func (s *Server) Do(ctx context.Context, words ...string) (string, error) {
	var line string
	err := s.exchange(ctx, words, func(answer *bufio.Reader) (err error) {
		line, err = answer.ReadString('\n')
		return err
	})
	return strings.TrimSpace(line), err
}

// ask sends one command and returns the text of the answer.
func (s *Server) ask(ctx context.Context, words ...string) (string, error) {
	var text []byte
	err := s.exchange(ctx, words, func(answer *bufio.Reader) error {
		var size int
		if _, err := fmt.Fscanf(answer, "$%d\r\n", &size); err != nil {
			return err
		}
		text = make([]byte, size)
		_, err := io.ReadFull(answer, text)
		return err
	})
	return string(text), err
}

func (s *Server) exchange(ctx context.Context, words []string, read func(*bufio.Reader) error) error {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", s.Socket())
	if err != nil {
		return fmt.Errorf("dial the server: %w", err)
	}
	defer conn.Close() //nolint:errcheck // nothing is left to send
	if _, err := fmt.Fprintf(conn, "%s\r\n", strings.Join(words, " ")); err != nil {
		return fmt.Errorf("send to the server: %w", err)
	}
	if err := read(bufio.NewReader(conn)); err != nil {
		return fmt.Errorf("read from the server: %w", err)
	}
	return nil
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
