package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/gorilla/websocket"

	"heddle/internal/discord"
)

// Greeted connects to the gateway of an offer, waits for HELLO and disconnects. It does
// not identify, so it uses none of the sessions that Discord allows per day. It returns
// nil if the gateway can be reached, through proxies if there are any.
func (g *Gateway) Greeted(ctx context.Context, o Offer) error {
	ctx, cancel := context.WithTimeout(ctx, 2*g.cfg.OpenTimeout)
	defer cancel()
	dialer := &websocket.Dialer{
		NetDialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return dialThrough(ctx, g.cfg.Proxy, network, addr)
		},
		TLSClientConfig: g.cfg.TLS,
	}
	conn, answer, err := dialer.DialContext(ctx, strings.TrimRight(o.URL, "/")+"/?v=9&encoding=json", nil)
	if answer != nil {
		defer func() { _ = answer.Body.Close() }()
	}
	if err != nil {
		return fmt.Errorf("reach the gateway: %w", err)
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	_, message, err := conn.ReadMessage()
	if err != nil {
		return errors.Join(errSilent, err)
	}
	if p, ok := discord.DecodePayload(message); !ok || p.Op != opHello || json.Unmarshal(p.Data, &struct{}{}) != nil {
		return errHello
	}
	return nil
}
