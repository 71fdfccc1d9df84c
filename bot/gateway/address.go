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

// Offer is how Discord lets a bot connect: its answer to GET /gateway/bot. Servers that
// imitate Discord may send nothing but the URL.
type Offer struct {
	URL         string
	Shards      int           // the number of shards that Discord recommends; 0 if it recommends none
	Concurrency int           // how many shards may identify at once; at least 1
	Limited     bool          // the server limits identifies, and the fields below are set
	Left, Total int           // identifies left, and in all, until Reset
	Reset       time.Duration // until all are available again
}

// offerWire is the JSON of an Offer.
type offerWire struct {
	URL    string `json:"url"`
	Shards int    `json:"shards"`
	Limit  *struct {
		Total       int   `json:"total"`
		Remaining   int   `json:"remaining"`
		ResetAfter  int64 `json:"reset_after"` // milliseconds
		Concurrency int   `json:"max_concurrency"`
	} `json:"session_start_limit"`
}

// decodeOffer reads an Offer. A limit that does not decode is ignored, so that the
// address can still be used.
func decodeOffer(raw json.RawMessage) (Offer, error) {
	var w offerWire
	if json.Unmarshal(raw, &w) != nil {
		var only struct {
			URL string `json:"url"`
		}
		if err := json.Unmarshal(raw, &only); err != nil {
			return Offer{}, err
		}
		w = offerWire{URL: only.URL}
	}
	o := Offer{URL: w.URL, Shards: max(w.Shards, 0), Concurrency: 1}
	if l := w.Limit; l != nil {
		o.Limited, o.Left, o.Total = true, l.Remaining, l.Total
		o.Concurrency, o.Reset = max(l.Concurrency, 1), time.Duration(l.ResetAfter)*time.Millisecond
	}
	return o, nil
}

// Offer asks Discord how to connect, at /gateway/bot or, for servers that imitate
// Discord, at /gateway. The error wraps ErrToken if the token is refused, and
// ErrAddress if whatever answers is not Discord's API.
func (g *Gateway) Offer(ctx context.Context) (Offer, error) {
	asking, cancel := context.WithTimeout(ctx, g.cfg.OpenTimeout)
	defer cancel()
	raw, err := g.cfg.REST.Get(asking, "/gateway/bot", nil)
	if err != nil && !discord.IsUnauthorized(err) && asking.Err() == nil {
		raw, err = g.cfg.REST.Get(asking, "/gateway", nil)
	}
	switch {
	case discord.IsUnauthorized(err):
		return Offer{}, fmt.Errorf("%w (%w)", ErrToken, err)
	case isStrange(err):
		return Offer{}, g.strange(err)
	case err != nil:
		return Offer{}, fmt.Errorf("%w: %w", errUnreached, err)
	}
	o, err := decodeOffer(raw)
	switch {
	case err != nil:
		return Offer{}, g.strange(err)
	case !websocketURL(o.URL):
		return Offer{}, g.strange(errors.New("it names no websocket URL"))
	case strings.HasPrefix(g.cfg.REST.BaseURL(), "https:") && !strings.HasPrefix(o.URL, "wss:"):
		return Offer{}, g.strange(errors.New("it names a gateway without encryption"))
	}
	return o, nil
}

// checkToken asks the API about the token and returns ErrToken if Discord refuses it.
// It is called after a connection ended, because a gateway may refuse a token with a
// close code that has another meaning.
func (g *Gateway) checkToken(ctx context.Context) error {
	asking, cancel := context.WithTimeout(ctx, g.cfg.OpenTimeout)
	defer cancel()
	if _, err := g.cfg.REST.Get(asking, "/users/@me", nil); discord.IsUnauthorized(err) {
		return fmt.Errorf("%w (%w)", ErrToken, err)
	}
	return nil
}

// strange returns the error for a response that Discord never sends. The error is fatal
// until the bot has identified once. After that the cause may be a proxy that fails for a
// while.
func (g *Gateway) strange(err error) error {
	if g.identify.IsZero() {
		return fmt.Errorf("%w (%w)", ErrAddress, err)
	}
	return fmt.Errorf("%w: %w", errUnreached, err)
}

// awaitIdentify waits until the bot may identify, and returns the time at which that
// permission ends.
func (g *Gateway) awaitIdentify(ctx context.Context, o Offer) (until time.Time, err error) {
	var pause time.Duration
	if g.cfg.Turn == nil {
		pause = time.Until(g.identify.Add(g.cfg.IdentifyEvery))
	}
	if o.Limited && o.Left <= 0 && o.Reset > 0 {
		g.log.WarnContext(ctx, "Discord allows no more sessions for now, waiting", "wait", o.Reset)
		pause = max(pause, o.Reset)
	}
	if err := wait.For(ctx, pause); err != nil {
		return time.Time{}, err
	}
	until = time.Now().Add(g.cfg.OpenTimeout)
	if g.cfg.Turn != nil {
		if until, err = g.cfg.Turn(ctx, o); err != nil {
			return time.Time{}, fmt.Errorf("wait for the turn to identify: %w", err)
		}
	}
	g.identify = time.Now()
	return until, nil
}

func websocketURL(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && u.Host != "" && u.User == nil && (u.Scheme == "ws" || u.Scheme == "wss")
}

// asSafe reports whether to is the URL of a websocket, and encrypted if from is.
func asSafe(from, to string) bool {
	return websocketURL(to) && (strings.HasPrefix(to, "wss:") || strings.HasPrefix(from, "ws:"))
}

// addressBook is the gateway's address, as the answer to discordgo's request for it.
type addressBook string

// RoundTrip implements http.RoundTripper. It answers every request with the address, and
// makes no request of its own.
func (book addressBook) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := json.Marshal(map[string]string{"url": string(book)})
	if err != nil {
		return nil, fmt.Errorf("write the gateway's address: %w", err)
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), Request: req,
	}, nil
}
