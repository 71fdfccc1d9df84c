package gateway_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"heddle/bot/gateway"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
)

// recorder is a handler that keeps what it is told, as lines of text.
type recorder struct {
	mu      sync.Mutex
	lines   []string
	changed chan struct{}
	panics  string // the event at which to panic
}

func newRecorder() *recorder { return &recorder{changed: make(chan struct{})} }

func (r *recorder) note(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *recorder) Connected(c gateway.Connected) {
	if c.Resumed {
		r.note("resumed " + c.Ready.User.ID.String())
		return
	}
	r.note("connected " + c.Ready.User.ID.String())
}

func (r *recorder) Disconnected() { r.note("disconnected") }

func (r *recorder) Event(name string, data json.RawMessage) {
	if name == r.panics {
		panic("what a person wrote")
	}
	if name == "MESSAGE_CREATE" {
		m, err := discord.DecodeMessage(data)
		if err != nil {
			m.Content = err.Error()
		}
		name = "message " + m.Content
	}
	r.note(name)
}

// seen gives the lines that begin with one of the words.
func (r *recorder) seen(words ...string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var got []string
	for _, line := range r.lines {
		if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(line, w) }) {
			got = append(got, line)
		}
	}
	return got
}

// await waits until n lines begin with word.
func (r *recorder) await(t *testing.T, n int, word string) {
	t.Helper()
	for {
		r.mu.Lock()
		changed := r.changed
		r.mu.Unlock()
		if len(r.seen(word)) >= n {
			return
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatalf("%q was not seen %d times in %q", word, n, r.lines)
		}
	}
}

// stage is a server, a bot and a gateway that runs.
type stage struct {
	*recorder
	server  *discordtest.Server
	bot     discordtest.Bot
	person  graph.UserID
	channel graph.ChannelID
	gateway *gateway.Gateway
	cancel  context.CancelFunc
	done    chan error
}

// elsewhere has the bot identify at an address that is not the one for resuming.
type elsewhere struct{ server *discordtest.Server }

func (e elsewhere) BaseURL() string { return e.server.URL() }

func (e elsewhere) Get(_ context.Context, path string, _ url.Values) (json.RawMessage, error) {
	if path == "/gateway/bot" {
		return nil, errors.New("this server knows /gateway alone")
	}
	return json.Marshal(map[string]string{"url": e.server.GatewayURL() + "/first"})
}

func newStage(t *testing.T, o discordtest.Options, change func(*gateway.Config)) *stage {
	t.Helper()
	server := discordtest.New(o)
	t.Cleanup(server.Close)
	guild := server.World.AddGuild("loom")
	s := &stage{server: server, bot: server.World.AddBot("heddle", guild), done: make(chan error, 1)}
	s.person = server.World.AddUser("ann", guild)
	s.channel = server.World.AddChannel(guild, discordtest.ChannelDraft{Name: "general"})
	rest, err := discord.NewREST(discord.RESTConfig{BaseURL: server.URL(), Token: s.bot.Token})
	if err != nil {
		t.Fatal(err)
	}
	cfg := gateway.Config{Token: s.bot.Token, REST: rest}
	if change != nil {
		change(&cfg)
	}
	s.run(t, cfg)
	return s
}

// run runs a gateway until it is left or the test ends. What it tells is recorded anew.
// It makes no pauses, and waits for as long as it takes, unless silence is to be noticed.
func (s *stage) run(t *testing.T, cfg gateway.Config) {
	t.Helper()
	cfg.IdentifyEvery, cfg.FirstBackoff, cfg.MostBackoff = time.Millisecond, time.Millisecond, time.Second
	cfg.CloseTimeout = time.Hour
	cfg.OpenTimeout, cfg.ReadyTimeout = cmp.Or(cfg.OpenTimeout, time.Hour), cmp.Or(cfg.ReadyTimeout, time.Hour)
	g, err := gateway.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	r := newRecorder()
	s.recorder, s.gateway, s.cancel = r, g, cancel
	go func() { s.done <- g.Run(ctx, r) }()
}

func (s *stage) say(t *testing.T, text string) {
	t.Helper()
	if _, err := s.server.Chat.Post(s.channel, s.person, discordtest.Draft{Content: text}); err != nil {
		t.Fatal(err)
	}
}

// ends waits for Run's error.
func (s *stage) ends(t *testing.T) error {
	t.Helper()
	select {
	case err := <-s.done:
		return err
	case <-t.Context().Done():
		t.Fatal("Run did not return")
		return nil
	}
}

// leave ends the gateway and waits for it.
func (s *stage) leave(t *testing.T) {
	t.Helper()
	s.cancel()
	if err := s.ends(t); err != nil {
		t.Error(err)
	}
}

