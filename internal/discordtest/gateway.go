package discordtest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
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
	closeShardingNeeded  = 4011
	closeBadVersion      = 4012
	closeBadIntents      = 4013
	closeDeniedIntents   = 4014
)

const (
	defaultHeartbeat = 41_250 * time.Millisecond
	maxPayload       = 4096 // bytes of a client's payload
	maxCommands      = 120  // of a client in a minute; here, per socket
)

type payload struct {
	Op int             `json:"op"`
	D  json.RawMessage `json:"d"`
}

// control returns a payload that is no event.
func control(op int, d any) []byte {
	return mustJSON(map[string]any{"op": op, "d": d, "s": nil, "t": nil})
}

// gateway is the server's side of the gateway protocol. It holds the websockets and
// begins sessions on them.
type gateway struct {
	world      *world
	events     *Events
	sessions   *sessions
	handshakes handshakes
	upgrader   websocket.Upgrader
	url        string
	heartbeat  time.Duration
	limited    bool // too many commands close a socket
	sharding   sharding

	sockets map[*socket]struct{}
	opened  int  // sockets ever opened
	beats   int  // received
	unacked bool // leaves heartbeats unanswered
}

func newGateway(w *world, e *Events, all *sessions, o Options, url string) *gateway {
	g := &gateway{
		world: w, events: e, sessions: all, url: url, heartbeat: o.Heartbeat, limited: o.Limits.Global > 0,
		sockets:  map[*socket]struct{}{},
		sharding: newSharding(o),
	}
	if g.heartbeat <= 0 {
		g.heartbeat = defaultHeartbeat
	}
	return g
}

// serve serves one websocket from its upgrade to its end.
func (g *gateway) serve(w http.ResponseWriter, r *http.Request) {
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
	conn, err := g.upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	k := newSocket(conn, q)
	if !g.admit(k) {
		k.cut()
		return
	}
	var writer sync.WaitGroup
	writer.Go(func() { k.writeAll(p) })
	g.greet(k, q.Get("encoding"))
	g.dismiss(k, g.readAll(k))
	writer.Wait()
}

// admit registers a socket. It reports false if the server is closing.
func (g *gateway) admit(k *socket) bool {
	g.world.mu.Lock()
	defer g.world.mu.Unlock()
	if g.world.mu.isClosed() {
		return false
	}
	g.sockets[k] = struct{}{}
	g.opened++
	g.world.mu.wake()
	return true
}

// greet sends HELLO, or refuses a version or encoding.
func (g *gateway) greet(k *socket, encoding string) {
	g.world.mu.Lock()
	defer g.world.mu.Unlock()
	if k.version != "9" && k.version != "10" || encoding != "json" && encoding != "" {
		k.closeWith(closeBadVersion)
		return
	}
	k.write(control(opHello, map[string]any{"heartbeat_interval": g.heartbeat.Milliseconds()}))
}

// dismiss forgets a socket. A client that closed with 1000 or 1001 ends its session;
// otherwise the session waits for a resume.
func (g *gateway) dismiss(k *socket, end error) {
	k.cut()
	g.world.mu.Lock()
	defer g.world.mu.Unlock()
	delete(g.sockets, k)
	if k.session != nil {
		if !k.closing && websocket.IsCloseError(end, websocket.CloseNormalClosure, websocket.CloseGoingAway) {
			g.sessions.end(k.session)
		} else {
			g.sessions.leave(k.session)
		}
	}
	g.world.mu.wake()
}

func (g *gateway) readAll(k *socket) error {
	k.conn.SetReadLimit(1 << 20)
	for {
		_, data, err := k.conn.ReadMessage()
		if err != nil {
			return err
		}
		g.receive(k, data)
	}
}

// receive acts on one payload of a client.
func (g *gateway) receive(k *socket, data []byte) {
	g.world.mu.Lock()
	defer g.world.mu.Unlock()
	if k.silent || k.closing {
		return
	}
	var p payload
	if len(data) > maxPayload || json.Unmarshal(data, &p) != nil {
		k.closeWith(closeDecode)
		return
	}
	if k.commands++; k.commands > maxCommands && p.Op != opHeartbeat && g.limited {
		k.closeWith(closeRateLimited)
		return
	}
	switch p.Op {
	case opHeartbeat:
		g.beats++
		g.world.mu.wake()
		if !g.unacked {
			k.write(control(opAck, nil))
		}
	case opIdentify:
		g.identify(k, p.D)
	case opResume:
		g.resume(k, p.D)
	case opPresence, opVoice, opMembers:
		if k.session == nil {
			k.closeWith(closeNotIdentified)
		} else if p.Op == opMembers {
			g.sendMembers(k.session, p.D)
		}
	default:
		k.closeWith(closeUnknownOp)
	}
	g.world.mu.wake()
}

// sendMembers answers a request for a guild's members with all of them.
func (g *gateway) sendMembers(k *session, d json.RawMessage) {
	var wire struct {
		Guild json.RawMessage `json:"guild_id"`
		Nonce string          `json:"nonce"`
	}
	if json.Unmarshal(d, &wire) != nil {
		return
	}
	for _, in := range g.world.guilds {
		if strconv.Quote(in.id.String()) == string(wire.Guild) {
			g.events.send(k, "GUILD_MEMBERS_CHUNK", map[string]any{
				"guild_id": in.id, "members": wireMembers(in), "chunk_index": 0, "chunk_count": 1, "nonce": wire.Nonce,
			})
		}
	}
}
