package discordtest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

// answer is an answer to a plain HTTP client.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) decode(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal(a.body, v); err != nil {
		t.Fatalf("the body is no JSON that fits: %v in %s", err, a.body)
	}
}

// code returns Discord's code of an error, and the first code of its fields.
func (a answer) code(t *testing.T) (int, string) {
	t.Helper()
	var wire struct {
		Code   int `json:"code"`
		Errors map[string]struct {
			Errors []struct {
				Code string `json:"code"`
			} `json:"_errors"`
		} `json:"errors"`
	}
	a.decode(t, &wire)
	for _, field := range wire.Errors {
		return wire.Code, field.Errors[0].Code
	}
	return wire.Code, ""
}

func (p *place) do(t *testing.T, method, path, body string) answer {
	t.Helper()
	return errtest.Must(p.try(t, method, path, body))(t)
}

func (p *place) try(t *testing.T, method, path, body string) (answer, error) {
	t.Helper()
	req := errtest.Must(http.NewRequestWithContext(within(t), method, p.URL()+"/v10"+path, strings.NewReader(body)))(t)
	req.Header.Set("Authorization", "Bot "+p.bot.Token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	read, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, read}, err
}

func (p *place) messages() string { return "/channels/" + p.channel.String() + "/messages" }

func (p *place) create(t *testing.T, body string) answer {
	t.Helper()
	return p.do(t, http.MethodPost, p.messages(), body)
}

func (p *place) created(t *testing.T, body string) discordtest.Message {
	t.Helper()
	a := p.create(t, body)
	if a.status != http.StatusOK {
		t.Fatalf("create answered %d %s, want %d", a.status, a.body, http.StatusOK)
	}
	var wire struct {
		ID graph.MessageID `json:"id"`
	}
	a.decode(t, &wire)
	m, ok := p.Chat.Message(p.channel, wire.ID)
	if !ok {
		t.Fatal("what was created is not there")
	}
	return m
}

// free returns the options of a server without rate limits that waits for answers to a
// press.
func free() discordtest.Options {
	return discordtest.Options{Limits: discordtest.NoLimits(), AnswerWithin: discordtest.Patience}
}

