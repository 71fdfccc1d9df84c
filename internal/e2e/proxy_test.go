package e2e_test

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// limiter is a proxy in front of Discord's REST API that keeps its clients within the
// limits. Where heddle notices a proxy at all, it does what nirn-proxy does by its source:
// it passes on what Discord refuses, repeats what Discord said of the gateway and of the
// bot, with the date of that time, and says 408 if Discord does not answer in time.
type limiter struct {
	late, repeated atomic.Int64 // how many creates to call late; how many answers were repeated

	mu    sync.Mutex
	cache map[string]kept // by path
}

// kept is an answer that is repeated.
type kept struct {
	header http.Header
	body   []byte
}

// RoundTrip implements http.RoundTripper.
func (l *limiter) RoundTrip(r *http.Request) (*http.Response, error) {
	if k, ok := l.kept(r.URL.Path); ok {
		l.repeated.Add(1)
		k.header = k.header.Clone()
		k.header.Set("X-Cached", "true")
		return response(r, http.StatusOK, k), nil
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/messages") && l.late.Add(-1) >= 0 {
		return response(r, http.StatusRequestTimeout, kept{http.Header{}, []byte("context deadline exceeded")}), nil
	}
	k := kept{answer.Header, body}
	if answer.StatusCode == http.StatusOK && (strings.HasSuffix(r.URL.Path, "/gateway/bot") || strings.HasSuffix(r.URL.Path, "/users/@me")) {
		l.keep(r.URL.Path, k)
	}
	return response(r, answer.StatusCode, k), nil
}

// kept returns what is repeated at a path.
func (l *limiter) kept(path string) (kept, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k, ok := l.cache[path]
	return k, ok
}

// keep repeats an answer from now on, as if Discord had given it half an hour ago.
func (l *limiter) keep(path string, k kept) {
	k.header = k.header.Clone()
	k.header.Set("Date", time.Now().Add(-30*time.Minute).UTC().Format(http.TimeFormat))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cache[path] = k
}

func response(r *http.Request, status int, k kept) *http.Response {
	return &http.Response{StatusCode: status, Header: k.header, Body: io.NopCloser(bytes.NewReader(k.body)), ContentLength: int64(len(k.body)), Request: r, ProtoMajor: 1, ProtoMinor: 1}
}

// limiter starts a proxy in front of Discord and returns its address.
func (p *people) limiter() (*limiter, string) {
	p.t.Helper()
	target, err := url.Parse(p.discord.URL())
	if err != nil {
		p.t.Fatal(err)
	}
	target.Path = ""
	l := &limiter{cache: make(map[string]kept)}
	server := httptest.NewServer(&httputil.ReverseProxy{
		ErrorLog: log.New(io.Discard, "", 0), // clients that leave
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Set("Via", "1.1 limiter")
		},
		Transport: l,
	})
	p.t.Cleanup(server.CloseClientConnections)
	p.t.Cleanup(server.Close)
	return l, server.URL
}

// TestThreeProcessesAnswerThroughAProxy has three processes divide the shards, as
// deploy/compose.three.yaml does, with a proxy in front of Discord's limits. Discord
// refuses some creates, and accepts others so late that the proxy has given up. Every
// request goes through the proxy.
func TestThreeProcessesAnswerThroughAProxy(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{Shards: 3, MaxConcurrency: 3, Limits: discordtest.DefaultLimits()})
	channels := s.spread(3)
	s.always(openaitest.Answer("Yes."))
	proxy, address := s.limiter()
	s.environ = append(s.environ, "REDIS_URL="+s.redis().URL(), "SHARDS=leased", "DISCORD_API_URL="+address+"/api/v9")
	for range 3 {
		s.start()
	}
	s.eachOnce(3)
	refused := discordtest.TooMany(discordtest.On(discordtest.RouteCreateMessage), discordtest.ScopeUser, 50*time.Millisecond)
	refused.Times = 4
	s.discord.Faults.Inject(refused)
	proxy.late.Store(4)
	asked := make(map[graph.MessageID]graph.ChannelID)
	for range 4 {
		for _, channel := range channels {
			asked[s.postIn(channel, s.ann, discordtest.Draft{Content: s.mention("is it?")})] = channel
		}
	}
	for question, channel := range asked {
		s.answer(channel, question, "Yes.")
	}
	for _, channel := range channels {
		s.oneEach(channel)
	}
	for _, r := range s.discord.Record.Requests(nil) {
		if r.Header.Get("Via") == "" {
			t.Errorf("%s %s went past the proxy", r.Method, r.Path)
		}
	}
	if n := proxy.late.Load(); n >= 0 {
		t.Errorf("%d of 4 creates were not called late, want none left", n)
	}
	if proxy.repeated.Load() == 0 {
		t.Error("the proxy repeated nothing, want what Discord said of the gateway repeated to the second process")
	}
}
