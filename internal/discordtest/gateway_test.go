package discordtest_test

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"heddle/graph"
	"heddle/internal/discordtest"
)

func TestHeartbeatsAreAcknowledged(t *testing.T) {
	p := newPlace(t, discordtest.Options{Heartbeat: time.Second})
	w := p.connect(t, "v=9")
	if d := string(w.expectOp(10).Data); d != `{"heartbeat_interval":1000}` {
		t.Errorf("hello says %s, want %s", d, `{"heartbeat_interval":1000}`)
	}
	w.write(1, nil)
	w.expectOp(11)
}

func TestWrongIdentifiesCloseWithDiscordsCodes(t *testing.T) {
	for name, c := range map[string]struct {
		query string
		op    int
		body  any
		code  int
	}{
		"wrong token":      {"v=10", 2, map[string]any{"token": "x", "intents": 1}, 4004},
		"denied intents":   {"v=10", 2, map[string]any{"token": "", "intents": intents}, 4014},
		"unknown intents":  {"v=10", 2, map[string]any{"token": "", "intents": 1 << 40}, 4013},
		"shard out of two": {"v=10", 2, map[string]any{"token": "", "intents": 1, "shard": []int{2, 2}}, 4010},
		"no identify":      {"v=10", 8, nil, 4003},
		"unknown op":       {"v=10", 42, nil, 4001},
		"malformed":        {"v=10", 2, "text", 4002},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, free())
			p.People.DenyMessageContent(p.bot.User)
			if body, ok := c.body.(map[string]any); ok && body["token"] == "" {
				body["token"] = p.bot.Token
			}
			w := p.connect(t, c.query)
			w.expectOp(10)
			w.write(c.op, c.body)
			w.expectClose(c.code)
		})
	}
	p := newPlace(t, free())
	p.connect(t, "v=5").expectClose(4012)
}

func TestWithoutTheIntentContentIsBlankUnlessItConcernsTheBot(t *testing.T) {
	p := newPlace(t, free())
	w, _ := p.identified(t, intents&^discordtest.IntentMessageContent)
	p.say(t, "private")
	if got := w.text(); got != "" {
		t.Errorf("others' words: %q, want none", got)
	}
	mention := "hello <@" + p.bot.User.String() + ">"
	p.say(t, mention)
	if got := w.text(); got != mention {
		t.Errorf("a mention: %q, want %q", got, mention)
	}
	p.created(t, `{"content":"mine"}`)
	if got := w.text(); got != "mine" {
		t.Errorf("its own: %q, want %q", got, "mine")
	}
	if _, err := p.Chat.Post(p.World.OpenDM(p.ann, p.bot.User), p.ann, discordtest.Draft{Content: "direct"}); err != nil {
		t.Fatal(err)
	}
	if got := w.text(); got != "direct" {
		t.Errorf("a direct message: %q, want %q", got, "direct")
	}
}

func TestEventsNeedTheirIntentAndTheChannelsSight(t *testing.T) {
	p := newPlace(t, free())
	hidden := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "hidden", Private: true})
	w, _ := p.identified(t, discordtest.IntentGuilds|discordtest.IntentGuildMessages)
	p.Chat.Type(p.channel, p.ann)
	if _, err := p.Chat.Post(hidden, p.ann, discordtest.Draft{Content: "x"}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Chat.Post(p.World.OpenDM(p.ann, p.bot.User), p.ann, discordtest.Draft{Content: "x"}); err != nil {
		t.Fatal(err)
	}
	id := p.say(t, "seen")
	var m struct {
		ID     graph.MessageID `json:"id"`
		Guild  graph.GuildID   `json:"guild_id"`
		Member *struct{}       `json:"member"`
	}
	w.decode(w.expect("MESSAGE_CREATE"), &m)
	if m.ID != id || m.Guild != p.guild || m.Member == nil {
		t.Errorf("got %+v, want ID %v and Guild %v", m, id, p.guild)
	}
	p.Chat.Delete(p.channel, id, p.say(t, "y"))
	w.expect("MESSAGE_CREATE")
	w.expect("MESSAGE_DELETE_BULK")
}

