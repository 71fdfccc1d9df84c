package discordtest_test

import (
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
)

// noon returns a clock that stands still.
func noon() *discordtest.Clock {
	return discordtest.NewClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
}

func TestTheZeroClockRunsAndCanBeMoved(t *testing.T) {
	var c discordtest.Clock
	before := time.Now()
	c.Advance(time.Hour)
	if got := c.Now(); got.Before(before.Add(time.Hour)) || got.After(time.Now().Add(time.Hour)) {
		t.Errorf("the clock shows %v, want an hour after %v", got, before)
	}
}

func TestAMovedClockEndsTheLifeOfANonce(t *testing.T) {
	clock := noon()
	p := newPlace(t, discordtest.Options{Limits: discordtest.NoLimits(), Clock: clock.Now})
	const body = `{"content":"x","nonce":"1","enforce_nonce":true}`
	first := p.created(t, body)
	clock.Advance(4 * time.Minute)
	if again := p.created(t, body); again.ID != first.ID {
		t.Errorf("after 4 minutes the nonce made %s beside %s, want the same message", again.ID, first.ID)
	}
	clock.Advance(2 * time.Minute)
	if again := p.created(t, body); again.ID == first.ID {
		t.Error("after 6 minutes the nonce still stands for the first message")
	}
}

func TestAnEditIsRefusedInMidAnswer(t *testing.T) {
	p := newPlace(t, free())
	m := p.created(t, `{"content":"half"}`)
	path := p.messages() + "/" + m.ID.String()
	edit := discordtest.On(discordtest.RouteEditMessage)
	for _, c := range []struct{ status, code int }{{403, 50001}, {404, 10008}, {405, 0}} {
		p.Faults.Inject(discordtest.Refused(edit, c.status, c.code, "no"))
		a := p.do(t, http.MethodPatch, path, `{"content":"whole"}`)
		if code, _ := a.code(t); a.status != c.status || code != c.code {
			t.Errorf("got %d %s, want %d with code %d", a.status, a.body, c.status, c.code)
		}
	}
	if a := p.do(t, http.MethodPatch, path, `{"content":"whole"}`); a.status != http.StatusOK {
		t.Errorf("the edit after the faults got %d, want %d", a.status, http.StatusOK)
	}
}

func TestA429HasTheScopeAndLengthAskedFor(t *testing.T) {
	p := newPlace(t, free())
	for _, scope := range []discordtest.Scope{discordtest.ScopeUser, discordtest.ScopeGlobal, discordtest.ScopeShared} {
		p.Faults.Inject(discordtest.TooMany(nil, scope, 40*time.Second))
		a := p.create(t, `{"content":"x"}`)
		var wire struct {
			After  float64 `json:"retry_after"`
			Global bool    `json:"global"`
		}
		a.decode(t, &wire)
		if a.header.Get("X-RateLimit-Scope") != string(scope) || wire.After != 40 || wire.Global != (scope == discordtest.ScopeGlobal) {
			t.Errorf("scope %[1]s: the headers are %[2]v and the body %[3]s, want the scope %[1]s and a wait of 40 s", scope, a.header, a.body)
		}
	}
}

func TestABadTokenIsRefusedInOtherWays(t *testing.T) {
	p := newPlace(t, free())
	p.Faults.Inject(discordtest.Fault{Times: -1, Match: discordtest.BadTokens, Status: http.StatusBadRequest, Body: `{"code":40001}`})
	p.Gateway.InjectHandshake(discordtest.HandshakeFault{BadToken: true, Close: 4000, Times: -1})
	good := p.bot.Token
	p.bot.Token = "wrong"
	if a := p.do(t, http.MethodGet, "/users/@me", ""); a.status != http.StatusBadRequest {
		t.Errorf("REST answered %d, want %d", a.status, http.StatusBadRequest)
	}
	w := p.connect(t, "v=10")
	w.expectOp(10)
	w.identify("wrong", intents)
	w.expectClose(4000)
	p.bot.Token = good
	if a := p.do(t, http.MethodGet, "/users/@me", ""); a.status != http.StatusOK {
		t.Errorf("with the right token REST answered %d, want %d", a.status, http.StatusOK)
	}
	p.identified(t, intents)
}

