package gateway

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"heddle/internal/discord"
)

// session is a session with Discord. Its first connection identifies, and each later one
// resumes it.
type session struct {
	gateway *Gateway
	home    string    // the address for identifying
	until   time.Time // when the turn to identify ends

	mu       sync.Mutex
	alive    bool   // Discord has begun the session and may resume it
	id       string // what Discord calls the session
	sequence int64  // the number of the last event that was handled
	link     *link  // the connection being opened or used
	resume   string // the address for resuming; empty: home
	failed   int    // failed attempts to resume, in a row
	// refused counts those failed attempts at which Discord was reached and did not
	// answer with RESUMED.
	refused int
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
	s := &session{gateway: g, home: strings.TrimRight(o.URL, "/"), until: until}
	g.replace(s)
	return s, nil
}

// run connects, waits until the connection ends and returns why. It closes the
// connection when ctx ends. It reports whether events have flowed on it.
func (s *session) run(ctx context.Context) (open bool, err error) {
	l, address := s.begin(ctx)
	defer l.release()
	c, err := newClient(l, address)
	if err != nil {
		return false, err
	}
	err = c.run(ctx)
	switch l.state() {
	case linkOpen:
		return true, err
	case linkConnected:
		s.refuse()
	case linkUnreached:
	}
	s.openFailed()
	return false, err
}

// begin returns the next connection of the session and the address to connect to.
func (s *session) begin(ctx context.Context) (l *link, address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.link = newLink(ctx, s)
	if s.resume != "" {
		return s.link, s.resume
	}
	return s.link, s.home
}

// resumptionLocked returns the payload that resumes the session.
func (s *session) resumptionLocked() json.RawMessage {
	var resume struct {
		Op   int `json:"op"`
		Data struct {
			Token    string `json:"token"`
			Session  string `json:"session_id"`
			Sequence int64  `json:"seq"`
		} `json:"d"`
	}
	resume.Op = opResume
	resume.Data.Token, resume.Data.Session, resume.Data.Sequence = s.gateway.cfg.token(), s.id, s.sequence
	payload, _ := json.Marshal(resume) // texts and numbers can be written
	return payload
}

// isOn reports whether l is the session's present connection.
func (s *session) isOn(l *link) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link == l
}

// handled notes that the event with this number was handled on l. The session is
// resumed after it.
func (s *session) handled(l *link, sequence int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == l {
		s.sequence = sequence
	}
}

// established is called on READY.
func (s *session) established(ready discord.Ready) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id = ready.Session
	if ready.ResumeURL != "" && asSafe(s.home, ready.ResumeURL) {
		s.resume = strings.TrimRight(ready.ResumeURL, "/")
	}
	s.openedLocked()
}

// resumed is called on RESUMED.
func (s *session) resumed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.openedLocked()
}

func (s *session) openedLocked() {
	s.failed, s.refused, s.alive = 0, 0, s.id != ""
	s.link.opened()
}

// openFailed goes back to the first address once the one for resuming has failed twice.
func (s *session) openFailed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed++; s.failed > 1 {
		s.resume = ""
	}
}

// refuse counts an attempt to resume that Discord refused or did not answer. After two
// of them the session is not resumed again.
func (s *session) refuse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused++; s.refused > 1 {
		s.alive = false
	}
}

// resumable reports whether the session can go on after its connection ended with err.
func (s *session) resumable(err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.alive && resumable(err)
}
