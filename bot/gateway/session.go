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

// session is a discordgo Session with its current link. Running it again resumes it.
type session struct {
	gateway *Gateway
	dg      *discordgo.Session
	home    string    // the address for identifying
	until   time.Time // when the turn to identify ends
	stuck   bool      // discordgo did not close a connection; the session must not be used again

	mu     sync.Mutex
	alive  bool   // Discord has begun the session and may resume it
	link   *link  // the connection being opened or used
	resume string // the address for resuming; empty: home
	dialed string // the address that discordgo uses until a dial fails
	failed int    // failed attempts to resume, in a row
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
	dg, err := discordgo.New("Bot " + strings.TrimPrefix(g.cfg.Token, "Bot "))
	if err != nil {
		return nil, fmt.Errorf("make a Discord session: %w", err)
	}
	dg.ShardID, dg.ShardCount = g.cfg.Shard.ID, g.cfg.Shard.Count
	s := &session{gateway: g, dg: dg, home: strings.TrimRight(o.URL, "/"), until: until}
	dg.LogLevel = -1 // nothing: discordgo's log lines contain payloads
	dg.StateEnabled = false
	dg.SyncEvents = true
	dg.Compress = false // compression of single events, for which discordgo allocates 40 kB each time
	dg.ShouldReconnectOnError = false
	dg.ShouldReconnectVoiceOnSessionError = false
	dg.Identify.Intents = Intents
	dg.Client = &http.Client{Transport: addressBook(s.address)}
	dg.Dialer = &websocket.Dialer{NetDialContext: s.dialPlain, NetDialTLSContext: s.dialTLS}
	dg.AddHandler(func(*discordgo.Session, *discordgo.Disconnect) { s.present().end() })
	g.replace(s)
	return s, nil
}

// run opens the session, waits until its connection ends and returns why. It closes the
// session when ctx ends. It reports whether events have flowed on the connection.
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
	case <-l.dead: // Open returns once its socket is cut
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

// closing returns a context that bounds how long discordgo may take to close a
// connection.
func (s *session) closing() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), s.gateway.cfg.CloseTimeout)
}

// open opens the discordgo Session. discordgo first dials the address that it used
// before. If another one was chosen since, that dial is made to fail, and open opens
// the Session again.
func (s *session) open() error {
	err := s.dg.Open()
	if errors.Is(err, errDetour) {
		err = s.dg.Open()
	}
	if err != nil {
		return fmt.Errorf("open the gateway: %w", err)
	}
	// The link watches heartbeats, so discordgo must not. It would close the session
	// from a goroutine that does not check whether the connection is still the one it
	// watched.
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

// close closes the session. It cuts the socket if closing takes too long.
func (s *session) close(l *link) {
	within, cancel := s.closing()
	go func() {
		defer cancel()
		_ = s.dg.Close() // waits for a second, and for locks
	}()
	<-within.Done()
	l.kill(context.Canceled)
}

// established is called on READY and RESUMED. A resumeURL that is not empty becomes the
// address for resuming.
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
	return s.alive && !s.stuck && resumable(err)
}

func (s *session) present() *link {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link
}

// address returns the address that discordgo has to dial.
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

// dialPlain dials ws addresses for discordgo. It uses the link's context, because the
// one that discordgo passes never ends.
func (s *session) dialPlain(_ context.Context, network, addr string) (net.Conn, error) {
	if s.detour() {
		return nil, errDetour
	}
	return s.present().dial(network, addr, nil)
}

// dialTLS dials wss addresses for discordgo.
func (s *session) dialTLS(_ context.Context, network, addr string) (net.Conn, error) {
	if s.detour() {
		return nil, errDetour
	}
	return s.present().dial(network, addr, tlsFor(s.gateway.cfg.TLS, addr))
}
