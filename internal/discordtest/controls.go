package discordtest

import (
	"context"
	"encoding/json"

	"heddle/graph"
)

// CloseSockets closes every socket with a close code, after what was sent to it.
// 0 cuts the connections without a close frame. Sessions stay, to be resumed,
// but for the codes that end them: 1000, 1001, 4007 and 4009.
func (s *Server) CloseSockets(code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range s.sockets {
		k.closeWith(code)
		switch code {
		case 1000, 1001, 4007, 4009:
			if k.session != nil {
				s.forgetLocked(k.session)
			}
		}
	}
}

// EndSessions forgets every session, so that a resume is answered with op 9,
// false. Sockets stay open and are told nothing more.
func (s *Server) EndSessions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.sessions {
		s.forgetLocked(k)
	}
}

// AskReconnect sends op 7 on every socket.
func (s *Server) AskReconnect() { s.SendRaw(control(opReconnect, nil)) }

// Invalidate sends op 9 on every socket. What cannot be resumed is forgotten.
func (s *Server) Invalidate(resumable bool) {
	if !resumable {
		s.EndSessions()
	}
	s.SendRaw(control(opInvalidSession, resumable))
}

// SendRaw sends a payload as it is on every socket.
func (s *Server) SendRaw(payload json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range s.sockets {
		k.write(payload)
	}
}

// Silence has every socket that is open swallow what it is sent and send nothing
// more, acks included, as a dead peer does. Sockets opened later are not silent.
func (s *Server) Silence() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range s.sockets {
		k.silent = true
	}
}

// GatewayState is what is connected.
type GatewayState struct {
	Opened   int // sockets ever opened
	Begun    int // sessions ever begun, each with all events from then on
	Sockets  int // open now
	Sessions int // sessions that are open or may be resumed
	Ready    int // sessions with a socket
}

// Gateway tells what is connected.
func (s *Server) Gateway() GatewayState {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.gatewayLocked()
}

func (s *Server) gatewayLocked() GatewayState {
	state := GatewayState{Opened: s.opened, Begun: s.begun, Sockets: len(s.sockets), Sessions: len(s.sessions)}
	for _, k := range s.sessions {
		if k.ready && k.socket != nil {
			state.Ready++
		}
	}
	return state
}

// AwaitGateway waits until what is connected fits.
func (s *Server) AwaitGateway(ctx context.Context, fits func(GatewayState) bool) error {
	return s.await(ctx, "the gateway", func() bool { return fits(s.gatewayLocked()) })
}

// AwaitReady waits until a bot has a session with a socket, so that what happens
// next reaches it.
func (s *Server) AwaitReady(ctx context.Context, who graph.UserID) error {
	return s.await(ctx, "a session", func() bool {
		for _, k := range s.sessions {
			if k.bot.id == who && k.ready && k.socket != nil {
				return true
			}
		}
		return false
	})
}