func TestEventsArriveInOrder(t *testing.T) {
	t.Parallel()
	s := newStage(t, discordtest.Options{}, nil)
	s.await(t, 1, "connected "+s.bot.User.String())
	s.await(t, 1, "GUILD_CREATE")
	var want []string
	for i := range 50 {
		text := string(rune('a'+i%26)) + strings.Repeat("!", i)
		want = append(want, "message "+text)
		s.say(t, text)
	}
	s.await(t, 50, "message")
	if got := s.seen("message"); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	s.cancel()
	if err := s.ends(t); err != nil {
		t.Errorf("a cancelled Run gave %v", err)
	}
	s.await(t, 1, "disconnected")
}

func TestWhatCannotBeMendedEndsTheRun(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]error{
		4004: gateway.ErrToken, 4010: gateway.ErrRefused, 4011: gateway.ErrShard,
		4012: gateway.ErrRefused, 4013: gateway.ErrRefused, 4014: gateway.ErrIntents,
	} {
		t.Run(want.Error()[:20], func(t *testing.T) {
			t.Parallel()
			s := newStage(t, discordtest.Options{}, nil)
			s.await(t, 1, "connected")
			s.server.Gateway.InjectHandshake(discordtest.Handshake{Close: code, Times: -1})
			s.server.Gateway.EndSessions()
			s.server.Gateway.CloseSockets(4009)
			if err := s.ends(t); !errors.Is(err, want) {
				t.Errorf("close code %d gave %v", code, err)
			}
		})
	}
}

func TestAWrongTokenIsNamed(t *testing.T) {
	t.Parallel()
	s := newStage(t, discordtest.Options{}, func(cfg *gateway.Config) { cfg.REST = refusing{} })
	if err := s.ends(t); !errors.Is(err, gateway.ErrToken) || !strings.Contains(err.Error(), "DISCORD_TOKEN") {
		t.Errorf("got %v", err)
	}
}

type refusing struct{}

func (refusing) BaseURL() string { return "https://127.0.0.1/api/v9" }

func (refusing) Get(context.Context, string, url.Values) (json.RawMessage, error) {
	return nil, &discord.Error{Method: "GET", Route: "/gateway/bot", Status: 401}
}

func TestAMissingIntentIsNamed(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	s := newStage(t, discordtest.Options{}, func(cfg *gateway.Config) { cfg.REST = gated{cfg.REST, hold} })
	s.server.World.DenyMessageContent(s.bot.User)
	close(hold)
	if err := s.ends(t); !errors.Is(err, gateway.ErrIntents) || !strings.Contains(err.Error(), "Message Content Intent") {
		t.Errorf("got %v", err)
	}
}

// gated holds requests back until the gate is open.
type gated struct {
	gateway.REST
	gate <-chan struct{}
}

func (g gated) Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error) {
	<-g.gate
	return g.REST.Get(ctx, path, query)
}

// A lost connection is resumed with nothing missed, or begun anew; both ways the
// handler is told, and messages flow again.
func TestLostConnectionsComeBack(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lose    func(*discordtest.Server)
		resumed bool
	}{
		"op 7":                            {func(s *discordtest.Server) { s.Gateway.AskReconnect() }, true},
		"op 9, resumable":                 {func(s *discordtest.Server) { s.Gateway.Invalidate(true) }, true},
		"op 9, not resumable":             {func(s *discordtest.Server) { s.Gateway.Invalidate(false) }, false},
		"a cut socket":                    {func(s *discordtest.Server) { s.Gateway.CloseSockets(0) }, true},
		"close code 4000":                 {func(s *discordtest.Server) { s.Gateway.CloseSockets(4000) }, true},
		"close code 4009":                 {func(s *discordtest.Server) { s.Gateway.CloseSockets(4009) }, false},
		"a forgotten session":             {func(s *discordtest.Server) { s.Gateway.EndSessions(); s.Gateway.CloseSockets(0) }, false},
		"op 7 as first packet":            {first(discordtest.Handshake{Op: 7, Resume: true}), true},
		"op 9 as first packet":            {first(discordtest.Handshake{Op: 9, Resume: true}), false},
		"closed while resuming":           {first(discordtest.Handshake{Close: 4000, Resume: true}), true},
		"op 7 again and again":            {first(discordtest.Handshake{Op: 7, Resume: true, Times: -1}), false},
		"closed again and again":          {first(discordtest.Handshake{Close: 4000, Resume: true, Times: -1}), false},
		"silence for ever while resuming": {first(discordtest.Handshake{Resume: true, Times: -1}), false},
		"silence":                         {func(s *discordtest.Server) { s.Gateway.Silence() }, true},
		"silence while resuming":          {first(discordtest.Handshake{Resume: true}), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, heartbeat(name), quick(name))
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
				t.Errorf("%d sockets were opened: one, two to resume and one to identify are enough", opened)
			}
			if missed := len(s.seen("message between")) == 0; missed && test.resumed {
				t.Errorf("a message was missed: %q", s.lines)
			}
		})
	}
}

