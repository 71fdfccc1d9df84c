package redistest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// Sentinel is a server with a Sentinel that watches it.
type Sentinel struct {
	watched, watcher *Server
	dir              string
	port             int
}

// StartSentinel starts both on the loopback interface.
func StartSentinel(ctx context.Context) (*Sentinel, error) {
	s := &Sentinel{}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	if s.watched, err = start(ctx, "--port", strconv.Itoa(port), "--bind", "127.0.0.1"); err != nil {
		return nil, err
	}
	if err := s.watch(ctx, port); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Sentinel) watch(ctx context.Context, port int) (err error) {
	if s.port, err = freePort(ctx); err != nil {
		return err
	}
	if s.dir, err = os.MkdirTemp("", "sentinel"); err != nil {
		return fmt.Errorf("make a directory for the sentinel: %w", err)
	}
	// A Sentinel writes what it learns into its configuration.
	file := filepath.Join(s.dir, "conf")
	text := fmt.Sprintf("port %d\nbind 127.0.0.1\nsentinel monitor main 127.0.0.1 %d 1\n", s.port, port)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return fmt.Errorf("configure the sentinel: %w", err)
	}
	s.watcher, err = startWith(ctx, file, "--sentinel")
	return err
}

// URL is the address for REDIS_URL.
func (s *Sentinel) URL() string {
	return "redis+sentinel://127.0.0.1:" + strconv.Itoa(s.port) + "?master_name=main"
}

// Watched is the server that the Sentinel leads to.
func (s *Sentinel) Watched() *Server { return s.watched }

// Close kills both.
func (s *Sentinel) Close() error {
	err := s.watched.Close()
	if s.watcher != nil {
		err = errors.Join(err, s.watcher.Close())
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

var errPort = errors.New("no port is free")

// freePort gives a port that is free, and the one 10,000 above it too.
func freePort(ctx context.Context) (int, error) {
	const tries = 20
	for range tries {
		port := 20000 + rand.IntN(10000) //nolint:gosec // any will do
		if free(ctx, port) && free(ctx, port+10000) {
			return port, nil
		}
	}
	return 0, errPort
}
