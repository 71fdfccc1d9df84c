package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"heddle/internal/discord"
	"heddle/internal/wait"
)

// Offer asks Discord how to connect, at /gateway/bot or, for servers that imitate
// Discord, at /gateway. The error wraps ErrToken if the token is refused, and
// ErrAddress if whatever answers is not Discord's API.
func (g *Gateway) Offer(ctx context.Context) (discord.Offer, error) {
	asking, cancel := context.WithTimeout(ctx, g.cfg.OpenTimeout)
	defer cancel()
	raw, err := g.cfg.REST.Get(asking, "/gateway/bot", nil)
	if err != nil && !discord.IsUnauthorized(err) && asking.Err() == nil {
		raw, err = g.cfg.REST.Get(asking, "/gateway", nil)
	}
	switch {
	case discord.IsUnauthorized(err):
		return discord.Offer{}, fmt.Errorf("%w (%w)", ErrToken, err)
	case isStrange(err):
		return discord.Offer{}, g.strange(err)
	case err != nil:
		return discord.Offer{}, fmt.Errorf("%w: %w", errUnreached, err)
	}
	o := discord.DecodeOffer(raw)
	switch {
	case !websocketURL(o.URL):
		return discord.Offer{}, g.strange(errors.New("it names no websocket URL"))
	case strings.HasPrefix(g.cfg.REST.BaseURL(), "https:") && !strings.HasPrefix(o.URL, "wss:"):
		return discord.Offer{}, g.strange(errors.New("it names a gateway without encryption"))
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
	if !g.identified {
		return fmt.Errorf("%w (%w)", ErrAddress, err)
	}
	return fmt.Errorf("%w: %w", errUnreached, err)
}

// awaitIdentify waits until the bot may identify, and returns the time at which that
// permission ends.
func (g *Gateway) awaitIdentify(ctx context.Context, o discord.Offer) (until time.Time, err error) {
	if o.Limited && o.Left <= 0 && o.Reset > 0 {
		g.log.WarnContext(ctx, "Discord allows no more sessions for now, waiting", "wait", o.Reset)
		if err := wait.For(ctx, o.Reset); err != nil {
			return time.Time{}, err
		}
	}
	until = time.Now().Add(g.cfg.OpenTimeout)
	if g.shards != nil {
		if until, err = g.shards.turn(ctx, g.cfg.Shard.ID, o); err != nil {
			return time.Time{}, fmt.Errorf("wait for the turn to identify: %w", err)
		}
	}
	g.identified = true
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