func TestEachShardGetsItsGuildsAndTheFirstTheDirectMessages(t *testing.T) {
	p := newPlace(t, free())
	mine := int(uint64(p.guild) >> 22 % 2)
	var shards [2]*wire
	for i := range shards {
		shards[i] = p.connect(t, "v=10")
		shards[i].expectOp(10)
		shards[i].write(2, map[string]any{"token": p.bot.Token, "intents": intents, "shard": []int{i, 2}})
		shards[i].expect("READY")
	}
	shards[mine].expect("GUILD_CREATE")
	p.say(t, "guild")
	if got := shards[mine].text(); got != "guild" {
		t.Errorf("got %q, want %q", got, "guild")
	}
	if _, err := p.Chat.Post(p.World.OpenDM(p.ann, p.bot.User), p.ann, discordtest.Draft{Content: "direct"}); err != nil {
		t.Fatal(err)
	}
	if got := shards[0].text(); got != "direct" {
		t.Errorf("got %q, want %q", got, "direct")
	}
}

func TestAZlibStreamSpansTheConnection(t *testing.T) {
	p := newPlace(t, free())
	w := p.connect(t, "v=10&compress=zlib-stream")
	var compressed bytes.Buffer
	var z io.ReadCloser
	w.inflate = func(b []byte) []byte {
		if !bytes.HasSuffix(b, []byte{0, 0, 0xff, 0xff}) {
			t.Fatalf("a payload ends with % x, want 00 00 ff ff", b[len(b)-4:])
		}
		compressed.Write(b)
		if z == nil {
			z, _ = zlib.NewReader(&compressed)
		}
		var document json.RawMessage
		if err := json.NewDecoder(z).Decode(&document); err != nil {
			t.Fatal(err)
		}
		return document
	}
	w.expectOp(10)
	w.write(2, map[string]any{"token": p.bot.Token, "intents": intents, "compress": true})
	w.expect("READY")
	w.expect("GUILD_CREATE")
	p.say(t, "woven")
	if got := w.text(); got != "woven" {
		t.Errorf("got %q, want %q", got, "woven")
	}
}

func (w *wire) resume(token, session string, seq int64) {
	w.t.Helper()
	w.write(6, map[string]any{"token": token, "session_id": session, "seq": seq})
}

func TestAResumeReplaysWhatWasMissed(t *testing.T) {
	p := newPlace(t, free())
	w, session := p.identified(t, intents)
	p.say(t, "seen")
	seq := w.expect("MESSAGE_CREATE").Seq
	p.Gateway.CloseSockets(4000)
	w.expectClose(4000)
	if err := p.Gateway.Await(within(t), func(g discordtest.GatewayState) bool { return g.Sockets == 0 && g.Sessions == 1 }); err != nil {
		t.Fatal(err)
	}
	p.say(t, "missed")
	again := p.connect(t, "v=10")
	again.expectOp(10)
	again.resume(p.bot.Token, session, seq)
	if got := again.text(); got != "missed" {
		t.Errorf("got %q, want %q", got, "missed")
	}
	again.expect("RESUMED")
	p.say(t, "after")
	if got := again.text(); got != "after" {
		t.Errorf("got %q, want %q", got, "after")
	}
}

func TestAnUnknownOrEndedSessionIsInvalid(t *testing.T) {
	p := newPlace(t, free())
	w, session := p.identified(t, intents)
	closing := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	if err := w.conn.WriteMessage(websocket.CloseMessage, closing); err != nil {
		t.Fatal(err)
	}
	if err := p.Gateway.Await(within(t), func(g discordtest.GatewayState) bool { return g.Sessions == 0 }); err != nil {
		t.Fatal("closing with 1000 must end the session")
	}
	again := p.connect(t, "v=10")
	again.expectOp(10)
	again.resume(p.bot.Token, session, 1)
	if d := string(again.expectOp(9).Data); d != "false" {
		t.Errorf("op 9 says %s, want %q", d, "false")
	}
	again.identify(p.bot.Token, intents)
	again.expect("READY")
}

func TestHandshakesCanGoWrong(t *testing.T) {
	p := newPlace(t, free())
	p.Gateway.InjectHandshake(discordtest.HandshakeFault{Op: 7})
	p.Gateway.InjectHandshake(discordtest.HandshakeFault{Op: 9})
	p.Gateway.InjectHandshake(discordtest.HandshakeFault{Close: 4004})
	w := p.connect(t, "v=10")
	w.expectOp(10)
	w.identify(p.bot.Token, intents)
	w.expectOp(7)
	w.identify(p.bot.Token, intents)
	w.expectOp(9)
	w.identify(p.bot.Token, intents)
	w.expectClose(4004)
	w, _ = p.identified(t, intents)
	p.Gateway.AskReconnect()
	w.expectOp(7)
	p.Gateway.AskResume()
	w.expectOp(9)
	p.Gateway.SendRaw(json.RawMessage(`{"op":99,"d":{"what":1}}`))
	w.expectOp(99)
	p.Events.Dispatch(p.bot.User, "WEAVING_STARTED", map[string]any{"id": "1"})
	w.expect("WEAVING_STARTED")
}

