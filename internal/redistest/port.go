package redistest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"time"
)

// startOnPort starts a server with these options on a free port of the loopback interface. If
// another program takes the port in the meantime, it tries another one.
func startOnPort(ctx context.Context, options ...string) (*Server, string, error) {
	const tries = 50
	last := errPort
	for range tries {
		if ctx.Err() != nil {
			break
		}
		// Below the range from which systems assign ports.
		port := 10_000 + rand.IntN(12_000) //nolint:gosec // any free port will do
		if !free(ctx, port) || !free(ctx, port+busOffset) {
			continue
		}
		server, err := start(ctx, append(slices.Clone(options), "--port", strconv.Itoa(port), "--bind", "127.0.0.1")...)
		if err == nil {
			return server, strconv.Itoa(port), nil
		}
		last = err
	}
	return nil, "", fmt.Errorf("start a server on a port of its own: %w", last)
}

var errPort = errors.New("no port is free")

// busOffset is the distance from a Cluster node's port to its second one.
const busOffset = 10_000

func free(ctx context.Context, port int) bool {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:"+strconv.Itoa(port))
	return err == nil && listener.Close() == nil
}

// until waits until something holds. It says what it waits for if ctx ends before.
func until(ctx context.Context, what string, holds func() bool) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, ctx.Err())
		}
	}
	return nil
}
