package e2e_test

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"sync"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// far is a name under which the proxy alone knows this machine. It is as long as the address
// that it stands for, so that nothing else changes where it replaces that.
const far, near = "far.proxy", "127.0.0.1"

// proxy is an HTTP proxy, and the only way to what it serves.
type proxy struct {
	mu   sync.Mutex
	seen []string // methods and paths
}

func (p *proxy) saw(what string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Contains(strings.Join(p.seen, "\n"), what)
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.seen = append(p.seen, r.Method+" "+r.URL.Path)
	p.mu.Unlock()
	if r.Method == http.MethodConnect {
		tunnel(w, strings.Replace(r.Host, far, near, 1))
		return
	}
	(&httputil.ReverseProxy{
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0), // requests that heddle cancels
		Rewrite:  func(r *httputil.ProxyRequest) { r.Out.URL.Host = strings.Replace(r.In.URL.Host, far, near, 1) },
		ModifyResponse: func(r *http.Response) error {
			if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
				return nil
			}
			body, err := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(bytes.ReplaceAll(body, []byte(near), []byte(far))))
			return err
		},
	}).ServeHTTP(w, r)
}

// tunnel connects a client with an address.
func tunnel(w http.ResponseWriter, address string) {
	there, err := net.Dial("tcp", address) //nolint:noctx // a test's own server
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusOK)
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(there, buffered) // it ends with the client
		_ = there.Close()
	}()
	_, _ = io.Copy(here, there)
	_ = here.Close()
}

// TestEverythingGoesThroughTheProxyOfTheEnvironment runs heddle where neither Discord nor the
// model can be reached otherwise: its REST API, its gateway, its files.
func TestEverythingGoesThroughTheProxyOfTheEnvironment(t *testing.T) {
	s := newScene(t)
	p := &proxy{}
	server := httptest.NewServer(p)
	t.Cleanup(server.CloseClientConnections)
	t.Cleanup(server.Close)
	noted := s.post(s.bob, discordtest.Draft{Content: "my notes", Attachments: []discordtest.Attachment{{Name: "notes.txt", Type: "text/plain", Data: []byte("the key is 4711")}}})
	for i, setting := range s.environ {
		s.environ[i] = strings.Replace(setting, near, far, 1)
	}
	s.spawn("HTTP_PROXY=" + server.URL)
	s.always(openaitest.Answer("4711."))
	s.wholeAnswer(s.post(s.ann, discordtest.Draft{Content: s.mention("which key?"), ReplyTo: noted}), "4711.")
	s.contains(s.conversation(1), "the key is 4711")
	for what, sign := range map[string]string{
		"Discord's API": "/api/", "the gateway": http.MethodConnect, "files": "GET /cdn/", "the model": "POST /v1/chat/completions",
	} {
		s.same("that the proxy saw "+what, p.saw(sign), true)
	}
}