// silent says whether a test is about silence, which alone is told by the time.
func silent(name string) bool { return strings.HasPrefix(name, "silence") }

// heartbeat has silence be noticed soon, and nothing else be taken for it.
func heartbeat(name string) discordtest.Options {
	if silent(name) {
		return discordtest.Options{Heartbeat: 2 * time.Second}
	}
	return discordtest.Options{}
}

// quick has silence be given up soon.
func quick(name string) func(*gateway.Config) {
	return func(cfg *gateway.Config) {
		if silent(name) {
			cfg.OpenTimeout, cfg.ReadyTimeout = time.Second, 2*time.Second
		}
	}
}

// first has a lost socket answered wrongly when it is resumed.
func first(h discordtest.Handshake) func(*discordtest.Server) {
	return func(s *discordtest.Server) {
		s.Gateway.InjectHandshake(h)
		s.Gateway.CloseSockets(0)
	}
}

// closing is a server that closes with a code that says nothing of the token, which it
// refuses.
type closing struct{ gateway.REST }

func (c closing) Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error) {
	if path == "/users/@me" {
		return nil, &discord.Error{Method: "GET", Route: path, Status: 400, Code: 40001}
	}
	return c.REST.Get(ctx, path, query)
}

func TestATokenThatIsRefusedByAnotherCodeIsNamed(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	s := newStage(t, discordtest.Options{}, func(cfg *gateway.Config) { cfg.REST = gated{closing{cfg.REST}, hold} })
	s.server.Gateway.InjectHandshake(discordtest.Handshake{Close: 4000, Times: -1})
	close(hold)
	if err := s.ends(t); !errors.Is(err, gateway.ErrToken) {
		t.Errorf("got %v", err)
	}
}

func TestAnEncryptedAPINeverLeadsToAPlainGateway(t *testing.T) {
	t.Parallel()
	s := newStage(t, discordtest.Options{}, func(cfg *gateway.Config) { cfg.REST = encrypted{cfg.REST} })
	if err := s.ends(t); !errors.Is(err, gateway.ErrAddress) || !strings.Contains(err.Error(), "encryption") {
		t.Errorf("got %v", err)
	}
	if opened := s.server.Gateway.State().Opened; opened != 0 {
		t.Errorf("%d sockets were opened", opened)
	}
}

// encrypted is an API that is asked over https.
type encrypted struct{ gateway.REST }

func (encrypted) BaseURL() string { return "https://127.0.0.1/api/v9" }

// TestPayloadsThatNobodyCanReadAreDropped sends what discordgo panics at. What comes
// after it arrives, over the same connection.
func TestPayloadsThatNobodyCanReadAreDropped(t *testing.T) {
	t.Parallel()
	s := newStage(t, discordtest.Options{}, nil)
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
		t.Errorf("%d sockets were opened, %d odd updates delivered, want 1 and 1", opened, updates)
	}
}

func TestFirstPacketFaultsWhileIdentifying(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]discordtest.Handshake{
		"op 7":    {Op: 7},
		"op 9":    {Op: 9},
		"silence": {},
		"a close": {Close: 4000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hold := make(chan struct{})
			s := newStage(t, discordtest.Options{}, func(cfg *gateway.Config) {
				quick(name)(cfg)
				cfg.REST = gated{cfg.REST, hold}
			})
			s.server.Gateway.InjectHandshake(h)
			close(hold)
			s.await(t, 1, "connected")
			if opened := s.server.Gateway.State().Opened; opened < 2 || opened > 2 && !silent(name) {
				t.Errorf("%d sockets were opened, want 2", opened)
			}
		})
	}
}

func TestResumingGoesWhereReadySaid(t *testing.T) {
	t.Parallel()
	s := newStage(t, discordtest.Options{}, nil)
	s.leave(t)
	s.run(t, gateway.Config{Token: s.bot.Token, REST: elsewhere{s.server}})
	s.await(t, 1, "connected")
	s.server.Gateway.CloseSockets(0)
	s.await(t, 1, "resumed "+s.bot.User.String())
	s.leave(t)
}

func TestAPanicInAHandlerIsSurvived(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	hold := make(chan struct{})
	s := newStage(t, discordtest.Options{}, func(cfg *gateway.Config) {
		cfg.REST = gated{cfg.REST, hold}
		cfg.Log = newLog(&log)
	})
	s.panics = "MESSAGE_UPDATE"
	close(hold)
	s.await(t, 1, "connected")
	id, err := s.server.Chat.Post(s.channel, s.person, discordtest.Draft{Content: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.server.Chat.Edit(s.channel, id, "b"); err != nil {
		t.Fatal(err)
	}
	s.say(t, "after")
	s.await(t, 1, "message after")
	s.leave(t)
	if got := log.String(); !strings.Contains(got, "panicked") || strings.Contains(got, "what a person wrote") {
		t.Errorf("the log says %q", got)
	}
}
