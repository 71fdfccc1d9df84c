package discordtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

// place is a server with a guild, a channel, a person and a bot.
type place struct {
	*discordtest.Server
	guild   graph.GuildID
	channel graph.ChannelID
	ann     graph.UserID
	bot     discordtest.Bot
}

func newPlace(t *testing.T, o discordtest.Options) *place {
	t.Helper()
	p := &place{Server: discordtest.New(o)}
	t.Cleanup(p.Close)
	p.guild = p.World.AddGuild("weavers")
	p.channel = p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "general"})
	p.ann = p.People.AddUser("ann", p.guild)
	p.bot = p.People.AddBot("heddle", p.guild)
	return p
}

func (p *place) say(t *testing.T, text string) graph.MessageID {
	t.Helper()
	return p.post(t, discordtest.Draft{Content: text})
}

func (p *place) post(t *testing.T, d discordtest.Draft) graph.MessageID {
	t.Helper()
	return errtest.Must(p.Chat.Post(p.channel, p.ann, d))(t)
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), discordtest.Patience)
	t.Cleanup(cancel)
	return ctx
}

// noon returns a clock that stands still until it is moved.
func noon() *standing { return new(standing) }

type standing struct{ after atomic.Int64 }

func (c *standing) Now() time.Time {
	return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(c.after.Load()))
}

func (c *standing) Advance(d time.Duration) { c.after.Add(int64(d)) }

const intents = discordtest.IntentGuilds | discordtest.IntentGuildMessages |
	discordtest.IntentDirectMessages | discordtest.IntentMessageContent

// wire is a gateway client without a library.
type wire struct {
	t    *testing.T
	conn *websocket.Conn
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
	errtest.None(t, err)
	_ = res.Body.Close()
	t.Cleanup(func() { _ = conn.Close() })
	return &wire{t: t, conn: conn}
}

// identified returns a client that has read READY and GUILD_CREATE.
func (p *place) identified(t *testing.T, intents int) *wire {
	t.Helper()
	w := p.connect(t, "v=10")
	w.expectOp(10)
	w.identify(p.bot.Token, intents)
	w.expect("READY")
	w.expect("GUILD_CREATE")
	return w
}

func (w *wire) identify(token string, intents int) {
	w.t.Helper()
	w.write(2, map[string]any{"token": token, "intents": intents})
}

func (w *wire) write(op int, d any) {
	w.t.Helper()
	errtest.None(w.t, w.conn.WriteJSON(map[string]any{"op": op, "d": d}))
}

func (w *wire) read() (payload, error) {
	var p payload
	_ = w.conn.SetReadDeadline(time.Now().Add(discordtest.Patience))
	_, data, err := w.conn.ReadMessage()
	if err != nil {
		return p, err
	}
	return p, errors.Join(json.Unmarshal(data, &p))
}

func (w *wire) next() payload {
	w.t.Helper()
	return errtest.Must(w.read())(w.t)
}

func (w *wire) expect(name string) payload {
	w.t.Helper()
	p := w.next()
	if p.Name != name {
		w.t.Fatalf("got op %d %s %s, want %s", p.Op, p.Name, p.Data, name)
	}
	return p
}

func (w *wire) expectOp(op int) {
	w.t.Helper()
	if p := w.next(); p.Op != op {
		w.t.Fatalf("got op %d %s, want op %d", p.Op, p.Name, op)
	}
}

func (w *wire) expectClose(code int) {
	w.t.Helper()
	if p, err := w.read(); !websocket.IsCloseError(err, code) {
		w.t.Fatalf("got %+v, %v, want close %d", p, err, code)
	}
}

func (w *wire) decode(p payload, v any) {
	w.t.Helper()
	errtest.None(w.t, json.Unmarshal(p.Data, v))
}

// text returns the content of the next MESSAGE_CREATE.
func (w *wire) text() string {
	w.t.Helper()
	var m struct{ Content string }
	w.decode(w.expect("MESSAGE_CREATE"), &m)
	return m.Content
}

// jsonOf returns JSON that is sent as it stands.
func jsonOf(text string) json.RawMessage { return json.RawMessage(text) }
