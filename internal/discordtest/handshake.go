package discordtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"heddle/graph"
)

// Handshake is a way in which an identify or a resume goes wrong. The zero Handshake
// leaves one of them unanswered.
type Handshake struct {
	// Close is the close code to answer with.
	Close int
	// Op is a payload to answer with: 7, or 9 with Resumable as its d.
	Op        int
	Resumable bool
	// Resume strikes only resumes.
	Resume bool
	// BadToken strikes only handshakes with a token that no bot has.
	BadToken bool
	// Times is the number of handshakes that are struck: 0 is one, below 0 is all.
	Times int
}

// InjectHandshake puts a Handshake to work. Several strike one after the other.
func (g *Gateway) InjectHandshake(h Handshake) {
	g.world.mu.Lock()
	defer g.world.mu.Unlock()
	if h.Times == 0 {
		h.Times = 1
	}
	g.handshakes = append(g.handshakes, &h)
}

// handshakes are the Handshakes at work.
type handshakes []*Handshake

// strike answers a handshake wrongly if one of them selects it, and reports whether
// one does.
func (all handshakes) strike(k *socket, s Shake) bool {
	for _, h := range all {
		if h.Times == 0 || h.Resume && !s.Resume || h.BadToken && s.Bot != 0 {
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

// Shake is an identify or a resume that a client sent.
type Shake struct {
	Bot    graph.UserID // zero if the token is not known
	Resume bool
	Shard  [2]int // of an identify: its number and how many there are
	At     time.Time
}

// Shakes returns the identifies and resumes so far, in their order.
func (g *Gateway) Shakes() []Shake {
	g.world.mu.RLock()
	defer g.world.mu.RUnlock()
	return slices.Clone(g.shakes)
}

// struck records an identify or a resume, and reports whether a Handshake answered it.
func (g *Gateway) struck(k *socket, b *bot, s Shake) bool {
	s.At = g.world.clock()
	if b != nil {
		s.Bot = b.id
	}
	g.shakes = append(g.shakes, s)
	return g.handshakes.strike(k, s)
}

type identifyBody struct {
	Token    string  `json:"token"`
	Intents  int     `json:"intents"`
	Compress bool    `json:"compress"`
	Shard    *[2]int `json:"shard"`
}

func (g *Gateway) identify(k *socket, d json.RawMessage) {
	if k.session != nil {
		k.closeWith(closeIdentifiedTwice)
		return
	}
	var body identifyBody
	if json.Unmarshal(d, &body) != nil {
		k.closeWith(closeDecode)
		return
	}
	b := g.world.botWith(body.Token)
	shard := [2]int{0, 1}
	if body.Shard != nil {
		shard = *body.Shard
	}
	if g.struck(k, b, Shake{Shard: shard}) {
		return
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
		g.begin(k, &session{bot: b, intents: body.Intents, shard: shard, socket: k})
	}
}

// begin begins a session: READY, then a GUILD_CREATE for each guild.
func (g *Gateway) begin(k *socket, n *session) {
	n.id = fmt.Sprintf("%032x", g.world.nextID())
	g.sessions.add(n)
	k.session = n
	mine := []*guild{}
	unavailable := []any{}
	for _, in := range g.world.guildsOf(n.bot) {
		if shardOf(in.id, n.shard[1]) == n.shard[0] {
			mine = append(mine, in)
			unavailable = append(unavailable, map[string]any{"id": in.id, "unavailable": true})
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
	g.events.send(n, "READY", map[string]any{
		"v": version, "user": me, "guilds": unavailable, "session_id": n.id,
		"resume_gateway_url": g.url, "shard": n.shard, "session_type": "normal",
		"application":      map[string]any{"id": n.bot.application, "flags": applicationFlags(n.bot)},
		"private_channels": []any{}, "relationships": []any{}, "presences": []any{},
		"user_settings": map[string]any{}, "guild_join_requests": []any{}, "_trace": []any{"discordtest"},
	})
	n.ready = true
	for _, in := range mine {
		if n.intents&IntentGuilds != 0 {
			g.events.send(n, "GUILD_CREATE", wireGuild(in, n.bot))
		}
	}
}

// resume continues a session on another socket: what it missed, then RESUMED.
func (g *Gateway) resume(k *socket, d json.RawMessage) {
	var body struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     int64  `json:"seq"`
	}
	if json.Unmarshal(d, &body) != nil {
		k.closeWith(closeDecode)
		return
	}
	b, n := g.world.botWith(body.Token), g.sessions.byID[body.Session]
	if g.struck(k, b, Shake{Resume: true}) {
		return
	}
	if n == nil || n.bot != b {
		k.write(control(opInvalidSession, false))
		return
	}
	missed, ok := n.missed(body.Seq)
	if !ok || !g.sessions.resumable(n) {
		g.sessions.end(n)
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
