package discordtest

import (
	"context"
	"encoding/json"
	"fmt"
)

// CloseSockets closes every socket with a close code, after everything that was sent to
// it before. The code 0 cuts the connections without a close frame. Sessions may be
// resumed, except after the codes that end them: 1000, 1001, 4007 and 4009.
func (g *Gateway) CloseSockets(code int) {
	g.world.mu.Lock()
	defer g.world.mu.Unlock()
	for k := range g.sockets {
		k.closeWith(code)
		switch code {
		case 1000, 1001, 4007, 4009:
			if k.session != nil {
				g.end(k.session)
			}
		}
	}
}

// EndSessions ends every session, so that a resume is answered with op 9, false.
// Sockets stay open and get no more events.
func (g *Gateway) EndSessions() {
	g.world.mu.Lock()
	defer g.world.mu.Unlock()
	for _, k := range g.events.sessions {
		g.end(k)
	}
}

// Deafen sends no further events on the sockets that are open, which answer heartbeats as before
// (hermes-agent#109521).
func (g *Gateway) Deafen() {
	g.world.mu.Lock()
	defer g.world.mu.Unlock()
	for k := range g.sockets {
		k.deaf = true
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
	g.world.mu.Lock()
	defer g.world.mu.Unlock()
	for k := range g.sockets {
		k.write(payload)
	}
}

// GatewayState counts what is connected.
type GatewayState struct {
	Opened int // sockets ever opened
	Begun  int // sessions ever begun
	Asked  int // requests for members
	Ready  int // sessions that are connected
	Beats  int // heartbeats ever received
	// Shards are the connected sessions of each shard. A key is the id of the shard and how many
	// shards there are.
	Shards map[[2]int]int
}

// State returns what is connected.
func (g *Gateway) State() GatewayState {
	g.world.mu.RLock()
	defer g.world.mu.RUnlock()
	return g.state()
}

// state implements State. The caller holds the lock.
func (g *Gateway) state() GatewayState {
	state := GatewayState{Opened: g.opened, Begun: g.begun, Asked: g.asked, Beats: g.beats, Shards: map[[2]int]int{}}
	for _, k := range g.events.sessions {
		if k.ready && k.socket != nil {
			state.Ready++
			state.Shards[k.shard]++
		}
	}
	return state
}

// Await waits until fits returns true for the current state.
func (g *Gateway) Await(ctx context.Context, fits func(GatewayState) bool) error {
	return g.world.mu.Await(ctx,
		func() bool { return fits(g.state()) },
		func() string { return fmt.Sprintf("the gateway, which has %+v", g.state()) })
}

// Recommend changes how many shards the server recommends, as Discord does when a bot has
// grown.
func (g *Gateway) Recommend(shards int) {
	g.world.mu.Lock()
	defer g.world.mu.Unlock()
	g.recommended = shards
}
