package discordtest

import (
	"context"
	"encoding/json"
	"fmt"

	"heddle/graph"
)

// Gateway counts what is connected, and breaks connections in the ways in which Discord
// does.
type Gateway struct{ gateway *gateway }

// CloseSockets closes every socket with a close code, after everything that was sent to
// it before. The code 0 cuts the connections without a close frame. Sessions may be
// resumed, except after the codes that end them: 1000, 1001, 4007 and 4009.
func (g *Gateway) CloseSockets(code int) {
	g.gateway.world.mu.Lock()
	defer g.gateway.world.mu.Unlock()
	for k := range g.gateway.sockets {
		k.closeWith(code)
		switch code {
		case 1000, 1001, 4007, 4009:
			if k.session != nil {
				g.gateway.sessions.end(k.session)
			}
		}
	}
}

// EndSessions ends every session, so that a resume is answered with op 9, false.
// Sockets stay open and get no more events.
func (g *Gateway) EndSessions() {
	g.gateway.world.mu.Lock()
	defer g.gateway.world.mu.Unlock()
	for _, k := range g.gateway.sessions.byID {
		g.gateway.sessions.end(k)
	}
}

// AskReconnect sends op 7 on every socket.
func (g *Gateway) AskReconnect() { g.SendRaw(control(opReconnect, nil)) }

// Invalidate ends the sessions and sends op 9, not resumable, on every socket.
func (g *Gateway) Invalidate() {
	g.EndSessions()
	g.SendRaw(control(opInvalidSession, false))
}

// AskResume sends op 9, resumable, on every socket.
func (g *Gateway) AskResume() { g.SendRaw(control(opInvalidSession, true)) }

// SendRaw sends a payload unchanged on every socket.
func (g *Gateway) SendRaw(payload json.RawMessage) {
	g.gateway.world.mu.Lock()
	defer g.gateway.world.mu.Unlock()
	for k := range g.gateway.sockets {
		k.write(payload)
	}
}

// GatewayState counts what is connected.
type GatewayState struct {
	Opened int // sockets ever opened
	Begun  int // sessions ever begun
	Ready  int // sessions that are connected
	Beats  int // heartbeats ever received
	// Shards are the connected sessions of each shard. A key is the id of the shard and how many
	// shards there are.
	Shards map[[2]int]int
}

// State returns what is connected.
func (g *Gateway) State() GatewayState {
	g.gateway.world.mu.RLock()
	defer g.gateway.world.mu.RUnlock()
	return g.state()
}

// state implements State. The caller holds the lock.
func (g *Gateway) state() GatewayState {
	state := GatewayState{Opened: g.gateway.opened, Begun: g.gateway.sessions.begun, Beats: g.gateway.beats, Shards: map[[2]int]int{}}
	for _, k := range g.gateway.sessions.byID {
		if k.ready && k.socket != nil {
			state.Ready++
			state.Shards[k.shard]++
		}
	}
	return state
}

// Await waits until fits returns true for the current state.
func (g *Gateway) Await(ctx context.Context, fits func(GatewayState) bool) error {
	return g.gateway.world.mu.await(ctx,
		func() bool { return fits(g.state()) },
		func() string { return fmt.Sprintf("the gateway, which has %+v", g.state()) })
}

// Recommend changes how many shards the server recommends, as Discord does when a bot has
// grown.
func (g *Gateway) Recommend(shards int) {
	g.gateway.world.mu.Lock()
	defer g.gateway.world.mu.Unlock()
	g.gateway.recommended = shards
}

// AwaitReady waits until a bot has a connected session, so that the next events reach
// it.
func (g *Gateway) AwaitReady(ctx context.Context, who graph.UserID) error {
	return g.gateway.world.mu.await(ctx, func() bool {
		for _, k := range g.gateway.sessions.byID {
			if k.bot.id == who && k.ready && k.socket != nil {
				return true
			}
		}
		return false
	}, func() string {
		return fmt.Sprintf("a connected session of bot %d, the gateway has %+v", who, g.state())
	})
}