func TestAMessageListIsOrderedAndBoundedAsOnDiscord(t *testing.T) {
	p := newPlace(t, free())
	var ids []graph.MessageID
	var between graph.MessageID
	for text := range strings.SplitSeq("abcdefghij", "") {
		if text == "e" {
			between = p.say(t, "gone")
			p.Chat.Delete(p.channel, between)
		}
		ids = append(ids, p.say(t, text))
	}
	for name, c := range map[string]struct{ query, want string }{
		"newest first":                       {"", "jihgfedcba"},
		"limit takes the newest":             {"?limit=3", "jih"},
		"before leaves its message out":      {"?limit=3&before=" + ids[5].String(), "edc"},
		"before the first there is nothing":  {"?before=" + ids[0].String(), ""},
		"before need not exist":              {"?limit=2&before=" + between.String(), "dc"},
		"after takes the nearest":            {"?limit=3&after=" + ids[2].String(), "fed"},
		"after zero is the channel's start":  {"?limit=2&after=0", "ba"},
		"after the last there is nothing":    {"?after=" + ids[9].String(), ""},
		"around has its message":             {"?limit=4&around=" + ids[4].String(), "gfedc"},
		"around of an odd limit":             {"?limit=5&around=" + ids[4].String(), "gfedc"},
		"around at the end is not filled up": {"?limit=4&around=" + ids[9].String(), "jih"},
		"around a message that is gone":      {"?limit=4&around=" + between.String(), "fedc"},
	} {
		t.Run(name, func(t *testing.T) {
			var page []struct {
				Content string        `json:"content"`
				Guild   graph.GuildID `json:"guild_id"` // which REST does not tell
			}
			p.do(t, http.MethodGet, p.messages()+c.query, "").decode(t, &page)
			var all strings.Builder
			for _, m := range page {
				all.WriteString(m.Content)
				if m.Guild != 0 {
					t.Errorf("%q is told with its guild %s, want it left out", m.Content, m.Guild)
				}
			}
			if got := all.String(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestWrongRequestsGetDiscordsErrors(t *testing.T) {
	p := newPlace(t, free())
	theirs := p.say(t, "mine").String()
	hidden := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "hidden", Private: true}).String()
	quiet := p.World.AddChannel(p.guild, discordtest.ChannelDraft{
		Name:       "quiet",
		Overwrites: []discordtest.Overwrite{{Member: p.bot.User, Deny: discordtest.SendMessages}},
	}).String()
	long := strings.Repeat("ü", 2001)
	post, get := http.MethodPost, http.MethodGet
	for name, c := range map[string]struct {
		method, path, body string
		status, code       int
		field              string
	}{
		"unknown channel":    {get, "/channels/7/messages", "", 404, 10003, ""},
		"unknown message":    {get, p.messages() + "/7", "", 404, 10008, ""},
		"hidden channel":     {get, "/channels/" + hidden, "", 403, 50001, ""},
		"muted channel":      {post, "/channels/" + quiet + "/messages", `{"content":"x"}`, 403, 50013, ""},
		"empty message":      {post, p.messages(), `{"content":" \n"}`, 400, 50006, ""},
		"2001 characters":    {post, p.messages(), `{"content":"` + long + `"}`, 400, 50035, "BASE_TYPE_MAX_LENGTH"},
		"broken JSON":        {post, p.messages(), `{"content":`, 400, 50109, ""},
		"reply to nothing":   {post, p.messages(), `{"content":"x","message_reference":{"message_id":"7"}}`, 400, 50035, "REPLIES_UNKNOWN_MESSAGE"},
		"another's message":  {http.MethodPatch, p.messages() + "/" + theirs, `{"content":"x"}`, 403, 50005, ""},
		"another's deletion": {http.MethodDelete, p.messages() + "/" + theirs, "", 403, 50013, ""},
		"limit of 101":       {get, p.messages() + "?limit=101", "", 400, 50035, "NUMBER_TYPE_MAX"},
		"unknown route":      {get, "/nowhere", "", 404, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := p.do(t, c.method, c.path, c.body)
			code, field := a.code(t)
			if a.status != c.status || code != c.code || field != c.field {
				t.Errorf("got %d %s, want %d with code %d and field %q", a.status, a.body, c.status, c.code, c.field)
			}
		})
	}
	if n := len(p.Chat.Messages(p.channel)); n != 1 {
		t.Errorf("the channel holds %d messages, want the one", n)
	}
}

func TestAnEnforcedNonceMakesOneMessage(t *testing.T) {
	clock := noon()
	p := newPlace(t, discordtest.Options{Limits: discordtest.NoLimits(), Clock: clock.Now})
	const body = `{"content":"once","nonce":"n1","enforce_nonce":true}`
	first, second := p.created(t, body), p.created(t, body)
	if first.ID != second.ID || len(p.Chat.Messages(p.channel)) != 1 {
		t.Errorf("an enforced nonce made messages %s and %s, want one message", first.ID, second.ID)
	}
	if third := p.created(t, `{"content":"once","nonce":"n1"}`); third.ID == first.ID {
		t.Error("a nonce that is not enforced must not hold a message back")
	}
	clock.Advance(6 * time.Minute)
	if late := p.created(t, body); late.ID == first.ID {
		t.Error("after 6 minutes the nonce still stands for the first message")
	}
	again := `{"content":"gone","nonce":"n3","enforce_nonce":true}`
	p.Chat.Delete(p.channel, p.created(t, again).ID)
	if code, _ := p.create(t, again).code(t); code != 10008 {
		t.Errorf("a nonce whose message was deleted gave %d, want 10008", code)
	}
}

func TestAddressesOfFilesAreSignedAnewAndExpire(t *testing.T) {
	clock := noon()
	p := newPlace(t, discordtest.Options{Limits: discordtest.NoLimits(), Clock: clock.Now})
	id := p.post(t, discordtest.Draft{Content: "see", Attachments: []discordtest.Attachment{{Name: "weave.png", Data: []byte("pixels")}}})
	address := func() string {
		var wire struct {
			Attachments []struct {
				URL string `json:"url"`
			} `json:"attachments"`
		}
		p.do(t, http.MethodGet, p.messages()+"/"+id.String(), "").decode(t, &wire)
		return wire.Attachments[0].URL
	}
	first := address()
	second := address()
	if second == first {
		t.Error("the address must be signed anew")
	}
	if status, body := fetch(t, second); status != http.StatusOK || body != "pixels" {
		t.Errorf("the file reads %d %q, want %d and %q", status, body, http.StatusOK, "pixels")
	}
	if status, _ := fetch(t, strings.Split(second, "?")[0]); status != http.StatusNotFound {
		t.Error("an address that is not signed works")
	}
	clock.Advance(25 * time.Hour)
	if status, _ := fetch(t, second); status != http.StatusNotFound {
		t.Error("an address of yesterday still works")
	}
}

func fetch(t *testing.T, address string) (int, string) {
	t.Helper()
	req := errtest.Must(http.NewRequestWithContext(within(t), http.MethodGet, address, nil))(t)
	res, err := http.DefaultClient.Do(req)
	errtest.None(t, err)
	defer res.Body.Close()
	body := errtest.Must(io.ReadAll(res.Body))(t)
	return res.StatusCode, string(body)
}

func TestTheSixthSendInFiveSecondsIsRefused(t *testing.T) {
	clock := noon()
	p := newPlace(t, discordtest.Options{Clock: clock.Now})
	for n := range 5 {
		a := p.create(t, `{"content":"x"}`)
		if want := string(rune('4' - n)); a.status != http.StatusOK || a.header.Get("X-RateLimit-Remaining") != want {
			t.Fatalf("send %d: %d, remaining %q, want %d and %q", n, a.status, a.header.Get("X-RateLimit-Remaining"), http.StatusOK, want)
		}
	}
	clock.Advance(1500 * time.Millisecond)
	a := p.create(t, `{"content":"x"}`)
	var wire struct {
		RetryAfter float64 `json:"retry_after"`
		Global     bool    `json:"global"`
	}
	a.decode(t, &wire)
	if a.status != http.StatusTooManyRequests || wire.RetryAfter != 3.5 || wire.Global {
		t.Fatalf("got %d %s, want 429 with a wait of 3.5 s that is not global", a.status, a.body)
	}
	for name, want := range map[string]string{
		"X-RateLimit-Limit": "5", "X-RateLimit-Reset-After": "3.500", "X-RateLimit-Scope": "user", "Retry-After": "4",
	} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	other := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "other"})
	if a := p.do(t, http.MethodPost, "/channels/"+other.String()+"/messages", `{"content":"x"}`); a.status != http.StatusOK {
		t.Errorf("another channel's bucket answered %d, want %d", a.status, http.StatusOK)
	}
	clock.Advance(4 * time.Second)
	if a := p.create(t, `{"content":"x"}`); a.status != http.StatusOK {
		t.Errorf("after the window: %d, want %d", a.status, http.StatusOK)
	}
}

func TestTheGlobalLimitCountsEveryRoute(t *testing.T) {
	clock := noon()
	p := newPlace(t, discordtest.Options{Clock: clock.Now, Limits: &discordtest.Limits{Global: 2}})
	p.do(t, http.MethodGet, "/users/@me", "")
	p.do(t, http.MethodGet, "/users/@me/guilds", "")
	a := p.do(t, http.MethodGet, "/users/@me", "")
	if a.status != http.StatusTooManyRequests || a.header.Get("X-RateLimit-Global") != "true" || a.header.Get("X-RateLimit-Scope") != "global" {
		t.Errorf("got %d %v, want 429 of the global limit", a.status, a.header)
	}
}
