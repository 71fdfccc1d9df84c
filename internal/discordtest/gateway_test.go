package discordtest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

func TestWrongIdentifiesCloseWithDiscordsCodes(t *testing.T) {
	for name, c := range map[string]struct {
		op   int
		body any
		code int
	}{
		"wrong token":      {2, map[string]any{"token": "x", "intents": 1}, 4004},
		"denied intents":   {2, map[string]any{"token": "", "intents": intents}, 4014},
		"unknown intents":  {2, map[string]any{"token": "", "intents": 1 << 40}, 4013},
		"shard out of two": {2, map[string]any{"token": "", "intents": 1, "shard": []int{2, 2}}, 4010},
		"unknown op":       {42, nil, 4001},
		"malformed":        {2, "text", 4002},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, free())
			p.People.DenyMessageContent(p.bot.User)
			if body, ok := c.body.(map[string]any); ok && body["token"] == "" {
				body["token"] = p.bot.Token
			}
			w := p.connect(t, "v=10")
			w.expectOp(10)
			w.write(c.op, c.body)
			w.expectClose(c.code)
		})
	}
}

// TestOtherVersionsAreRefused has a client ask for other versions than 10: Discord still
// serves 9, but answers so for what it serves no more.
func TestOtherVersionsAreRefused(t *testing.T) {
	p := newPlace(t, free())
	for _, version := range []string{"5", "9", "11", ""} {
		p.connect(t, "v="+version).expectClose(4012)
	}
	for path, want := range map[string]int{"/v10/users/@me": http.StatusOK, "/v9/users/@me": http.StatusBadRequest, "/users/@me": http.StatusBadRequest} {
		req := errtest.Must(http.NewRequestWithContext(within(t), http.MethodGet, p.URL()+path, nil))(t)
		req.Header.Set("Authorization", "Bot "+p.bot.Token)
		res, err := http.DefaultClient.Do(req)
		errtest.None(t, err)
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s answered %d, want %d", path, res.StatusCode, want)
		}
	}
}

func TestWithoutTheIntentContentIsBlankUnlessItConcernsTheBot(t *testing.T) {
	p := newPlace(t, free())
	w := p.identified(t, intents&^discordtest.IntentMessageContent)
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
	errtest.Must(p.Chat.Post(p.World.OpenDM(p.ann, p.bot.User), p.ann, discordtest.Draft{Content: "direct"}))(t)
	if got := w.text(); got != "direct" {
		t.Errorf("a direct message: %q, want %q", got, "direct")
	}
}

func TestEventsNeedTheirIntentAndTheChannelsSight(t *testing.T) {
	p := newPlace(t, free())
	hidden := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "hidden", Private: true})
	w := p.identified(t, discordtest.IntentGuilds|discordtest.IntentGuildMessages)
	errtest.Must(p.Chat.Post(hidden, p.ann, discordtest.Draft{Content: "x"}))(t)
	errtest.Must(p.Chat.Post(p.World.OpenDM(p.ann, p.bot.User), p.ann, discordtest.Draft{Content: "x"}))(t)
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

// TestPagesOfOtherSitesCannotConnect opens websockets as a browser does for a page.
func TestPagesOfOtherSitesCannotConnect(t *testing.T) {
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
	first, second := newPlace(t, discordtest.Options{}).bot, newPlace(t, discordtest.Options{}).bot
	secret := func(b discordtest.Bot) string { return strings.ReplaceAll(b.Token, b.User.String(), "") }
	if secret(first) == secret(second) {
		t.Errorf("the first token is %q, want two bots' tokens to differ in more than their ids", first.Token)
	}
}
