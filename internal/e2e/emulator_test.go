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
	"testing"
	"time"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// emulator starts a server that only resembles Discord and returns its address. It
// serves plain HTTP below a path, without rate limits in headers, with numbers as
// strings and unknown fields, without applications, and without gateway limits.
func (p *people) emulator() string {
	p.t.Helper()
	target, err := url.Parse(p.discord.URL())
	if err != nil {
		p.t.Fatal(err)
	}
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
	t.Parallel()
	for name, path := range map[string]string{"a prefix": "", "the API's path": "/api", "a version": "/api/v10", "a slash": "/api/v9/"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.said(time.Minute, "bob: the loom is stuck", "bob: what now?")
			long := strings.Repeat("Oil the treadles, then the reed. ", 100) + "That is all."
			s.model.Queue(openaitest.Answer(strings.SplitAfter(long, " ")...), openaitest.Answer("Gladly."))
			s.start("DISCORD_API_URL="+s.emulator()+path, "AFFINITY=off")
			s.post(s.ann, discordtest.Draft{Content: s.mention("say it all")})
			last := s.says(s.channel, "That is all.")
			s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: "thank you", ReplyTo: last.ID}), "Gladly.")
			got := strings.Join(s.asked(2), "\n")
			for _, want := range []string{"the loom is stuck", "assistant: " + strings.TrimSpace(long), "thank you"} {
				if !strings.Contains(got, want) {
					t.Errorf("%q is not in %q", want, got)
				}
			}
			direct := s.discord.World.OpenDM(s.ann, s.heddle.User)
			s.always(openaitest.Answer("Here, too."))
			s.answer(direct, s.postIn(direct, s.ann, discordtest.Draft{Content: "and here?"}), "Here, too.")
			s.oneEach(s.channel)
		})
	}
}
