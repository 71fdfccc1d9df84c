package gateway

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"heddle/internal/discord"
)

// Greeted connects to the gateway of an offer, waits for HELLO and disconnects. It does
// not identify, so it uses none of the sessions that Discord allows per day. It returns
// nil if the gateway can be reached, through a proxy if there is one.
func (g *Gateway) Greeted(ctx context.Context, o discord.Offer) error {
	ctx, cancel := context.WithTimeout(ctx, 2*g.cfg.OpenTimeout)
	defer cancel()
	socket, err := g.dial(ctx, strings.TrimRight(o.URL, "/"))
	if err != nil {
		return err
	}
	defer func() { _ = socket.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = socket.SetReadDeadline(time.Now()) })
	defer stop()
	c := &connection{socket: socket}
	c.await(g.cfg.OpenTimeout)
	message, err := c.read()
	if err != nil {
		return err
	}
	var p discord.Payload
	if json.Unmarshal(message, &p) != nil || p.Op != opHello {
		return errHello
	}
	return nil
}