func TestASilentSocketSaysNothingMore(t *testing.T) {
	p := newPlace(t, free())
	w, session := p.identified(t, intents)
	p.Gateway.Silence()
	w.write(1, nil)
	p.say(t, "unheard")
	again := p.connect(t, "v=10")
	again.expectOp(10)
	again.resume(p.bot.Token, session, 2)
	if got := again.text(); got != "unheard" {
		t.Errorf("got %q, want %q", got, "unheard")
	}
	if got, err := w.read(); err == nil {
		t.Errorf("the silent socket said %+v, want nothing", got)
	}
}

func TestEventsCanBeDoubledDroppedSwappedAndHeld(t *testing.T) {
	p := newPlace(t, free())
	w, _ := p.identified(t, intents)
	say := func(texts ...string) {
		for _, text := range texts {
			p.say(t, text)
		}
	}
	expect := func(texts ...string) {
		t.Helper()
		for _, want := range texts {
			if got := w.text(); got != want {
				t.Fatalf("got %q, want %q", got, want)
			}
		}
	}
	remove := p.Events.Intercept(discordtest.Doubled("MESSAGE_CREATE"))
	say("a")
	remove()
	expect("a", "a")
	remove = p.Events.Intercept(discordtest.Dropped("MESSAGE_CREATE"))
	say("b")
	remove()
	say("c")
	expect("c")
	remove = p.Events.Intercept(discordtest.Swapped("MESSAGE_CREATE"))
	say("d", "e")
	remove()
	expect("e", "d")
	release := p.Events.Hold()
	say("f")
	p.Events.Dispatch(p.bot.User, "NOTHING", nil) // held too, behind the message
	release()
	expect("f")
	w.expect("NOTHING")
}

func TestEmbedUpdatesKeepTheEditTime(t *testing.T) {
	p := newPlace(t, free())
	w, _ := p.identified(t, intents)
	id := p.say(t, "https://example.com")
	w.expect("MESSAGE_CREATE")
	if err := p.Chat.SetEmbeds(p.channel, id, json.RawMessage(`[{"title":"Example"}]`)); err != nil {
		t.Fatal(err)
	}
	var m struct {
		Content string           `json:"content"`
		Edited  *string          `json:"edited_timestamp"`
		Embeds  []map[string]any `json:"embeds"`
	}
	w.decode(w.expect("MESSAGE_UPDATE"), &m)
	if m.Content != "https://example.com" || m.Edited != nil || len(m.Embeds) != 1 {
		t.Errorf("got %+v, want Content %q, Edited nil and one in Embeds", m, "https://example.com")
	}
}

func TestTheNonceComesBackWithTheEventAndNotWithTheHistory(t *testing.T) {
	p := newPlace(t, free())
	w, _ := p.identified(t, intents)
	p.created(t, `{"content":"x","nonce":12345}`)
	var m struct{ Nonce json.RawMessage }
	w.decode(w.expect("MESSAGE_CREATE"), &m)
	if string(m.Nonce) != "12345" {
		t.Errorf("the event has the nonce %s, want 12345", m.Nonce)
	}
	if a := p.do(t, "GET", p.messages(), ""); bytes.Contains(a.body, []byte("nonce")) {
		t.Errorf("the history is %s, want no nonce in it", a.body)
	}
}

// TestPagesOfOtherSitesCannotConnect opens websockets as a browser does for a page.
func TestPagesOfOtherSitesCannotConnect(t *testing.T) {
	t.Parallel()
	p := newPlace(t, discordtest.Options{})
	for origin, allowed := range map[string]bool{"": true, "https://evil.example": false, "null": false} {
		header := http.Header{}
		if origin != "" {
			header.Set("Origin", origin)
		}
		conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), p.GatewayURL(), header)
		if (err == nil) != allowed {
			t.Errorf("a page of %q connects with the error %v, want it to be let in: %t", origin, err, allowed)
		}
		if conn != nil {
			_ = conn.Close()
		}
		if resp != nil {
			_ = resp.Body.Close()
		}
	}
}

func TestTokensCannotBeGuessed(t *testing.T) {
	t.Parallel()
	first, second := newPlace(t, discordtest.Options{}).bot, newPlace(t, discordtest.Options{}).bot
	secret := func(b discordtest.Bot) string { return strings.ReplaceAll(b.Token, b.User.String(), "") }
	if secret(first) == secret(second) {
		t.Errorf("the first token is %q, want two bots' tokens to differ in more than their ids", first.Token)
	}
}
