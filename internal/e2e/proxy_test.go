package e2e_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/wait"
)

// limiter is a proxy in front of Discord's REST API that keeps its clients within the
// limits, as nirn-proxy does: it passes on paths and headers, and when Discord refuses a
// request it waits and sends it again, so that no client sees a 429.
type limiter struct {
	passed, again atomic.Int64
}

// RoundTrip implements http.RoundTripper.
func (l *limiter) RoundTrip(r *http.Request) (*http.Response, error) {
	l.passed.Add(1)
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	for {
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil || answer.StatusCode != http.StatusTooManyRequests {
			return answer, err
		}
		var refused struct {
			RetryAfter float64 `json:"retry_after"`
		}
		err = json.NewDecoder(answer.Body).Decode(&refused)
		_ = answer.Body.Close()
		if err != nil {
			return nil, err
		}
		l.again.Add(1)
		if err := wait.For(r.Context(), time.Duration(refused.RetryAfter*float64(time.Second))); err != nil {
			return nil, err
		}
	}
}

// limiter starts a proxy in front of Discord and returns its address.
func (p *people) limiter() (*limiter, string) {
	p.t.Helper()
	target, err := url.Parse(p.discord.URL())
	if err != nil {
		p.t.Fatal(err)
	}
	target.Path = ""
	l := new(limiter)
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
// refuses some requests, which the proxy sends again. Every request goes through it.
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
	if n := proxy.again.Load(); n < 4 {
		t.Errorf("the proxy sent %d requests again, want 4 at least", n)
	}
	t.Logf("%d requests went through the proxy, %d of them more than once", proxy.passed.Load(), proxy.again.Load())
}
