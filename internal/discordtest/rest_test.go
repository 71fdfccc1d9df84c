package discordtest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
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
	return p.send(t, method, path, "application/json", strings.NewReader(body))
}

func (p *place) send(t *testing.T, method, path, contentType string, body io.Reader) answer {
	t.Helper()
	a, err := p.try(t, method, path, contentType, body)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (p *place) try(t *testing.T, method, path, contentType string, body io.Reader) (answer, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(within(t), method, p.URL()+"/v10"+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bot "+p.bot.Token)
	req.Header.Set("Content-Type", contentType)
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
				Content string `json:"content"`
			}
			p.do(t, http.MethodGet, p.messages()+c.query, "").decode(t, &page)
			var all strings.Builder
			for _, m := range page {
				all.WriteString(m.Content)
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
		"forward of nothing": {post, p.messages(), `{"message_reference":{"type":1,"channel_id":"7","message_id":"7"}}`, 400, 160014, ""},
		"long nonce":         {post, p.messages(), `{"content":"x","nonce":"` + strings.Repeat("n", 26) + `"}`, 400, 50035, "BASE_TYPE_MAX_LENGTH"},
		"parse of null":      {post, p.messages(), `{"content":"x","allowed_mentions":{"parse":null}}`, 400, 50035, "LIST_TYPE_CONVERT"},
		"parse and list":     {post, p.messages(), `{"content":"x","allowed_mentions":{"parse":["users"],"users":["1"]}}`, 400, 50035, "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE"},
		"eleven embeds":      {post, p.messages(), `{"embeds":[` + strings.Repeat(`{"title":"x"},`, 10) + `{}]}`, 400, 50035, "BASE_TYPE_MAX_LENGTH"},
		"text in V2":         {post, p.messages(), `{"content":"x","flags":32768,"components":[{"type":10,"content":"x"}]}`, 400, 50035, "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"},
		"long V2":            {post, p.messages(), `{"flags":32768,"components":[{"type":10,"content":"` + long + long + `"}]}`, 400, 50035, "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED"},
		"another's message":  {http.MethodPatch, p.messages() + "/" + theirs, `{"content":"x"}`, 403, 50005, ""},
		"another's deletion": {http.MethodDelete, p.messages() + "/" + theirs, "", 403, 50013, ""},
		"limit of 101":       {get, p.messages() + "?limit=101", "", 400, 50035, "NUMBER_TYPE_MAX"},
		"two cursors":        {get, p.messages() + "?before=1&after=1", "", 400, 50035, "MUTUALLY_EXCLUSIVE"},
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

func TestAWrongTokenIsUnauthorized(t *testing.T) {
	p := newPlace(t, free())
	p.bot.Token = "wrong"
	if a := p.do(t, http.MethodGet, "/users/@me", ""); a.status != http.StatusUnauthorized {
		t.Errorf("got %d %s, want %d", a.status, a.body, http.StatusUnauthorized)
	}
}

func TestExactly2000CodePointsAreSent(t *testing.T) {
	p := newPlace(t, free())
	p.created(t, `{"content":"`+strings.Repeat("🧵", 2000)+`"}`)
}

func TestAnEnforcedNonceMakesOneMessage(t *testing.T) {
	p := newPlace(t, free())
	const body = `{"content":"once","nonce":"n1","enforce_nonce":true}`
	first, second := p.created(t, body), p.created(t, body)
	if first.ID != second.ID || len(p.Chat.Messages(p.channel)) != 1 {
		t.Errorf("an enforced nonce made messages %s and %s, want one message", first.ID, second.ID)
	}
	if third := p.created(t, `{"content":"once","nonce":"n1"}`); third.ID == first.ID {
		t.Error("a nonce that is not enforced must not hold a message back")
	}
	p.Chat.Delete(p.channel, first.ID)
	p.created(t, `{"content":"fresh","nonce":"n2","enforce_nonce":true}`)
	again := `{"content":"gone","nonce":"n3","enforce_nonce":true}`
	p.Chat.Delete(p.channel, p.created(t, again).ID)
	if code, _ := p.create(t, again).code(t); code != 10008 {
		t.Errorf("a nonce whose message was deleted gave %d, want 10008", code)
	}
}

func TestRepliesReferToTheirTargetOrToNull(t *testing.T) {
	p := newPlace(t, free())
	target := p.say(t, "question")
	reply := p.created(t, `{"content":"answer","message_reference":{"message_id":`+target.String()+`}}`)
	read := func() map[string]json.RawMessage {
		var wire map[string]json.RawMessage
		p.do(t, http.MethodGet, p.messages()+"/"+reply.ID.String(), "").decode(t, &wire)
		return wire
	}
	if got := read()["referenced_message"]; !bytes.Contains(got, []byte(`"question"`)) {
		t.Errorf("the reply refers to %s, want the question", got)
	}
	p.Chat.Delete(p.channel, target)
	if got, ok := read()["referenced_message"]; !ok || string(got) != "null" {
		t.Errorf("the reply to what was deleted refers to %q, want null", got)
	}
	wire := read()
	if _, ok := wire["guild_id"]; ok {
		t.Error("REST must not tell the guild")
	}
	soft := p.created(t, `{"content":"x","message_reference":{"message_id":"7","fail_if_not_exists":false}}`)
	if soft.Type != discordtest.TypeDefault || soft.Reference != nil {
		t.Errorf("a soft reply to nothing is %+v, want Type %v and Reference nil", soft, discordtest.TypeDefault)
	}
}

func TestAForwardIsAnUnchangingCopyWithoutAuthor(t *testing.T) {
	p := newPlace(t, free())
	target := p.say(t, "as it was")
	forward := p.created(t, `{"message_reference":{"type":1,"channel_id":"`+p.channel.String()+`","message_id":"`+target.String()+`"}}`)
	if err := p.Chat.Edit(p.channel, target, "as it is"); err != nil {
		t.Fatal(err)
	}
	a := p.do(t, http.MethodGet, p.messages()+"/"+forward.ID.String(), "")
	var wire struct {
		Snapshots []struct {
			Message map[string]any `json:"message"`
		} `json:"message_snapshots"`
	}
	a.decode(t, &wire)
	if len(wire.Snapshots) != 1 || wire.Snapshots[0].Message["content"] != "as it was" || wire.Snapshots[0].Message["author"] != nil {
		t.Errorf("the forward shows %s, want one snapshot of what was said, without an author", a.body)
	}
}

func TestFilesAreUploadedReadBackAndExpire(t *testing.T) {
	clock := noon()
	p := newPlace(t, discordtest.Options{Limits: discordtest.NoLimits(), Clock: clock.Now})
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	_ = w.WriteField("payload_json", `{"content":"see","attachments":[{"id":0,"description":"a picture"}]}`)
	file, _ := w.CreateFormFile("files[0]", "weave.png")
	_, _ = file.Write([]byte("pixels"))
	_ = w.Close()
	a := p.send(t, http.MethodPost, p.messages(), w.FormDataContentType(), &form)
	first := attachment(t, a)
	if first.Size != 6 || first.ContentType != "image/png" || first.Description != "a picture" {
		t.Fatalf("created %s, want a PNG of 6 bytes, described as a picture", a.body)
	}
	held := p.Chat.Messages(p.channel)[0]
	second := attachment(t, p.do(t, http.MethodGet, p.messages()+"/"+held.ID.String(), ""))
	if second.URL == first.URL {
		t.Error("the address must be signed anew")
	}
	if status, body := fetch(t, second.URL); status != http.StatusOK || body != "pixels" {
		t.Errorf("the file reads %d %q, want %d and %q", status, body, http.StatusOK, "pixels")
	}
	if status, _ := fetch(t, strings.Replace(second.URL, "ex=", "ex=f", 1)); status != http.StatusNotFound {
		t.Error("a forged address works")
	}
	clock.Advance(25 * time.Hour)
	if status, _ := fetch(t, second.URL); status != http.StatusNotFound {
		t.Error("an address of yesterday still works")
	}
}

type wireFile struct {
	URL         string `json:"url"`
	Size        int    `json:"size"`
	ContentType string `json:"content_type"`
	Description string `json:"description"`
}

func attachment(t *testing.T, a answer) wireFile {
	t.Helper()
	var wire struct {
		Attachments []wireFile `json:"attachments"`
	}
	a.decode(t, &wire)
	if len(wire.Attachments) != 1 {
		t.Fatalf("want one attachment: %s", a.body)
	}
	return wire.Attachments[0]
}

func fetch(t *testing.T, address string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(within(t), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}
