package discordtest

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Gateway opcodes.
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opResume         = 6
	opReconnect      = 7
	opMembers        = 8
	opInvalidSession = 9
	opHello          = 10
	opAck            = 11
)

// apiVersion is the only version that the server speaks. Discord still serves others.
const apiVersion = "10"

// Close codes.
const (
	closeUnknownOp       = 4001
	closeDecode          = 4002
	closeUnidentified    = 4003
	closeBadToken        = 4004
	closeIdentifiedTwice = 4005
	closeRateLimited     = 4008
	closeBadShard        = 4010
	closeBadVersion      = 4012
	closeBadIntents      = 4013
	closeDeniedIntents   = 4014
)

const (
	heartbeat   = 41_250 * time.Millisecond // as on Discord
	maxPayload  = 4096                      // bytes of a client's payload
	maxCommands = 120                       // of a client in a minute
)

type payload struct {
	Op int             `json:"op"`
	D  json.RawMessage `json:"d"`
}

// control returns a payload that is no event.
func control(op int, d any) []byte {
	return mustJSON(object{"op": op, "d": d, "s": nil, "t": nil})
}

// Gateway is the server's side of the gateway protocol. It counts what is connected, and
// breaks connections in the ways in which Discord does.
type Gateway struct {
	world      *world
	events     *Events
	handshakes handshakes
	upgrader   websocket.Upgrader
	url        string
	limited    bool // too many commands close a socket
	// How many shards the server recommends, and how many may identify at once.
	recommended, concurrency int

	sockets map[*socket]struct{}
	opened  int // sockets ever opened
	begun   int // sessions ever begun
	beats   int // received
	asked   int // requests for members
}

func newGateway(w *world, e *Events, o Options, url string) *Gateway {
	return &Gateway{
		world: w, events: e, url: url, limited: o.Limits.Global > 0, sockets: map[*socket]struct{}{},
		recommended: max(o.Shards, 1), concurrency: max(o.MaxConcurrency, 1),
	}
}

// serve serves one websocket from its upgrade to its end. It never compresses: clients that
// ask for it read plain text as well.
func (g *Gateway) serve(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
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
	writer.Go(func() { k.writeAll() })
	g.greet(k, q.Get("encoding"))
	k.conn.SetReadLimit(1 << 20)
	for {
		_, data, err := k.conn.ReadMessage()
		if err != nil {
			g.dismiss(k, err)
			break
		}
		g.receive(k, data)
	}
	writer.Wait()
}

// admit registers a socket. It reports false if the server is closing.
func (g *Gateway) admit(k *socket) bool {
	g.world.mu.Lock()
	defer g.world.mu.Unlock()
	if g.world.mu.IsClosed() {
		return false
	}
	g.sockets[k] = struct{}{}
	g.opened++
	g.world.mu.Wake()
	return true
}

// greet sends HELLO, or refuses a version or encoding.
func (g *Gateway) greet(k *socket, encoding string) {
	g.world.mu.Lock()
	defer g.world.mu.Unlock()
	if k.version != apiVersion || encoding != "json" && encoding != "" {
		k.closeWith(closeBadVersion)
		return
	}
	k.write(control(opHello, object{"heartbeat_interval": heartbeat.Milliseconds()}))
}

// dismiss forgets a socket. A client that closed with 1000 or 1001 ends its session;
// otherwise the session waits for a resume.
func (g *Gateway) dismiss(k *socket, end error) {
	k.cut()
	g.world.mu.Lock()
	defer g.world.mu.Unlock()
	delete(g.sockets, k)
	if k.session != nil {
		if !k.closing && websocket.IsCloseError(end, websocket.CloseNormalClosure, websocket.CloseGoingAway) {
			g.end(k.session)
		} else {
			k.session.socket = nil // it waits for a resume
		}
	}
	g.world.mu.Wake()
}

// receive acts on one payload of a client.
func (g *Gateway) receive(k *socket, data []byte) {
	g.world.mu.Lock()
	defer g.world.mu.Unlock()
	if k.closing {
		return
	}
	var p payload
	if len(data) > maxPayload || json.Unmarshal(data, &p) != nil {
		k.closeWith(closeDecode)
		return
	}
	if g.limited && p.Op != opHeartbeat && !k.mayCommand(g.world.clock()) {
		k.closeWith(closeRateLimited)
		return
	}
	switch p.Op {
	case opHeartbeat:
		g.beats++
		g.world.mu.Wake()
		k.write(control(opAck, nil))
	case opIdentify:
		g.identify(k, p.D)
	case opResume:
		g.resume(k, p.D)
	case opMembers:
		g.asked++
		g.requestMembers(k, p.D)
	default:
		k.closeWith(closeUnknownOp)
	}
	g.world.mu.Wake()
}
