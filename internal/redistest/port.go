package redistest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// startOnPort starts a server on a free port. If another program takes the port in the
// meantime, it tries another one.
func startOnPort(ctx context.Context, start func(port string) (*Server, error)) (*Server, string, error) {
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
		server, err := start(strconv.Itoa(port))
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
