package discordtest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Handshake is how an identify or a resume goes wrong. The zero Handshake leaves
// it unanswered.
type Handshake struct {
	// Close is the close code to answer with.
	Close int
	// Op is a payload to answer with: 7, or 9 with Resumable as its d.
	Op        int
	Resumable bool
	// Resume lets identifies pass and strikes resumes alone.
	Resume bool
	// Times is how many handshakes are struck: 0 is one, below 0 all.
	Times int
}

// InjectHandshake puts a Handshake to work; several strike one after the other.
func (s *Server) InjectHandshake(h Handshake) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.Times == 0 {
		h.Times = 1
	}
	s.identify = append(s.identify, &h)
}

// struckLocked answers a handshake wrongly, if it is to be.
func (s *Server) struckLocked(k *socket, resume bool) bool {
	for _, h := range s.identify {
		if h.Times == 0 || h.Resume && !resume {
			continue
		}
		h.Times--
		switch {
		case h.Close != 0:
			k.closeWith(h.Close)
		case h.Op != 0:
			k.write(control(h.Op, h.Resumable))
		}
		return true
	}
	return false
}

type identifyBody struct {
	Token    string  `json:"token"`
	Intents  int     `json:"intents"`
	Compress bool    `json:"compress"`
	Shard    *[2]int `json:"shard"`
}

func (s *Server) identifyLocked(k *socket, d json.RawMessage) {
	if k.session != nil {
		k.closeWith(closeIdentifiedTwice)
		return
	}
	var body identifyBody
	if json.Unmarshal(d, &body) != nil {
		k.closeWith(closeDecode)
		return
	}
	if s.struckLocked(k, false) {
		return
	}
	b := s.world.bots[strings.TrimPrefix(body.Token, "Bot ")]
	shard := [2]int{0, 1}
	if body.Shard != nil {
		shard = *body.Shard
	}
	switch {
	case b == nil:
		k.closeWith(closeBadToken)
	case shard[1] < 1 || shard[0] < 0 || shard[0] >= shard[1]:
		k.closeWith(closeBadShard)
	case body.Intents&^knownIntents != 0:
		k.closeWith(closeBadIntents)
	case b.noContent && body.Intents&IntentMessageContent != 0:
		k.closeWith(closeDeniedIntents)
	default:
		if body.Compress && !k.streamed {
			k.put(outgoing{packer: each{}})
		}
		s.readyLocked(k, &session{bot: b, intents: body.Intents, shard: shard, socket: k})
	}
}

// readyLocked opens a session: READY, then a GUILD_CREATE for each guild.
func (s *Server) readyLocked(k *socket, n *session) {
	n.id = fmt.Sprintf("%032x", s.nextID())
	s.sessions[n.id], k.session = n, n
	mine := []*guild{}
	unavailable := []any{}
	for _, g := range s.guildsOfLocked(n.bot) {
		if shardOf(g.id, n.shard[1]) == n.shard[0] {
			mine = append(mine, g)
			unavailable = append(unavailable, map[string]any{"id": g.id, "unavailable": true})
		}
	}
	me := struct {
		wireUser
		Verified   bool    `json:"verified"`
		MFAEnabled bool    `json:"mfa_enabled"`
		Email      *string `json:"email"`
		Flags      int     `json:"flags"`
	}{wireUser: wireUserOf(n.bot.user), Verified: true}
	version, _ := atoi(k.version, 9)
	s.emitLocked(n, Event{Bot: n.bot.id, Name: "READY", Data: mustJSON(map[string]any{
		"v": version, "user": me, "guilds": unavailable, "session_id": n.id,
		"resume_gateway_url": s.GatewayURL(), "shard": n.shard, "session_type": "normal",
		"application":      map[string]any{"id": n.bot.application, "flags": applicationFlags(n.bot)},
		"private_channels": []any{}, "relationships": []any{}, "presences": []any{},
		"user_settings": map[string]any{}, "guild_join_requests": []any{}, "_trace": []any{"discordtest"},
	})})
	n.ready = true
	s.begun++
	for _, g := range mine {
		if n.intents&IntentGuilds != 0 {
			s.emitLocked(n, Event{Bot: n.bot.id, Name: "GUILD_CREATE", Data: mustJSON(s.wireGuild(g, n.bot))})
		}
	}
}

func (s *Server) resumeLocked(k *socket, d json.RawMessage) {
	var body struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     int64  `json:"seq"`
	}
	if json.Unmarshal(d, &body) != nil {
		k.closeWith(closeDecode)
		return
	}
	if s.struckLocked(k, true) {
		return
	}
	n := s.sessions[body.Session]
	if n == nil || n.bot.token != strings.TrimPrefix(body.Token, "Bot ") {
		k.write(control(opInvalidSession, false))
		return
	}
	missed, ok := n.missed(body.Seq)
	if !ok {
		s.forgetLocked(n)
		k.write(control(opInvalidSession, false))
		return
	}
	if n.socket != nil {
		n.socket.session = nil
		n.socket.cut()
	}
	n.socket, k.session = k, n
	for _, f := range missed {
		k.write(f.body)
	}
	n.send("RESUMED", json.RawMessage(`{"_trace":["discordtest"]}`))
}
