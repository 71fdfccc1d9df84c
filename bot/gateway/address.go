package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"heddle/internal/discord"
	"heddle/internal/wait"
)

// address is the response of /gateway/bot.
type address struct {
	URL   string `json:"url"`
	Limit *struct {
		Remaining  int   `json:"remaining"`
		ResetAfter int64 `json:"reset_after"` // milliseconds
	} `json:"session_start_limit"`
}

// address asks where to connect. Servers that resemble Discord may only have /gateway.
func (g *Gateway) address(ctx context.Context) (address, error) {
	asking, cancel := context.WithTimeout(ctx, g.cfg.OpenTimeout)
	defer cancel()
	raw, err := g.cfg.REST.Get(asking, "/gateway/bot", nil)
	if err != nil && !discord.IsUnauthorized(err) && asking.Err() == nil {
		raw, err = g.cfg.REST.Get(asking, "/gateway", nil)
	}
	switch {
	case discord.IsUnauthorized(err):
		return address{}, fmt.Errorf("%w (%w)", ErrToken, err)
	case stranger(err):
		return address{}, g.strange(err)
	case err != nil:
		return address{}, fmt.Errorf("%w: %w", errUnreached, err)
	}
	var a address
	if json.Unmarshal(raw, &a) != nil { // an odd limit must not hide the address
		var only struct {
			URL string `json:"url"`
		}
		if err := json.Unmarshal(raw, &only); err != nil {
			return address{}, g.strange(err)
		}
		a = address{URL: only.URL}
	}
	switch {
	case !websocketURL(a.URL):
		return address{}, g.strange(errors.New("it names no websocket URL"))
	case strings.HasPrefix(g.cfg.REST.BaseURL(), "https:") && !strings.HasPrefix(a.URL, "wss:"):
		return address{}, g.strange(errors.New("it names a gateway without encryption"))
	}
	return a, nil
}

// checkToken returns ErrToken if Discord refuses the token. A gateway may refuse it
// with a close code that has another meaning.
func (g *Gateway) checkToken(ctx context.Context) error {
	asking, cancel := context.WithTimeout(ctx, g.cfg.OpenTimeout)
	defer cancel()
	if _, err := g.cfg.REST.Get(asking, "/users/@me", nil); discord.IsUnauthorized(err) {
		return fmt.Errorf("%w (%w)", ErrToken, err)
	}
	return nil
}

// strange returns the error of a response that Discord does not send. It is fatal
// until the bot has identified once; later a proxy may be at fault for a while.
func (g *Gateway) strange(err error) error {
	if g.identify.IsZero() {
		return fmt.Errorf("%w (%w)", ErrAddress, err)
	}
	return fmt.Errorf("%w: %w", errUnreached, err)
}

// awaitIdentify waits until the bot may identify.
func (g *Gateway) awaitIdentify(ctx context.Context, a address) error {
	pause := time.Until(g.identify.Add(g.cfg.IdentifyEvery))
	if a.Limit != nil && a.Limit.Remaining <= 0 && a.Limit.ResetAfter > 0 {
		until := time.Duration(a.Limit.ResetAfter) * time.Millisecond
		g.log.WarnContext(ctx, "Discord allows no more sessions for now, waiting", "wait", until)
		pause = max(pause, until)
	}
	if err := wait.For(ctx, pause); err != nil {
		return err
	}
	g.identify = time.Now()
	return nil
}

func websocketURL(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && u.Host != "" && u.User == nil && (u.Scheme == "ws" || u.Scheme == "wss")
}

// asSafe reports whether the connection to to is as safe as that to from.
func asSafe(from, to string) bool {
	return websocketURL(to) && (strings.HasPrefix(to, "wss:") || strings.HasPrefix(from, "ws:"))
}

// addressBook answers discordgo's request for the gateway's address with the one that
// the supervisor has chosen. It makes no request of its own.
type addressBook func() string

// RoundTrip answers any request.
func (book addressBook) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := json.Marshal(map[string]string{"url": book()})
	if err != nil {
		return nil, fmt.Errorf("write the gateway's address: %w", err)
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), Request: req,
	}, nil
}
