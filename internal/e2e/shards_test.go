package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"maps"
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

// spread adds guilds with heddle and Ann in them, so that each of the shards has one,
// and returns a channel of each.
func (p *people) spread(shards int) []graph.ChannelID {
	p.t.Helper()
	channels := make(map[int]graph.ChannelID)
	for n := 0; len(channels) < shards; n++ {
		guild := p.discord.World.AddGuild(fmt.Sprintf("guild %d", n))
		shard := int(uint64(guild) >> 22 % uint64(shards))
		if _, has := channels[shard]; has {
			continue
		}
		p.discord.People.Join(guild, p.ann)
		p.discord.People.Join(guild, p.heddle.User)
		channels[shard] = p.discord.World.AddChannel(guild, discordtest.ChannelDraft{Name: "general"})
	}
	var all []graph.ChannelID
	for shard := range shards {
		all = append(all, channels[shard])
	}
	return all
}

// eachOnce waits until each of this many shards is connected once.
func (s *screen) eachOnce(shards int) {
	s.t.Helper()
	want := make(map[[2]int]int)
	for id := range shards {
		want[[2]int{id, shards}] = 1
	}
	if err := s.discord.Gateway.AwaitShards(s.ctx, func(ready map[[2]int]int) bool { return maps.Equal(ready, want) }); err != nil {
		s.t.Fatalf("%v, want %v", err, want)
	}
}

// answersIn asks in each of some channels and waits for the answers.
func (p *people) answersIn(channels []graph.ChannelID, words string) {
	p.t.Helper()
	for _, channel := range channels {
		p.answer(channel, p.postIn(channel, p.ann, discordtest.Draft{Content: p.mention(words)}), "Yes.")
	}
}

// TestTheShardsOfAKilledProcessAreTakenOver lets a process come to one that runs all
// shards, and then kills that one. What is asked while a shard moves is answered, once.
func TestTheShardsOfAKilledProcessAreTakenOver(t *testing.T) {
	t.Parallel()
	s := sceneOn(t, discordtest.Options{Shards: 4, MaxConcurrency: 4})
	channels := s.spread(4)
	s.always(openaitest.Answer("Yes."))
	settings := []string{"SHARDS=leased", "REDIS_URL=" + s.redis().URL()}
	first := s.spawn(settings...)
	s.eachOnce(4)
	second := s.spawn(settings...)
	s.awaits(&first.logs, `msg="a shard is freed for another process"`)
	s.answersIn(channels, "while shards move?")
	s.awaits(&second.logs, `msg="a shard was taken"`)
	s.eachOnce(4)
	s.answersIn(channels, "before?")
	first.kill()
	killed := time.Now()
	var asked []graph.MessageID
	for _, channel := range channels {
		asked = append(asked, s.postIn(channel, s.ann, discordtest.Draft{Content: s.mention("and after?")}))
	}
	s.ok(s.discord.Gateway.AwaitShards(s.ctx, func(ready map[[2]int]int) bool { return len(ready) < 4 }))
	s.eachOnce(4)
	t.Logf("its shards were connected again after %s", time.Since(killed).Round(100*time.Millisecond))
	for i, channel := range channels {
		s.answer(channel, asked[i], "Yes.")
	}
}

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
	target := must(url.Parse(p.discord.URL()))(p.t)
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
	s := sceneOn(t, discordtest.Options{Shards: 3, MaxConcurrency: 3, Limits: discordtest.DefaultLimits()})
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

// emulator starts a server that only resembles Discord and returns its address. It
// serves plain HTTP below a path, without rate limits in headers, with numbers as
// strings and unknown fields, without applications, and without gateway limits.
func (p *people) emulator() string {
	p.t.Helper()
	target := must(url.Parse(p.discord.URL()))(p.t)
	target.Path = ""
	proxy := &httputil.ReverseProxy{
		ErrorLog: log.New(io.Discard, "", 0), // clients that leave
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.URL.Path = strings.TrimPrefix(r.In.URL.Path, "/chat/backend")
		},
		ModifyResponse: func(answer *http.Response) error {
			for name := range answer.Header {
				if strings.HasPrefix(name, "X-Ratelimit") {
					answer.Header.Del(name)
				}
			}
			if answer.StatusCode == http.StatusSwitchingProtocols {
				return nil
			}
			body, err := io.ReadAll(answer.Body)
			if err != nil {
				return err
			}
			front := "ws://" + answer.Request.Header.Get("X-Front") + "/chat/backend/gateway"
			body = bytes.ReplaceAll(discordtest.NumbersAsStrings(body), []byte(p.discord.GatewayURL()), []byte(front))
			body = bytes.Replace(body, []byte(`{`), []byte(`{"an_emulators_own":[{"x":1}],`), 1)
			answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			answer.Header.Del("Content-Length")
			return nil
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		known := strings.HasPrefix(r.URL.Path, "/chat/backend/")
		if !known || strings.HasSuffix(r.URL.Path, "/gateway/bot") || strings.Contains(r.URL.Path, "/applications/") {
			http.NotFound(w, r)
			return
		}
		r.Header.Set("X-Front", r.Host)
		proxy.ServeHTTP(w, r)
	}))
	p.t.Cleanup(server.CloseClientConnections)
	p.t.Cleanup(server.Close)
	p.discord.Events.Intercept(func(e discordtest.Event) []discordtest.Event {
		e.Data = discordtest.NumbersAsStrings(e.Data)
		return []discordtest.Event{e}
	})
	return server.URL + "/chat/backend"
}

func TestAServerThatOnlyResemblesDiscordWorks(t *testing.T) {
	inScenes(t, map[string]string{"a prefix": "", "the API's path": "/api", "a version": "/api/v10", "a slash": "/api/v9/"}, func(s *scene, path string) {
		s.said(time.Minute, "bob: the loom is stuck", "bob: what now?")
		long := strings.Repeat("Oil the treadles, then the reed. ", 100) + "That is all."
		s.model.Queue(openaitest.Answer(strings.SplitAfter(long, " ")...), openaitest.Answer("Gladly."))
		s.start("DISCORD_API_URL="+s.emulator()+path, "AFFINITY=off")
		s.ask(s.ann, "say it all")
		last := s.says(s.channel, "That is all.")
		s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: "thank you", ReplyTo: last.ID}), "Gladly.")
		got := strings.Join(s.asked(2), "\n")
		s.contains(got, "the loom is stuck", "assistant: "+strings.TrimSpace(long), "thank you")
		direct := s.discord.World.OpenDM(s.ann, s.heddle.User)
		s.always(openaitest.Answer("Here, too."))
		s.answer(direct, s.postIn(direct, s.ann, discordtest.Draft{Content: "and here?"}), "Here, too.")
		s.oneEach(s.channel)
	})
}
