package shared

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"heddle/store"
)

// Engine is an engine that can be shared.
type Engine interface {
	store.Engine
	store.Walker
}

// Server is an engine that other processes can use as well.
type Server struct {
	Engine

	listener net.Listener
	calls    context.Context //nolint:containedctx // the context of all calls, which ends with Close
	stop     context.CancelFunc
	running  sync.WaitGroup
}

// Serve shares an engine at a socket that only the user of this process can reach. The
// server owns the engine from then on. No other process may serve at the same socket.
// If Serve fails, the engine is unchanged and the caller still owns it.
func Serve(ctx context.Context, engine Engine, file string) (*Server, error) {
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) { // left by a process that was killed
		return nil, fmt.Errorf("remove an old socket: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "unix", file)
	if err != nil {
		return nil, fmt.Errorf("listen at %s: %w", file, err)
	}
	if err := os.Chmod(file, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("restrict %s to its user: %w", file, err), listener.Close())
	}
	s := &Server{Engine: engine, listener: listener}
	s.calls, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.running.Go(s.accept)
	return s, nil
}

// Close ends all calls, then closes the engine.
func (s *Server) Close() error {
	s.stop()
	_ = s.listener.Close() // it removes the socket; if that fails, nothing can be done
	s.running.Wait()
	return s.Engine.Close()
}

// Quarantines returns how often the engine quarantined its data and started empty.
func (s *Server) Quarantines() int64 {
	if counting, ok := s.Engine.(interface{ Quarantines() int64 }); ok {
		return counting.Quarantines()
	}
	return 0
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return // it was closed
		}
		s.running.Go(func() { s.serve(conn) })
	}
}

// serve carries out the call that comes over a connection.
func (s *Server) serve(conn net.Conn) {
	ctx, cancel := context.WithCancel(s.calls)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer conn.Close() //nolint:errcheck // the caller needs nothing more
	var call request
	if gob.NewDecoder(conn).Decode(&call) != nil {
		return // the caller has gone
	}
	var watching sync.WaitGroup
	watching.Go(func() { // ends with the connection, which is closed below
		_, _ = conn.Read(make([]byte, 1)) // the caller sends no more, so it has gone
		cancel()
	})
	out := gob.NewEncoder(conn)
	last, err := s.call(ctx, &call, func(part answer) error { return out.Encode(part) })
	last.Last, last.Fault = true, outFault(err)
	_ = out.Encode(last) // if the caller has gone, it needs no answer
	_ = conn.Close()
	watching.Wait()
}

// call calls the engine. It passes all parts of the answer except the last to part, and
// returns the last.
func (s *Server) call(ctx context.Context, call *request, part func(answer) error) (last answer, err error) {
	switch {
	case call.Get != nil:
		values, err := s.Get(ctx, call.Get...)
		for _, v := range values {
			last.Values = append(last.Values, outValue(v))
		}
		return last, err
	case call.Follow != nil:
		found, err := s.Follow(ctx, call.Follow.Scope, call.Follow.Queries...)
		last.Members = make([][]member, len(found))
		for i, members := range found {
			for _, m := range members {
				last.Members[i] = append(last.Members[i], member{m.Name, outValue(m.Value), outValue(m.Linked)})
			}
		}
		return last, err
	case call.Changes != nil:
		last.Failed, err = s.Apply(ctx, call.Changes...)
		return last, err
	case call.Walk:
		return last, s.Walk(ctx, func(entries []store.Entry) error {
			some := answer{Entries: make([]entry, len(entries))}
			for i, e := range entries {
				some.Entries[i] = entry{e, outValue(e.Value)}
				some.Entries[i].Entry.Value = nil
			}
			return part(some)
		})
	default:
		last.Swept, err = s.Sweep(ctx)
		return last, err
	}
}
