package redistest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Sentinel is a server with a Sentinel that watches it.
type Sentinel struct {
	watched, watcher *Server
	dir              string
	port             string
}

// StartSentinel starts both on the loopback interface.
func StartSentinel(ctx context.Context) (*Sentinel, error) {
	dir, err := os.MkdirTemp("", "sentinel")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the sentinel: %w", err)
	}
	s := &Sentinel{dir: dir}
	watched, port, err := startOnPort(ctx, func(port string) (*Server, error) {
		return start(ctx, "--port", port, "--bind", "127.0.0.1")
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.watched = watched
	s.watcher, s.port, err = startOnPort(ctx, func(own string) (*Server, error) { return s.watch(ctx, own, port) })
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// watch starts a Sentinel on a port that watches the server on another.
func (s *Sentinel) watch(ctx context.Context, own, watched string) (*Server, error) {
	// A Sentinel writes its state into its configuration file.
	file := filepath.Join(s.dir, "conf")
	text := fmt.Sprintf("port %s\nbind 127.0.0.1\nsentinel monitor main 127.0.0.1 %s 1\n"+
		"sentinel down-after-milliseconds main 600000\n", own, watched) // so that the server does not count as down on a loaded machine
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, fmt.Errorf("configure the sentinel: %w", err)
	}
	return startWith(ctx, file, "--sentinel")
}

// URL returns the address for REDIS_URL.
func (s *Sentinel) URL() string { return "redis+sentinel://127.0.0.1:" + s.port + "?master_name=main" }

// Watched returns the server that the Sentinel leads to.
func (s *Sentinel) Watched() *Server { return s.watched }

// Close kills both.
func (s *Sentinel) Close() error {
	var all error
	for _, server := range []*Server{s.watched, s.watcher} {
		if server != nil {
			all = errors.Join(all, server.Close())
		}
	}
	return errors.Join(all, os.RemoveAll(s.dir))
}
