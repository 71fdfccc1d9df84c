package discordtest_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"heddle/internal/discordtest"
)

const intents = discordtest.IntentGuilds | discordtest.IntentGuildMessages | discordtest.IntentGuildTyping |
	discordtest.IntentDirectMessages | discordtest.IntentMessageContent

// wire is a gateway client without a library.
type wire struct {
	t    *testing.T
	conn *websocket.Conn
	// inflate reads one payload of a zlib stream.
	inflate func([]byte) []byte
}

type payload struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  int64           `json:"s"`
	Name string          `json:"t"`
}

func (p *place) connect(t *testing.T, query string) *wire {
	t.Helper()
	conn, res, err := websocket.DefaultDialer.DialContext(within(t), p.GatewayURL()+"/?encoding=json&"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	t.Cleanup(func() { _ = conn.Close() })
	return &wire{t: t, conn: conn, inflate: func(b []byte) []byte { return b }}
}

// identified returns a client that has read READY and GUILD_CREATE, and its session id.
func (p *place) identified(t *testing.T, intents int) (*wire, string) {
	t.Helper()
	w := p.connect(t, "v=10")
	w.expectOp(10)
	w.identify(p.bot.Token, intents)
	var ready struct {
		Session string `json:"session_id"`
	}
	w.decode(w.expect("READY"), &ready)
	w.expect("GUILD_CREATE")
	return w, ready.Session
}

func (w *wire) identify(token string, intents int) {
	w.t.Helper()
	w.write(2, map[string]any{"token": token, "intents": intents})
}

func (w *wire) write(op int, d any) {
	w.t.Helper()
	if err := w.conn.WriteJSON(map[string]any{"op": op, "d": d}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) read() (payload, error) {
	var p payload
	_ = w.conn.SetReadDeadline(time.Now().Add(discordtest.Patience))
	kind, data, err := w.conn.ReadMessage()
	if err != nil {
		return p, err
	}
	if kind == websocket.BinaryMessage {
		data = w.inflate(data)
	}
	return p, errors.Join(json.Unmarshal(data, &p))
}

func (w *wire) next() payload {
	w.t.Helper()
	p, err := w.read()
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (w *wire) expect(name string) payload {
	w.t.Helper()
	p := w.next()
	if p.Name != name {
		w.t.Fatalf("got op %d %s %s, want %s", p.Op, p.Name, p.Data, name)
	}
	return p
}

func (w *wire) expectOp(op int) payload {
	w.t.Helper()
	p := w.next()
	if p.Op != op {
		w.t.Fatalf("got op %d %s, want op %d", p.Op, p.Name, op)
	}
	return p
}

func (w *wire) expectClose(code int) {
	w.t.Helper()
	if p, err := w.read(); !websocket.IsCloseError(err, code) {
		w.t.Fatalf("got %+v, %v, want close %d", p, err, code)
	}
}

func (w *wire) decode(p payload, v any) {
	w.t.Helper()
	if err := json.Unmarshal(p.Data, v); err != nil {
		w.t.Fatal(err)
	}
}

// text returns the content of the next MESSAGE_CREATE.
func (w *wire) text() string {
	w.t.Helper()
	var m struct{ Content string }
	w.decode(w.expect("MESSAGE_CREATE"), &m)
	return m.Content
}
