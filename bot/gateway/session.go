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

// errDetour fails a dial on purpose. discordgo asks the addressBook for an address only
// after a dial to the previous one has failed.
var errDetour = errors.New("another address was chosen")

// session is a discordgo Session with its present link. Running it again resumes it.
type session struct {
	gateway *Gateway
	dg      *discordgo.Session
	home    string    // the address for identifying
	until   time.Time // when the turn to identify ends
	stuck   bool      // discordgo did not let go of a connection; the session must not be used again

	mu     sync.Mutex
	alive  bool   // Discord has begun the session and may resume it
	link   *link  // the connection being opened or used
	resume string // the address for resuming; empty: home
	dialed string // the address that discordgo uses until a dial fails
	failed int    // attempts to resume that failed in a row
	// refused counts those of them that Discord did not answer by RESUMED though it
	// was reached.
	refused int
}

// newSession returns a session that will identify. It waits until Discord allows it.
func (g *Gateway) newSession(ctx context.Context) (*session, error) {
	o, err := g.Offer(ctx)
	if err != nil {
		return nil, err
	}
	until, err := g.awaitIdentify(ctx, o)
	if err != nil {
		return nil, err
	}
	dg, err := discordgo.New("Bot " + strings.TrimPrefix(g.cfg.Token, "Bot "))
	if err != nil {
		return nil, fmt.Errorf("make a Discord session: %w", err)
	}
	dg.ShardID, dg.ShardCount = g.cfg.Shard.ID, g.cfg.Shard.Count
	s := &session{gateway: g, dg: dg, home: strings.TrimRight(o.URL, "/"), until: until}
	dg.LogLevel = -1 // discordgo's log lines hold payloads
	dg.StateEnabled = false
	dg.SyncEvents = true
	dg.Compress = false // each event by itself, which discordgo unpacks with 40 kB of new memory
	dg.ShouldReconnectOnError = false
	dg.ShouldReconnectVoiceOnSessionError = false
	dg.Identify.Intents = Intents
	dg.Client = &http.Client{Transport: addressBook(s.address)}
	dg.Dialer = &websocket.Dialer{NetDialContext: s.dialPlain, NetDialTLSContext: s.dialTLS}
	dg.AddHandler(func(*discordgo.Session, *discordgo.Disconnect) { s.present().end() })
	g.replace(s)
	return s, nil
}

// run opens the session, waits until its connection ends and returns why. It closes
// the session when ctx ends. It reports whether events have flowed.
func (s *session) run(ctx context.Context) (open bool, err error) {
	s.mu.Lock()
	l := newLink(ctx, s)
	s.link = l
	s.mu.Unlock()
	defer l.release()
	err = s.connect(ctx, l)
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

func (s *session) connect(ctx context.Context, l *link) error {
	opened := make(chan error, 1)
	go func() { opened <- s.open() }()
	select {
	case err := <-opened:
		if err != nil {
			return l.reason(err)
		}
	case <-ctx.Done():
		l.kill(ctx.Err())
		return s.await(opened)
	case <-l.dead: // a cut socket frees Open
		if err := s.await(opened); err != nil {
			return l.reason(err)
		}
	}
	select {
	case <-l.ended:
	case <-ctx.Done():
		s.close(l)
	case <-l.dead:
		within, cancel := s.closing()
		defer cancel()
		select {
		case <-l.ended:
		case <-within.Done():
			s.stuck = true
			return errors.Join(errStuck, l.reason(errEnded))
		}
	}
	return l.reason(errEnded)
}

// closing returns a context that bounds how long discordgo may take to let go of a
// connection.
func (s *session) closing() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), s.gateway.cfg.CloseTimeout)
}

// open opens the discordgo Session. If it dials an old address, open tries twice.
func (s *session) open() error {
	err := s.dg.Open()
	if errors.Is(err, errDetour) {
		err = s.dg.Open()
	}
	if err != nil {
		return fmt.Errorf("open the gateway: %w", err)
	}
	// The link watches heartbeats. discordgo would close the session in its own time,
	// from a goroutine that does not look whose connection that is by then.
	const century = 100 * 365 * 24 * time.Hour
	s.dg.Lock()
	s.dg.LastHeartbeatAck = time.Now().Add(century)
	s.dg.Unlock()
	return nil
}

// await waits for Open to return after its socket was cut.
func (s *session) await(opened <-chan error) error {
	within, cancel := s.closing()
	defer cancel()
	select {
	case err := <-opened:
		return err
	case <-within.Done():
		s.stuck = true
		return errStuck
	}
}

// close closes the session, or cuts its socket if that takes too long.
func (s *session) close(l *link) {
	within, cancel := s.closing()
	go func() {
		defer cancel()
		_ = s.dg.Close() // waits for a second, and for locks
	}()
	<-within.Done()
	l.kill(context.Canceled)
}

// established is called on READY and RESUMED. resumeURL is where to resume; empty
// leaves it as it was.
func (s *session) established(resumeURL string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed, s.refused, s.alive = 0, 0, true
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

// refuse abandons a session that Discord has refused, or not answered, twice.
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
	return s.alive && !s.stuck && resumable(err)
}

func (s *session) present() *link {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link
}

// address returns where discordgo must connect.
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

// detour reports whether discordgo dials an address that is no longer wanted.
func (s *session) detour() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dialed != s.wantedLocked()
}

// dialPlain is discordgo's dial for ws. It ends with the link's context, as discordgo's
// never ends.
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
