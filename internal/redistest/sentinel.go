package redistest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Sentinel is a server with a replica and a Sentinel that watches both.
type Sentinel struct {
	watched, replica, watcher *Server
	dir                       string
	port                      string
}

// StartSentinel starts all three on the loopback interface. It waits until the replica has
// what the server has, and the Sentinel knows it.
func StartSentinel(ctx context.Context) (*Sentinel, error) {
	dir, err := os.MkdirTemp("", "sentinel")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the sentinel: %w", err)
	}
	s := &Sentinel{dir: dir}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// start starts the server, then its replica and then the Sentinel, and waits for each
// to know the one before.
func (s *Sentinel) start(ctx context.Context) (err error) {
	var port string
	s.watched, port, err = startOnPort(ctx, volatile()...)
	if err != nil {
		return err
	}
	s.replica, _, err = startOnPort(ctx, volatile("--replicaof", "127.0.0.1", port, "--repl-diskless-sync-delay", "0")...)
	if err != nil {
		return err
	}
	if err := s.replica.Says(ctx, "replication", "master_link_status:up"); err != nil {
		return err
	}
	// A Sentinel writes its state into its configuration file.
	file := filepath.Join(s.dir, "conf")
	text := fmt.Sprintf("sentinel monitor main 127.0.0.1 %s 1\n"+
		"sentinel down-after-milliseconds main 600000\n", port) // so that the server does not count as down on a loaded machine
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return fmt.Errorf("configure the sentinel: %w", err)
	}
	s.watcher, s.port, err = startOnPort(ctx, file, "--sentinel")
	if err != nil {
		return err
	}
	return s.watcher.Says(ctx, "sentinel", "slaves=1")
}

// Says waits until a section of what a server says of itself contains a text.
func (s *Server) Says(ctx context.Context, section, text string) error {
	return until(ctx, "the server to say "+text, func() bool {
		info, err := s.Do(ctx, "INFO", section)
		return err == nil && strings.Contains(info, text)
	})
}

// URL returns the address for REDIS_URL.
func (s *Sentinel) URL() string {
	return "redis+sentinel://127.0.0.1:" + s.port + patient + "&master_name=main"
}

// Watched returns the server that the Sentinel leads to.
func (s *Sentinel) Watched() *Server { return s.watched }

// FailOver kills the server and has the Sentinel put the replica in its place. What the
// replica had not received is lost.
func (s *Sentinel) FailOver(ctx context.Context) error {
	s.watched.Kill()
	if answer, err := s.watcher.Do(ctx, "SENTINEL", "FAILOVER", "main"); err != nil || answer != "OK" {
		return fmt.Errorf("fail over: %q, %w", answer, err)
	}
	return s.replica.Says(ctx, "replication", "role:master")
}

// Close kills all three.
func (s *Sentinel) Close() error {
	var all error
	for _, server := range []*Server{s.watched, s.replica, s.watcher} {
		if server != nil {
			all = errors.Join(all, server.Close())
		}
	}
	return errors.Join(all, os.RemoveAll(s.dir))
}
