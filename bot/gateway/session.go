package gateway

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"heddle/internal/discord"
)

// session is a session with Discord. Its first connection identifies, and each later one
// resumes it. It belongs to the goroutine of Gateway.Run.
type session struct {
	gateway  *Gateway
	home     string    // the address for identifying
	until    time.Time // when the turn to identify ends; zero: never
	alive    bool      // Discord has begun the session and may resume it
	id       string    // what Discord calls the session
	resume   string    // the address for resuming; empty: home
	failed   int       // failed attempts to connect, in a row
	refused  int       // those of them at which Discord was reached
	sequence atomic.Int64
}

// newSession returns a session that will identify. It waits until Discord allows that.
func (g *Gateway) newSession(ctx context.Context) (*session, error) {
	o, err := g.Offer(ctx)
	if err != nil {
		return nil, err
	}
	until, err := g.awaitIdentify(ctx, o)
	if err != nil {
		return nil, err
	}
	return &session{gateway: g, home: strings.TrimRight(o.URL, "/"), until: until}, nil
}

// run connects, waits until the connection ends and returns why. It reports whether
// events have flowed on it.
func (s *session) run(ctx context.Context) (open bool, err error) {
	address := s.home
	if s.resume != "" {
		address = s.resume
	}
	socket, err := s.gateway.dial(ctx, address)
	if err != nil {
		s.failed++
		s.forsake()
		return false, err
	}
	c := &connection{session: s, socket: socket, resuming: s.alive}
	err = c.serve(ctx)
	if c.deaf.Load() {
		err = errDeaf
	}
	if !c.open {
		s.failed++
		s.refused++
		s.forsake()
	}
	return c.open, err
}

// established is called on READY.
func (s *session) established(ready discord.Ready) {
	s.id = ready.Session
	if ready.ResumeURL != "" && asSafe(s.home, ready.ResumeURL) {
		s.resume = strings.TrimRight(ready.ResumeURL, "/")
	}
	s.continued()
}

// continued is called on READY and RESUMED.
func (s *session) continued() { s.failed, s.refused, s.alive = 0, 0, s.id != "" }

// forsake drops the address for resuming after two failed attempts, and the session
// after two at which Discord was reached.
func (s *session) forsake() {
	if s.failed > 1 {
		s.resume = ""
	}
	if s.refused > 1 {
		s.alive = false
	}
}

// resumable reports whether the session can go on after its connection ended with err.
func (s *session) resumable(err error) bool { return s.alive && resumable(err) }
