package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/bwmarrin/discordgo"
)

const mostBody = 32 << 20 // bytes of an answer

// send makes one attempt at a call.
func (r *REST) send(ctx context.Context, call Call, ex *exchange, contentType string, body []byte) ([]byte, error) {
	address := r.base + "/" + strings.TrimLeft(call.Path, "/")
	if len(call.Query) > 0 {
		address += "?" + call.Query.Encode()
	}
	client := &http.Client{Transport: ex, Timeout: r.client.Timeout, CheckRedirect: lastResponse}
	own := &discordgo.Bucket{} // used by this request only, because discordgo holds its lock during the request
	own.Lock()
	answer, err := r.session.RequestWithLockedBucket(call.Method, address, contentType, body, own, 0,
		discordgo.WithContext(ctx), discordgo.WithClient(client),
		discordgo.WithRetryOnRatelimit(false), discordgo.WithRestRetries(0))
	if err != nil {
		return nil, err
	}
	return answer, nil
}

func lastResponse(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// exchange is the transport of one request. It records the headers of the response, and
// turns an unsuccessful response into an *Error. discordgo would fail on unexpected
// headers and bodies.
type exchange struct {
	next          http.RoundTripper
	method, route string
	header        http.Header
	status        int // 0 before a response has come
}

// scope returns the scope of a 429, or "" for any other response.
func (x *exchange) scope() string {
	switch scope := strings.ToLower(x.header.Get("X-RateLimit-Scope")); {
	case x.status != http.StatusTooManyRequests:
		return ""
	case scope == "shared", scope == "global":
		return scope
	default:
		return "user"
	}
}

// RoundTrip implements http.RoundTripper.
func (x *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	next := x.next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	x.header, x.status = resp.Header, resp.StatusCode
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer func() { _ = resp.Body.Close() }()
		// A truncated body is good enough for an error.
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
		return nil, newError(x.method, x.route, resp.StatusCode, resp.Header, body)
	}
	resp.StatusCode = http.StatusOK
	resp.Header = http.Header{}
	resp.Body = http.MaxBytesReader(nil, resp.Body, mostBody)
	return resp, nil
}

// readable reports whether the body of a response holds what was asked for. A proxy may
// answer in Discord's place with a page of its own, or with nothing.
func readable(body []byte) bool { return json.Valid(body) && string(bytes.TrimSpace(body)) != "null" }
