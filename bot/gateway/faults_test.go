package gateway_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"heddle/bot/gateway"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
)

// TestLostConnectionsComeBack loses a connection in every way that the server knows.
// The gateway resumes it without missing a message, or identifies again. Either way the
// handler is called, and messages flow again. Nothing waits after a connection that worked:
// a pause would last an hour there, so the test would time out.
func TestLostConnectionsComeBack(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lose            func(*discordtest.Server)
		resumed, atOnce bool
	}{
		"op 7":                   {func(s *discordtest.Server) { s.Gateway.AskReconnect() }, true, true},
		"op 9, resumable":        {func(s *discordtest.Server) { s.Gateway.AskResume() }, true, true},
		"op 9, not resumable":    {func(s *discordtest.Server) { s.Gateway.Invalidate() }, false, true},
		"a cut socket":           {func(s *discordtest.Server) { s.Gateway.CloseSockets(0) }, true, true},
		"close code 4000":        {func(s *discordtest.Server) { s.Gateway.CloseSockets(4000) }, true, true},
		"close code 4009":        {func(s *discordtest.Server) { s.Gateway.CloseSockets(4009) }, false, true},
		"a forgotten session":    {func(s *discordtest.Server) { s.Gateway.EndSessions(); s.Gateway.CloseSockets(0) }, false, false},
		"op 7 as first packet":   {first(discordtest.HandshakeFault{Op: 7, Resume: true}), true, false},
		"op 9 as first packet":   {first(discordtest.HandshakeFault{Op: 9, Resume: true}), false, false},
		"closed while resuming":  {first(discordtest.HandshakeFault{Close: 4000, Resume: true}), true, false},
		"op 7 again and again":   {first(discordtest.HandshakeFault{Op: 7, Resume: true, Times: -1}), false, false},
		"closed again and again": {first(discordtest.HandshakeFault{Close: 4000, Resume: true, Times: -1}), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, func(cfg *gateway.Config) {
				if test.atOnce {
					cfg.FirstBackoff, cfg.MostBackoff = time.Hour, time.Hour
				}
			})
			s.await(t, 1, "connected")
			s.say(t, "before")
			s.await(t, 1, "message before")
			test.lose(s.server)
			s.await(t, 1, "disconnected")
			s.say(t, "between")
			again := "connected"
			n := 2
			if test.resumed {
				again, n = "resumed", 1
			}
			s.await(t, n, again)
			s.say(t, "after")
			s.await(t, 1, "message after")
			if opened := s.server.Gateway.State().Opened; opened > 4 {
				t.Errorf("%d sockets were opened: one, two to resume and one to identify are enough, want at most 4", opened)
			}
			if missed := len(s.seen("message between")) == 0; missed && test.resumed {
				t.Errorf("a message was missed: %q, want it replayed", s.lines)
			}
		})
	}
}

// first ends a connection and lets the server answer the first attempt to resume it
// with a fault.
func first(h discordtest.HandshakeFault) func(*discordtest.Server) {
	return func(s *discordtest.Server) {
		s.Gateway.InjectHandshake(h)
		s.Gateway.CloseSockets(0)
	}
}

// TestATokenThatIsRefusedEndsTheRun refuses the token where the gateway's address is asked
// for, and, while no session can begin, where the API is asked about the token.
func TestATokenThatIsRefusedEndsTheRun(t *testing.T) {
	t.Parallel()
	for path, refusal := range map[string]struct {
		status int
		body   string
	}{"/gateway/bot": {401, ""}, "/users/@me": {400, `{"code":40001}`}} {
		hold := make(chan struct{})
		s := newStage(t, func(cfg *gateway.Config) {
			cfg.REST = via(cfg, func(r *http.Request) (*http.Response, error) {
				<-hold
				if !strings.HasSuffix(r.URL.Path, path) {
					return http.DefaultTransport.RoundTrip(r)
				}
				w := httptest.NewRecorder()
				w.WriteHeader(refusal.status)
				_, _ = w.WriteString(refusal.body) // a recorder takes everything
				return w.Result(), nil
			})
		})
		s.server.Gateway.InjectHandshake(discordtest.HandshakeFault{Close: 4000, Times: -1})
		close(hold)
		if err := s.ends(t); !errors.Is(err, gateway.ErrToken) || !strings.Contains(err.Error(), "DISCORD_TOKEN") {
			t.Errorf("refused at %s, Run returns %v, want %v with the setting", path, err, gateway.ErrToken)
		}
	}
}

func TestAnEncryptedAPINeverLeadsToAPlainGateway(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(cfg *gateway.Config) {
		cfg.REST = discord.NewREST(discord.RESTConfig{
			BaseURL: "https" + strings.TrimPrefix(cfg.REST.BaseURL(), "http"), Token: cfg.Token,
			Transport: through(func(r *http.Request) (*http.Response, error) {
				r.URL.Scheme = "http"
				return http.DefaultTransport.RoundTrip(r)
			}),
		})
	})
	if err := s.ends(t); !errors.Is(err, gateway.ErrAddress) || !strings.Contains(err.Error(), "encryption") {
		t.Errorf("Run returns %v, want %v with the missing encryption", err, gateway.ErrAddress)
	}
	if opened := s.server.Gateway.State().Opened; opened != 0 {
		t.Errorf("%d sockets were opened, want none", opened)
	}
}

// TestPayloadsThatNobodyCanReadAreDropped sends payloads that make discordgo panic.
// They are dropped, and the messages after them arrive over the same connection.
func TestPayloadsThatNobodyCanReadAreDropped(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.await(t, 1, "GUILD_CREATE")
	unread := []string{`null`, `[]`, `7`, `"x"`, ``, `{"op":"x"}`, `{"op":0,"s":9,"t":"GUILD_CREATE","d":null}`, `{"op":0,"s":10,"d":{}}`, `{"op":0,"t":"MESSAGE_CREATE","d":[]}`}
	odd := []string{
		`{"op":0,"s":11,"t":"GUILD_CREATE","d":{"id":"1","channels":[null],"threads":[null],"members":[null],"roles":[null]}}`,
		`{"op":0,"s":12,"t":"GUILD_UPDATE","d":{"id":"1","channels":[null]}}`,
		`{"op":0,"s":13,"t":"GUILD_CREATE","d":{"id":"1","channels":"` + strings.Repeat("x", 70_000) + `"}}`,
		`{"op":99,"d":null}`,
	}
	for _, payload := range append(unread, odd...) {
		s.server.Gateway.SendRaw(json.RawMessage(payload))
	}
	s.say(t, "after")
	s.await(t, 1, "message after")
	if dropped := s.gateway.Dropped(); dropped != uint64(len(unread)) {
		t.Errorf("%d payloads were dropped, want %d", dropped, len(unread))
	}
	if opened, updates := s.server.Gateway.State().Opened, len(s.seen("GUILD_UPDATE")); opened != 1 || updates != 1 {
		t.Errorf("%d sockets were opened and %d odd updates delivered, want 1 and 1", opened, updates)
	}
}

func TestFirstPacketFaultsWhileIdentifying(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]discordtest.HandshakeFault{
		"op 7":    {Op: 7},
		"op 9":    {Op: 9},
		"a close": {Close: 4000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hold := make(chan struct{})
			s := newStage(t, func(cfg *gateway.Config) { cfg.REST = gated(cfg, hold) })
			s.server.Gateway.InjectHandshake(h)
			close(hold)
			s.await(t, 1, "connected")
			if opened := s.server.Gateway.State().Opened; opened != 2 {
				t.Errorf("%d sockets were opened, want 2", opened)
			}
		})
	}
}
