package discordtest

import (
	"encoding/json"
	"fmt"
	"strconv"
)

type identifyBody struct {
	Token   string  `json:"token"`
	Intents int     `json:"intents"`
	Shard   *[2]int `json:"shard"`
}

// identify answers an IDENTIFY: with a session, or with the close code or opcode by which
// Discord refuses it.
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
	if g.handshakes.strike(k, Handshake{At: g.world.clock(), Shard: shard}) {
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
		g.begin(k, &session{bot: b, intents: body.Intents, shard: shard, socket: k})
	}
}

// begin begins a session: READY, then a GUILD_CREATE for each guild.
func (g *Gateway) begin(k *socket, n *session) {
	n.id = fmt.Sprintf("%032x", g.world.nextID())
	g.events.sessions[n.id] = n
	g.begun++
	k.session = n
	mine := []*guild{}
	unavailable := []any{}
	for _, in := range g.world.guildsOf(n.bot) {
		if shardOf(in.id, n.shard[1]) == n.shard[0] {
			mine = append(mine, in)
			unavailable = append(unavailable, object{"id": in.id, "unavailable": true})
		}
	}
	version, _ := strconv.Atoi(k.version)
	g.events.send(n, "READY", object{
		"v": version, "user": wireUserOf(n.bot.user), "guilds": unavailable, "session_id": n.id,
		"resume_gateway_url": g.url, "shard": n.shard, "session_type": "normal",
		"application":      object{"id": n.bot.application, "flags": applicationFlags(n.bot)},
		"private_channels": []any{},
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
	b, n := g.world.botWith(body.Token), g.events.sessions[body.Session]
	if g.handshakes.strike(k, Handshake{At: g.world.clock(), Resume: true}) {
		return
	}
	if n == nil || n.bot != b {
		k.write(control(opInvalidSession, false))
		return
	}
	missed, ok := n.missed(body.Seq)
	if !ok {
		g.end(n)
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
