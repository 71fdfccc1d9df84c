package discordtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"heddle/graph"
)

// Happening is one thing that happened in the world.
type Happening struct {
	Kind    HappeningKind
	Channel graph.ChannelID
	// Message is the version that was made, or the last one before a deletion;
	// empty for Typing but for its Author.
	Message Message
	// To is who sees a Private message.
	To graph.UserID
}

// HappeningKind is a kind of happening.
type HappeningKind uint8

// The kinds of happenings.
const (
	Created HappeningKind = iota
	Edited
	Deleted
	Typing
	Private // a version of a message that one person sees
	Reacted // other reactions on a message
)

// ErrClosed is returned by waits on a server or watcher that was closed.
var ErrClosed = errors.New("discordtest: closed")

// Patience is how long tests wait at most for what happens here. It is no measure of
// speed: on however slow a machine, a wait that reaches it has failed.
const Patience = 5 * time.Minute

// Watcher is a stream of what happens, from the moment it was made. It keeps
// everything until it is read. One goroutine reads it at a time.
type Watcher struct {
	server *Server
	mu     sync.Mutex
	queue  []Happening
	more   chan struct{} // holds one token while the queue may be filled
	closed chan struct{}
	once   sync.Once
}

// Watch starts watching. The caller must Close the watcher.
func (s *Server) Watch() *Watcher {
	w := &Watcher{server: s, more: make(chan struct{}, 1), closed: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watchers[w] = struct{}{}
	return w
}

// Close ends the stream; a Next that waits returns ErrClosed.
func (w *Watcher) Close() {
	w.once.Do(func() {
		w.server.mu.Lock()
		defer w.server.mu.Unlock()
		delete(w.server.watchers, w)
		close(w.closed)
	})
}

// Next waits for the next happening.
func (w *Watcher) Next(ctx context.Context) (Happening, error) {
	for {
		if h, ok := w.take(); ok {
			return h, nil
		}
		select {
		case <-w.more:
		case <-w.closed:
			return Happening{}, ErrClosed
		case <-w.server.done:
			return Happening{}, ErrClosed
		case <-ctx.Done():
			return Happening{}, fmt.Errorf("wait for a happening: %w", ctx.Err())
		}
	}
}

// Until skips happenings until one that fits.
func (w *Watcher) Until(ctx context.Context, fits func(Happening) bool) (Happening, error) {
	for {
		h, err := w.Next(ctx)
		if err != nil || fits(h) {
			return h, err
		}
	}
}

func (w *Watcher) take() (Happening, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		return Happening{}, false
	}
	h := w.queue[0]
	w.queue = w.queue[1:]
	return h, true
}

func (w *Watcher) put(h Happening) {
	w.mu.Lock()
	w.queue = append(w.queue, h)
	w.mu.Unlock()
	select {
	case w.more <- struct{}{}:
	default:
	}
}

func (s *Server) happenedLocked(h Happening) {
	for w := range s.watchers {
		w.put(h)
	}
	s.wakeLocked()
}

// wakeLocked lets everybody in await look again.
func (s *Server) wakeLocked() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// await blocks until ready, which is called with the lock held, says so.
func (s *Server) await(ctx context.Context, what string, ready func() bool) error {
	for {
		s.mu.Lock()
		if ready() {
			s.mu.Unlock()
			return nil
		}
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-s.done:
			return ErrClosed
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, ctx.Err())
		}
	}
}

// AwaitMessage waits until a channel holds a message that fits, in whatever
// version it then has, and returns the newest such.
func (s *Server) AwaitMessage(ctx context.Context, id graph.ChannelID, fits func(Message) bool) (Message, error) {
	var found Message
	err := s.await(ctx, "a message", func() bool {
		c := s.world.channels[id]
		if c == nil {
			return false
		}
		for _, m := range slices.Backward(c.messages) {
			if fits(*m) {
				found = *m
				return true
			}
		}
		return false
	})
	return found, err
}