func TestHeartbeatsGoUnansweredWhileEventsGoOut(t *testing.T) {
	p := newPlace(t, free())
	w, _ := p.identified(t, intents)
	again := p.Gateway.IgnoreHeartbeats()
	w.write(1, nil)
	w.write(8, map[string]any{"guild_id": p.guild.String()}) // answered after the heartbeat was read
	w.expect("GUILD_MEMBERS_CHUNK")
	again()
	w.write(1, nil)
	w.expectOp(11)
}

func TestResumesAreIgnoredAndCounted(t *testing.T) {
	p := newPlace(t, free())
	_, session := p.identified(t, intents)
	p.Gateway.InjectHandshake(discordtest.HandshakeFault{Resume: true, Times: -1})
	w := p.connect(t, "v=10")
	w.expectOp(10)
	w.resume(p.bot.Token, session, 2)
	w.write(1, nil)
	w.expectOp(11) // and nothing before it
	handshakes := p.Gateway.Handshakes()
	if len(handshakes) != 2 || handshakes[0].Resume || handshakes[0].Shard != [2]int{0, 1} || !handshakes[1].Resume || handshakes[1].Bot != p.bot.User {
		t.Errorf("recorded %+v, want 2 of them, Resume false of the first, Shard %v of the first, Resume true of the second and Bot %v of the second", handshakes, [2]int{0, 1}, p.bot.User)
	}
}

func TestASessionThatWasAwayTooLongIsInvalid(t *testing.T) {
	clock := noon()
	p := newPlace(t, discordtest.Options{Limits: discordtest.NoLimits(), Clock: clock.Now, ResumeWithin: time.Minute})
	w, session := p.identified(t, intents)
	for _, c := range []struct {
		away time.Duration
		op   int
	}{{time.Minute, 0}, {time.Minute + time.Second, 9}} {
		p.Gateway.CloseSockets(4000)
		w.expectClose(4000)
		if err := p.Gateway.Await(within(t), func(g discordtest.GatewayState) bool { return g.Sockets == 0 }); err != nil {
			t.Fatal(err)
		}
		clock.Advance(c.away)
		w = p.connect(t, "v=10")
		w.expectOp(10)
		w.resume(p.bot.Token, session, 2)
		if got := w.next(); got.Op != c.op {
			t.Errorf("after %v: op %d %s, want op %d", c.away, got.Op, got.Name, c.op)
		}
	}
}

func TestTheCDNCanHaveAHostOfItsOwn(t *testing.T) {
	p := newPlace(t, discordtest.Options{Limits: discordtest.NoLimits(), CDNAddr: "127.0.0.2:0"})
	m := p.post(t, discordtest.Draft{Attachments: []discordtest.Attachment{{Name: "a.txt", Data: []byte("woven")}}})
	var wire struct {
		Attachments []struct{ URL string }
	}
	p.do(t, http.MethodGet, p.messages()+"/"+m.String(), "").decode(t, &wire)
	at, err := url.Parse(wire.Attachments[0].URL)
	if err != nil || at.Hostname() != "127.0.0.2" || strings.Contains(p.URL(), at.Hostname()) {
		t.Fatalf("the file is at %v, and the API at %s, want the file on 127.0.0.2 and the API elsewhere", at, p.URL())
	}
	req, err := http.NewRequestWithContext(within(t), http.MethodGet, at.String(), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("the file was answered with %d, want %d", res.StatusCode, http.StatusOK)
	}
}

func TestAServerRecommendsShards(t *testing.T) {
	p := newPlace(t, discordtest.Options{Shards: 64, MaxConcurrency: 16})
	var wire struct {
		Shards int
		Limit  struct {
			Concurrency int `json:"max_concurrency"`
		} `json:"session_start_limit"`
	}
	p.do(t, http.MethodGet, "/gateway/bot", "").decode(t, &wire)
	if wire.Shards != 64 || wire.Limit.Concurrency != 16 {
		t.Errorf("got %+v, want Shards 64 and Limit.Concurrency 16", wire)
	}
}

func TestAThreadCanHaveAnIdOfItsOwn(t *testing.T) {
	p := newPlace(t, free())
	starter := p.say(t, "let us talk")
	draft := discordtest.ThreadDraft{Name: "talk", Starter: starter, OwnID: true}
	thread, err := p.World.AddThread(p.channel, p.ann, draft)
	if err != nil || thread == graph.ChannelID(starter) {
		t.Fatalf("thread %s from %s, %v, want not %s and no error", thread, starter, err, graph.ChannelID(starter))
	}
	if m, _ := p.Chat.Message(p.channel, starter); m.More.Thread != thread {
		t.Errorf("the starter has thread %s, want %s", m.More.Thread, thread)
	}
	if first := p.Chat.Messages(thread)[0]; first.Reference.Message != starter {
		t.Errorf("the thread begins with %+v, want Reference.Message %v", first, starter)
	}
	if _, err := p.World.AddThread(p.channel, p.ann, draft); err == nil {
		t.Error("a second thread was started from the message, want an error")
	}
}

