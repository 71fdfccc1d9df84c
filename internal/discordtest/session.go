package discordtest

import (
	"encoding/json"
	"time"

	"heddle/graph"
)

// replayLimit is the number of events that a session keeps for a resume.
const replayLimit = 4096

// session is a gateway session. It outlives its socket until it is resumed or
// invalidated, or has missed too much. The world's lock guards it.
type session struct {
	id      string
	bot     *bot
	intents int
	shard   [2]int
	ready   bool
	seq     int64
	sent    []frame                     // the newest events, for a resume
	socket  *socket                     // nil while away
	whole   map[graph.GuildID]time.Time // when all members of a guild were last requested
}

// frame is a dispatch as it was sent.
type frame struct {
	seq  int64
	body []byte
}

// send numbers an event, keeps it for a resume and passes it to the socket.
func (k *session) send(name string, data json.RawMessage) {
	k.seq++
	f := frame{k.seq, mustJSON(object{"t": name, "s": k.seq, "op": opDispatch, "d": data})}
	if len(k.sent) >= 2*replayLimit {
		k.sent = append([]frame(nil), k.sent[replayLimit:]...)
	}
	k.sent = append(k.sent, f)
	if k.socket != nil && !k.socket.deaf {
		k.socket.write(f.body)
	}
}

// missed returns the events after seq. It reports false if seq was never sent or is
// too long ago.
func (k *session) missed(seq int64) ([]frame, bool) {
	back := k.seq - seq
	if seq < 0 || back < 0 || back > int64(len(k.sent)) {
		return nil, false
	}
	return k.sent[int64(len(k.sent))-back:], true
}

// end ends a session for good.
func (g *Gateway) end(k *session) {
	delete(g.events.sessions, k.id)
	if k.socket != nil {
		k.socket.session = nil
		k.socket = nil
	}
}
