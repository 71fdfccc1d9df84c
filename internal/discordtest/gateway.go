package discordtest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/gorilla/websocket"
)

// Gateway opcodes.
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opPresence       = 3
	opVoice          = 4
	opResume         = 6
	opReconnect      = 7
	opMembers        = 8
	opInvalidSession = 9
	opHello          = 10
	opAck            = 11
)

// Close codes.
const (
	closeUnknownOp       = 4001
	closeDecode          = 4002
	closeNotIdentified   = 4003
	closeBadToken        = 4004
	closeIdentifiedTwice = 4005
	closeRateLimited     = 4008
	closeBadShard        = 4010
	closeBadVersion      = 4012
	closeBadIntents      = 4013
	closeDeniedIntents   = 4014
)

const (
	defaultHeartbeat = 41_250 * time.Millisecond
	maxPayload       = 4096 // bytes that a client may send at once
	maxCommands      = 120  // that a client may send in a minute; here, per socket
)

type payload struct {
	Op int             `json:"op"`
	D  json.RawMessage `json:"d"`
}

func control(op int, d any) []byte {
	return mustJSON(map[string]any{"op": op, "d": d, "s": nil, "t": nil})
}

// serveGateway is a websocket's life.
func (s *Server) serveGateway(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	var p packer = plain{}
	switch q.Get("compress") {
	case "":
	case "zlib-stream":
		p = newStream()
	default:
		http.Error(w, "compression not offered", http.StatusBadRequest)
		return
	}
	conn, err := s.upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	k := newSocket(conn, q)
	if !s.admit(k) {
		k.cut()
		return
	}
	s.running.Go(func() { k.writeAll(p) })
	s.greet(k, q.Get("encoding"))
	s.dismiss(k, s.readAll(k))
}

// greet says hello, or refuses a version or encoding that is not spoken.
func (s *Server) greet(k *socket, encoding string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.version != "9" && k.version != "10" || encoding != "json" && encoding != "" {
		k.closeWith(closeBadVersion)
		return
	}
	interval := s.options.Heartbeat
	if interval <= 0 {
		interval = defaultHeartbeat
	}
	k.write(control(opHello, map[string]any{"heartbeat_interval": interval.Milliseconds()}))
}

// admit enters a socket unless the server is closing.
func (s *Server) admit(k *socket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed() {
		return false
	}
	s.sockets[k] = struct{}{}
	s.opened++
	s.wakeLocked()
	return true
}

// dismiss forgets a socket. A client that closed with 1000 or 1001 gives its
// session up; otherwise the session waits to be resumed.
func (s *Server) dismiss(k *socket, end error) {
	k.cut()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sockets, k)
	if k.session != nil {
		if !k.closing && websocket.IsCloseError(end, websocket.CloseNormalClosure, websocket.CloseGoingAway) {
			s.forgetLocked(k.session)
		} else {
			s.leaveLocked(k.session)
		}
	}
	s.wakeLocked()
}

func (s *Server) readAll(k *socket) error {
	k.conn.SetReadLimit(1 << 20)
	for {
		_, data, err := k.conn.ReadMessage()
		if err != nil {
			return err //nolint:wrapcheck // only asked for its close code
		}
		s.receive(k, data)
	}
}

// receive acts on one payload of a client.
func (s *Server) receive(k *socket, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.silent || k.closing {
		return
	}
	var p payload
	if len(data) > maxPayload || json.Unmarshal(data, &p) != nil {
		k.closeWith(closeDecode)
		return
	}
	if k.commands++; k.commands > maxCommands && p.Op != opHeartbeat && s.limiter.limits.Global > 0 {
		k.closeWith(closeRateLimited)
		return
	}
	switch p.Op {
	case opHeartbeat:
		k.write(control(opAck, nil))
	case opIdentify:
		s.identifyLocked(k, p.D)
	case opResume:
		s.resumeLocked(k, p.D)
	case opPresence, opVoice, opMembers:
		if k.session == nil {
			k.closeWith(closeNotIdentified)
		} else if p.Op == opMembers {
			s.membersLocked(k.session, p.D)
		}
	default:
		k.closeWith(closeUnknownOp)
	}
	s.wakeLocked()
}

// membersLocked answers a request for a guild's members with all of them.
func (s *Server) membersLocked(k *session, d json.RawMessage) {
	var wire struct {
		Guild json.RawMessage `json:"guild_id"`
		Nonce string          `json:"nonce"`
	}
	if json.Unmarshal(d, &wire) != nil {
		return
	}
	for _, g := range s.world.guilds {
		if strconv.Quote(g.id.String()) != string(wire.Guild) {
			continue
		}
		members := make([]wireMember, len(g.members))
		for i, m := range g.members {
			members[i] = s.wireMember(m, true)
		}
		s.emitLocked(k, Event{Bot: k.bot.id, Name: "GUILD_MEMBERS_CHUNK", Data: mustJSON(map[string]any{
			"guild_id": g.id, "members": members, "chunk_index": 0, "chunk_count": 1, "nonce": wire.Nonce,
		})})
	}
}