func TestAgeRestrictionIsShownOnChannelsAndTheirThreads(t *testing.T) {
	p := newPlace(t, free())
	channel := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "late", AgeRestricted: true})
	thread, err := p.World.AddThread(channel, p.ann, discordtest.ThreadDraft{Name: "later"})
	if err != nil {
		t.Fatal(err)
	}
	nsfw := func(id graph.ChannelID) bool {
		var wire struct{ NSFW bool }
		p.do(t, http.MethodGet, "/channels/"+id.String(), "").decode(t, &wire)
		return wire.NSFW
	}
	if !nsfw(channel) || !nsfw(thread) || nsfw(p.channel) {
		t.Errorf("age-restricted are: the channel %t, its thread %t, another channel %t, want true, true and false", nsfw(channel), nsfw(thread), nsfw(p.channel))
	}
	p.World.SetAgeRestricted(channel, false)
	if nsfw(thread) {
		t.Error("the thread is still restricted, want it open as its channel is")
	}
}

func TestWhatIsSaidInAVoiceChannelNeedsConnect(t *testing.T) {
	p := newPlace(t, free())
	voice := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "voice", Kind: discordtest.Voice})
	path := "/channels/" + voice.String() + "/messages"
	if a := p.do(t, http.MethodGet, path, ""); a.status != http.StatusOK {
		t.Fatalf("with Connect the list got %d, want %d", a.status, http.StatusOK)
	}
	p.World.SetOverwrites(voice, discordtest.Overwrite{Member: p.bot.User, Deny: discordtest.Connect})
	w, _ := p.identified(t, intents)
	if a := p.do(t, http.MethodGet, path, ""); a.status != http.StatusForbidden {
		t.Errorf("without Connect the list got %d, want %d", a.status, http.StatusForbidden)
	}
	if a := p.do(t, http.MethodPost, path, `{"content":"x"}`); a.status != http.StatusForbidden {
		t.Errorf("without Connect the create got %d, want %d", a.status, http.StatusForbidden)
	}
	if a := p.do(t, http.MethodGet, "/channels/"+voice.String(), ""); a.status != http.StatusOK {
		t.Errorf("the channel itself got %d, want %d", a.status, http.StatusOK)
	}
	if _, err := p.Chat.Post(voice, p.ann, discordtest.Draft{Content: "unheard"}); err != nil {
		t.Fatal(err)
	}
	p.say(t, "heard")
	if got := w.text(); got != "heard" {
		t.Errorf("heard %q, want %q", got, "heard")
	}
}

func TestATimeoutLeavesReading(t *testing.T) {
	clock := noon()
	p := newPlace(t, discordtest.Options{Limits: discordtest.NoLimits(), Clock: clock.Now})
	p.People.Timeout(p.guild, p.bot.User, clock.Now().Add(time.Hour))
	if a := p.create(t, `{"content":"x"}`); a.status != http.StatusForbidden {
		t.Errorf("the create got %d, want %d", a.status, http.StatusForbidden)
	}
	if a := p.do(t, http.MethodGet, p.messages(), ""); a.status != http.StatusOK {
		t.Errorf("the list got %d, want %d", a.status, http.StatusOK)
	}
	var member struct {
		Until string `json:"communication_disabled_until"`
	}
	p.do(t, http.MethodGet, "/guilds/"+p.guild.String()+"/members/"+p.bot.User.String(), "").decode(t, &member)
	if !strings.HasPrefix(member.Until, "2026-03-01T13:00:00") {
		t.Errorf("the timeout ends at %q, want %q at its start", member.Until, "2026-03-01T13:00:00")
	}
	clock.Advance(time.Hour)
	if a := p.create(t, `{"content":"x"}`); a.status != http.StatusOK {
		t.Errorf("after the timeout the create got %d, want %d", a.status, http.StatusOK)
	}
}

