package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"
)

// errDetour fails one dial on purpose: discordgo keeps the address it once dialled
// until a dial fails, and only then asks the addressBook again.
var errDetour = errors.New("another address was chosen")

// session is one discordgo Session and the socket it has at the moment. It can be
// run again to resume.
type session struct {
	gateway *Gateway
	dg      *discordgo.Session
	home    string // the address for identifying
	stuck   bool   // discordgo did not let go of it; it must not be used again

	mu     sync.Mutex
	alive  bool   // Discord knows it: it can be resumed
	link   *link  // the connection being opened or used
	resume string // the address for resuming; empty: home
	dialed string // the address that discordgo holds on to
	failed int    // dials to resume that failed in a row
}

// newSession prepares a Session that will identify, when Discord lets it.
func (g *Gateway) newSession(ctx context.Context) (*session, error) {
	a, err := g.address(ctx)
	if err != nil {
		return nil, err
	}
	if err := g.awaitIdentify(ctx, a); err != nil {
		return nil, err
	}
	dg, err := discordgo.New("Bot " + strings.TrimPrefix(g.cfg.Token, "Bot "))
	if err != nil {
		return nil, fmt.Errorf("make a Discord session: %w", err)
	}
	s := &session{gateway: g, dg: dg, home: strings.TrimRight(a.URL, "/")}
	dg.LogLevel = -1 // discordgo's log lines hold payloads
	dg.StateEnabled = false
	dg.SyncEvents = true
	dg.Compress = false // each event by itself, which discordgo unpacks with 40 kB of new memory
	dg.ShouldReconnectOnError = false
	dg.ShouldReconnectVoiceOnSessionError = false
	dg.Identify.Intents = Intents
	dg.Client = &http.Client{Transport: addressBook(s.address)}
	dg.Dialer = &websocket.Dialer{NetDialContext: s.dialPlain, NetDialTLSContext: s.dialTLS}
	dg.AddHandler(func(_ *discordgo.Session, e *discordgo.Event) { g.deliver(s, e.Type, e.RawData) })
	dg.AddHandler(func(*discordgo.Session, *discordgo.Disconnect) { s.present().end() })
	g.replace(s)
	return s, nil
}

// run opens the session, waits until its connection ends and says why. When ctx
// ends it closes the session.
func (s *session) run(ctx context.Context) error {
	l := newLink(ctx, &s.gateway.cfg)
	defer l.release()
	s.mu.Lock()
	s.link = l
	s.mu.Unlock()
	opened := make(chan error, 1)
	go func() { opened <- s.open() }()
	select {
	case err := <-opened:
		if err != nil {
			s.openFailed()
			return l.reason(err)
		}
	case <-ctx.Done():
		l.kill(ctx.Err())
		return s.await(opened)
	case <-l.dead: // a cut socket frees Open, save where discordgo has locked itself up
		if err := s.await(opened); err != nil {
			return l.reason(err)
		}
	}
	select {
	case <-l.ended:
	case <-ctx.Done():
		s.close(l)
	case <-l.dead:
		if !l.awaitEnd(s.gateway.cfg.CloseTimeout) {
			s.stuck = true
			return errors.Join(errStuck, l.reason(errEnded))
		}
	}
	return l.reason(errEnded)
}

// open opens the discordgo Session, twice where it holds on to an old address.
func (s *session) open() error {
	err := s.dg.Open()
	if errors.Is(err, errDetour) {
		err = s.dg.Open()
	}
	if err != nil {
		return fmt.Errorf("open the gateway: %w", err)
	}
	return nil
}

// await waits for Open to come back after its socket was cut.
func (s *session) await(opened <-chan error) error {
	timer := time.NewTimer(s.gateway.cfg.CloseTimeout)
	defer timer.Stop()
	select {
	case err := <-opened:
		if err != nil {
			s.openFailed()
		}
		return err
	case <-timer.C:
		s.stuck = true
		return errStuck
	}
}

// close ends the session politely, or cuts its socket if that takes too long.
func (s *session) close(l *link) {
	done := make(chan struct{})
	go func() {
		_ = s.dg.Close() // waits for a second, and for locks
		close(done)
	}()
	timer := time.NewTimer(s.gateway.cfg.CloseTimeout)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
	l.kill(context.Canceled)
}

// established notes that events flow, and where to resume from now on.
func (s *session) established(resumeURL string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed, s.alive = 0, true
	s.link.opened()
	if resumeURL != "" && asSafe(s.home, resumeURL) {
		s.resume = strings.TrimRight(resumeURL, "/")
	}
}

// openFailed goes back to the first address once the one for resuming has failed twice.
func (s *session) openFailed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed++; s.failed > 1 {
		s.resume = ""
	}
}

// resumable says whether the session can go on after its connection ended with err.
func (s *session) resumable(err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.alive && !s.stuck && resumable(err)
}

func (s *session) present() *link {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link
}

// address is where discordgo is to connect.
func (s *session) address() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dialed = s.wantedLocked()
	return s.dialed
}

func (s *session) wantedLocked() string {
	if s.resume != "" {
		return s.resume
	}
	return s.home
}

// detour says whether discordgo dials an address that is no longer wanted.
func (s *session) detour() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dialed != s.wantedLocked()
}

// dialPlain is discordgo's dial for ws. Its own context never ends; the link's does.
func (s *session) dialPlain(_ context.Context, network, addr string) (net.Conn, error) {
	if s.detour() {
		return nil, errDetour
	}
	return s.present().dial(network, addr, nil)
}

// dialTLS is discordgo's dial for wss.
func (s *session) dialTLS(_ context.Context, network, addr string) (net.Conn, error) {
	if s.detour() {
		return nil, errDetour
	}
	return s.present().dial(network, addr, tlsFor(s.gateway.cfg.TLS, addr))
}
