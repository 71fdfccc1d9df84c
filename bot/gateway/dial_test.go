package gateway_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"heddle/bot/gateway"
	"heddle/internal/discordtest"
)

// at is a REST caller that knows one address.
type at string

func (a at) Get(context.Context, string, url.Values) (json.RawMessage, error) {
	return json.Marshal(map[string]string{"url": string(a)})
}

func (a at) BaseURL() string { return "https" + strings.TrimPrefix(string(a), "wss") }

// join copies between two connections, both ways, until both have ended.
func join(a, b net.Conn) {
	go func() {
		_, _ = io.Copy(a, b)
		_ = a.Close()
	}()
	_, _ = io.Copy(b, a)
	_ = b.Close()
}

// secure puts TLS in front of a server. It returns the address and a configuration that
// trusts the certificate.
func secure(t *testing.T, server *discordtest.Server) (string, *tls.Config) {
	t.Helper()
	backend := strings.TrimSuffix(strings.TrimPrefix(server.GatewayURL(), "ws://"), "/gateway")
	certified := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(certified.Close)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certified.TLS.Certificates})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			front, err := listener.Accept()
			if err != nil {
				return
			}
			back, err := new(net.Dialer).DialContext(t.Context(), "tcp", backend)
			if err != nil {
				_ = front.Close()
				continue
			}
			go join(front, back)
		}
	}()
	trust := certified.Client().Transport.(*http.Transport).TLSClientConfig
	return "wss://" + listener.Addr().String() + "/gateway", trust
}

// tunnels starts an HTTP proxy that adds to n for each tunnel asked for, and returns
// its address.
func tunnels(t *testing.T, n *atomic.Int32) *url.URL {
	t.Helper()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth()
		if r.Method != http.MethodConnect || user != "ann" || password != "secret" {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		back, err := new(net.Dialer).DialContext(r.Context(), "tcp", r.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		n.Add(1)
		// The response is written by hand: after WriteHeader the server could read
		// bytes of the tunnel before Hijack, and lose them.
		front, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(front, "HTTP/1.1 200 OK\r\n\r\n") // the client may be gone
		join(front, back)
	}))
	t.Cleanup(proxy.Close)
	u, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("ann", "secret")
	return u
}

func TestFaultsAreSeenThroughTLSAndAProxy(t *testing.T) {
	t.Parallel()
	s := newStage(t, discordtest.Options{}, nil)
	s.leave(t)
	address, trust := secure(t, s.server)
	var tunnelled atomic.Int32
	proxy := tunnels(t, &tunnelled)
	s.run(t, gateway.Config{
		Token: s.bot.Token, REST: at(address), TLS: trust,
		Proxy: func(*http.Request) (*url.URL, error) { return proxy, nil },
	})
	s.await(t, 1, "connected")
	s.server.Gateway.AskReconnect()
	s.await(t, 1, "resumed")
	s.say(t, "after")
	s.await(t, 1, "message after")
	// There may be more connections than two, because an attempt may fail and be
	// repeated.
	if n := tunnelled.Load(); n < 2 {
		t.Errorf("%d connections went through the proxy, want at least one to connect and one to resume", n)
	}
	s.leave(t)
}