func TestPayloadsSpeakOtherDialects(t *testing.T) {
	p := newPlace(t, free())
	first := p.say(t, "first")
	w, _ := p.identified(t, intents)
	remove := p.Payloads.Change(nil, discordtest.PlainReplies())
	p.Payloads.Change(nil, discordtest.WithoutMentions())
	p.Payloads.Change(discordtest.OnEvents("MESSAGE_UPDATE"), discordtest.NullNames())
	reply := p.post(t, discordtest.Draft{Content: "<@" + p.bot.User.String() + "> second", ReplyTo: first})
	check := func(where string, data json.RawMessage) {
		t.Helper()
		var m struct {
			Type       int             `json:"type"`
			Reference  map[string]any  `json:"message_reference"`
			Referenced json.RawMessage `json:"referenced_message"`
			Mentions   json.RawMessage `json:"mentions"`
			Author     struct {
				Username *string `json:"username"`
			} `json:"author"`
		}
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatal(err)
		}
		if m.Type != 0 || m.Reference["message_id"] != first.String() || m.Referenced != nil || m.Mentions != nil || m.Author.Username == nil {
			t.Errorf("%s shows %s, want a reply to a message that cannot be shown", where, data)
		}
	}
	check("the event", w.expect("MESSAGE_CREATE").Data)
	check("REST", p.do(t, http.MethodGet, p.messages()+"/"+reply.String(), "").body)
	remove()
	if err := p.Chat.Edit(p.channel, reply, "third"); err != nil {
		t.Fatal(err)
	}
	var m struct {
		Type   int
		Author struct{ Username *string }
	}
	w.decode(w.expect("MESSAGE_UPDATE"), &m)
	if m.Type != discordtest.TypeReply || m.Author.Username != nil {
		t.Errorf("the update shows %+v, want Type %v and Author.Username nil", m, discordtest.TypeReply)
	}
}

func TestListsOfAGuildEventsAndFramesCanBeNull(t *testing.T) {
	p := newPlace(t, free())
	p.Payloads.Change(discordtest.OnEvents("GUILD_CREATE"), discordtest.Null("channels", "threads", "members"))
	w := p.connect(t, "v=10")
	w.expectOp(10)
	w.identify(p.bot.Token, intents)
	w.expect("READY")
	var guild map[string]json.RawMessage
	w.decode(w.expect("GUILD_CREATE"), &guild)
	for _, name := range []string{"channels", "threads", "members"} {
		if string(guild[name]) != "null" {
			t.Errorf("%s is %s, want null", name, guild[name])
		}
	}
	p.Events.Dispatch(p.bot.User, "MESSAGE_CREATE", nil)
	if got := w.expect("MESSAGE_CREATE"); string(got.Data) != "null" && got.Data != nil {
		t.Errorf("the event carries %s, want null", got.Data)
	}
	p.Gateway.SendRaw(json.RawMessage("null"))
	if got := w.next(); got.Op != 0 || got.Name != "" {
		t.Errorf("the frame is %+v, want Op 0 and Name \"\"", got)
	}
}

func TestMangledPayloadsAreTheSameForASeed(t *testing.T) {
	texts := func(seed uint64) []string {
		p := newPlace(t, discordtest.Options{Limits: discordtest.NoLimits(), Clock: noon().Now})
		p.Payloads.Change(discordtest.OnEvents("MANGLED"), discordtest.Mangled(seed, 2))
		w, _ := p.identified(t, intents)
		var all []string
		for range 20 {
			p.Events.Dispatch(p.bot.User, "MANGLED", map[string]any{"a": 1, "b": []any{map[string]any{"c": "d"}}})
			all = append(all, string(w.expect("MANGLED").Data))
		}
		return all
	}
	one := texts(1)
	if !slices.Equal(one, texts(1)) {
		t.Error("the same seed damaged payloads differently")
	}
	if distinct := len(slices.Compact(slices.Sorted(slices.Values(one)))); distinct < 5 {
		t.Errorf("%d different payloads of 20, want at least 5", distinct)
	}
}

func TestEveryPartOfTheServerEndsWithIt(t *testing.T) {
	s := discordtest.New(discordtest.Options{CDNAddr: "127.0.0.2:0"})
	s.Close()
	for _, address := range []string{s.URL(), s.CDN()} {
		at, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if conn, err := new(net.Dialer).DialContext(within(t), "tcp", at.Host); err == nil {
			_ = conn.Close()
			t.Errorf("%s still listens after the server was closed, want it to refuse", at.Host)
		}
	}
}
