package gateway_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"heddle/bot/gateway"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

// recorder is a handler that records its calls, as lines of text.
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
		r.note("resumed")
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
		m, err := discord.Decode[discord.Message](data)
		if err != nil {
			m.Content = err.Error()
		}
		name = "message " + m.Content
	}
	r.note(name)
}

// seen returns the lines that begin with one of the words.
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
	within, cancel := context.WithTimeout(t.Context(), discordtest.Patience)
	defer cancel()
	for {
		r.mu.Lock()
		changed := r.changed
		r.mu.Unlock()
		if len(r.seen(word)) >= n {
			return
		}
		select {
		case <-changed:
		case <-within.Done():
			t.Fatalf("want %q %d times in %q", word, n, r.seen(""))
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

// through is a transport.
type through func(*http.Request) (*http.Response, error)

func (f through) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// via returns a client as that of cfg, whose requests go through a transport.
func via(cfg *gateway.Config, transport through) *discord.REST {
	return discord.NewREST(discord.RESTConfig{BaseURL: cfg.REST.BaseURL(), Token: cfg.Token, Transport: transport})
}

// gated returns a client as that of cfg whose requests wait until a channel is closed.
func gated(cfg *gateway.Config, gate <-chan struct{}) *discord.REST {
	return via(cfg, func(r *http.Request) (*http.Response, error) {
		<-gate
		return http.DefaultTransport.RoundTrip(r)
	})
}

// elsewhere is the transport to an API that has only /gateway, and names another address for
// identifying than READY names for resuming.
type elsewhere struct{ server *discordtest.Server }

func (e elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	if strings.HasSuffix(r.URL.Path, "/gateway/bot") {
		w.WriteHeader(http.StatusNotFound)
	} else {
		_ = json.NewEncoder(w).Encode(map[string]string{"url": e.server.GatewayURL() + "/first"}) // a recorder takes everything
	}
	return w.Result(), nil
}

func newStage(t *testing.T, change func(*gateway.Config)) *stage {
	t.Helper()
	server := discordtest.New(discordtest.Options{})
	t.Cleanup(server.Close)
	guild := server.World.AddGuild("loom")
	s := &stage{server: server, bot: server.People.AddBot("heddle", guild), done: make(chan error, 1)}
	s.person = server.People.AddUser("ann", guild)
	s.channel = server.World.AddChannel(guild, discordtest.ChannelDraft{Name: "general"})
	rest := discord.NewREST(discord.RESTConfig{BaseURL: server.URL(), Token: s.bot.Token})
	cfg := gateway.Config{Token: s.bot.Token, REST: rest}
	if change != nil {
		change(&cfg)
	}
	s.run(t, cfg)
	return s
}

// run runs a gateway, with a new recorder, until leave is called or the test ends. The
// gateway does not pause before it connects again. It has no timeouts that a test could
// hit, unless the test sets some.
func (s *stage) run(t *testing.T, cfg gateway.Config) {
	t.Helper()
	cfg.FirstBackoff, cfg.MostBackoff = cmp.Or(cfg.FirstBackoff, time.Millisecond), cmp.Or(cfg.MostBackoff, time.Second)
	cfg.OpenTimeout, cfg.ReadyTimeout = cmp.Or(cfg.OpenTimeout, time.Hour), cmp.Or(cfg.ReadyTimeout, time.Hour)
	g := gateway.New(cfg)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	r := newRecorder()
	s.recorder, s.gateway, s.cancel = r, g, cancel
	go func() { s.done <- g.Run(ctx, r) }()
}

func (s *stage) say(t *testing.T, text string) {
	t.Helper()
	errtest.Must(s.server.Chat.Post(s.channel, s.person, discordtest.Draft{Content: text}))(t)
}

// ends waits until Run returns, and returns its error.
func (s *stage) ends(t *testing.T) error {
	t.Helper()
	select {
	case err := <-s.done:
		return err
	case <-time.After(discordtest.Patience):
		t.Fatal("Run did not return")
		return nil
	}
}

// leave stops the gateway and waits until it has ended.
func (s *stage) leave(t *testing.T) {
	t.Helper()
	s.cancel()
	if err := s.ends(t); err != nil {
		t.Error(err)
	}
}

func TestEventsArriveInOrder(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
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
		t.Errorf("the messages arrive as %q, want %q", got, want)
	}
	s.cancel()
	if err := s.ends(t); err != nil {
		t.Errorf("Run returns %v after its context ended, want nil", err)
	}
	s.await(t, 1, "disconnected")
}

func TestErrorsThatRetryingCannotHelpEndTheRun(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]error{
		4004: gateway.ErrToken, 4010: gateway.ErrRefused, 4011: gateway.ErrShard,
		4012: gateway.ErrRefused, 4013: gateway.ErrRefused, 4014: gateway.ErrIntents,
	} {
		t.Run(want.Error()[:20], func(t *testing.T) {
			t.Parallel()
			s := newStage(t, nil)
			s.await(t, 1, "connected")
			s.server.Gateway.InjectHandshake(discordtest.HandshakeFault{Close: code, Times: -1})
			s.server.Gateway.EndSessions()
			s.server.Gateway.CloseSockets(4009)
			if err := s.ends(t); !errors.Is(err, want) {
				t.Errorf("after close code %d Run returns %v, want %v", code, err, want)
			}
		})
	}
}

func TestASessionIsResumedAtTheAddressOfReady(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.leave(t)
	s.run(t, gateway.Config{Token: s.bot.Token, REST: discord.NewREST(discord.RESTConfig{BaseURL: s.server.URL(), Transport: elsewhere{s.server}})})
	s.await(t, 1, "connected")
	s.server.Gateway.CloseSockets(0)
	s.await(t, 1, "resumed")
	s.leave(t)
}

// TestEveryConnectionAsksForItsProxy counts how often the proxy is asked for.
func TestEveryConnectionAsksForItsProxy(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	s := newStage(t, func(cfg *gateway.Config) {
		cfg.Proxy = func(*http.Request) (*url.URL, error) {
			asked.Add(1)
			return nil, nil //nolint:nilnil // as http.ProxyFromEnvironment says that there is none
		}
	})
	s.await(t, 1, "connected")
	s.server.Gateway.AskReconnect()
	s.await(t, 1, "resumed")
	if asked, opened := int(asked.Load()), s.server.Gateway.State().Opened; asked < opened {
		t.Errorf("%d of %d connections asked for their proxy, want all", asked, opened)
	}
}

func TestAPanicInAHandlerIsSurvived(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	hold := make(chan struct{})
	s := newStage(t, func(cfg *gateway.Config) {
		cfg.REST = gated(cfg, hold)
		cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	s.panics = "MESSAGE_UPDATE"
	close(hold)
	s.await(t, 1, "connected")
	id := errtest.Must(s.server.Chat.Post(s.channel, s.person, discordtest.Draft{Content: "a"}))(t)
	errtest.None(t, s.server.Chat.Edit(s.channel, id, "b"))
	s.say(t, "after")
	s.await(t, 1, "message after")
	s.leave(t)
	if got := log.String(); !strings.Contains(got, "panicked") || strings.Contains(got, "what a person wrote") {
		t.Errorf("the log is %q, want the panic without its value", got)
	}
}
