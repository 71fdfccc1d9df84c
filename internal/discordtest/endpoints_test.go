package discordtest_test

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
)

func TestReadsAnswerWhatTheWorldHolds(t *testing.T) {
	p := newPlace(t, free())
	p.People.Rename(p.ann, "ann", "Ann of the Loom")
	thread, err := p.World.AddThread(p.channel, p.ann, discordtest.ThreadDraft{Name: "side"})
	if err != nil {
		t.Fatal(err)
	}
	guild, stranger := "/guilds/"+p.guild.String(), p.People.AddUser("stranger").String()
	for path, want := range map[string]string{
		"/gateway/bot":                         `"max_concurrency":1`,
		"/users/@me":                           `"username":"heddle"`,
		"/users/@me/guilds":                    `"name":"weavers"`,
		"/users/" + p.ann.String():             `"global_name":"Ann of the Loom"`,
		"/users/7":                             `"code":10013`,
		"/applications/@me":                    `"flags":524288`,
		"/oauth2/applications/@me":             `"id":"` + p.bot.Application.String(),
		guild:                                  `"owner_id":"` + p.ann.String(),
		guild + "/channels":                    `"name":"general"`,
		guild + "/threads/active":              `"id":"` + thread.String(),
		guild + "/members/" + p.ann.String():   `"username":"ann"`,
		guild + "/members/" + stranger:         `"code":10007`,
		"/guilds/7":                            `"code":10004`,
		"/channels/" + thread.String():         `"parent_id":"` + p.channel.String(),
		"/channels/" + p.channel.String() + "": `"type":0`,
	} {
		if a := p.do(t, http.MethodGet, path, ""); !strings.Contains(string(a.body), want) {
			t.Errorf("%s answers %s, want %s in it", path, a.body, want)
		}
	}
	if u, ok := p.People.User(p.ann); !ok || u.Global != "Ann of the Loom" || u.Bot {
		t.Errorf("ann is %+v, want a person named Ann of the Loom", u)
	}
	if ids := p.World.Channels(p.guild); len(ids) != 1 || ids[0] != p.channel {
		t.Errorf("channels %v, want one of them and %v first", ids, p.channel)
	}
}

func TestThreadsAreJoinedRenamedArchivedAndDeletedOverREST(t *testing.T) {
	p := newPlace(t, free())
	var thread struct{ ID graph.ChannelID }
	p.do(t, http.MethodPost, "/channels/"+p.channel.String()+"/threads", `{"name":"mine","type":11}`).decode(t, &thread)
	notice := p.Chat.Messages(p.channel)
	if len(notice) != 1 || notice[0].Type != discordtest.TypeThreadCreated || notice[0].Reference.Channel != thread.ID {
		t.Fatalf("the parent holds %+v, want one of them, Type %v of the first and Reference.Channel %v of the first", notice, discordtest.TypeThreadCreated, thread.ID)
	}
	path := "/channels/" + thread.ID.String()
	if a := p.do(t, http.MethodPut, path+"/thread-members/@me", ""); a.status != http.StatusNoContent {
		t.Errorf("joining gave %d, want %d", a.status, http.StatusNoContent)
	}
	if a := p.do(t, http.MethodPut, path+"/thread-members/"+p.ann.String(), ""); a.status != http.StatusNoContent {
		t.Errorf("adding somebody gave %d, want %d", a.status, http.StatusNoContent)
	}
	p.do(t, http.MethodPatch, path, `{"name":"ours","archived":true}`)
	if info, err := p.World.Channel(thread.ID); err != nil || info.Name != "ours" || !info.Archived {
		t.Errorf("the thread is %+v, %v, want Name %q, Archived true and no error", info, err, "ours")
	}
	if code, _ := p.do(t, http.MethodDelete, path, "").code(t); code != 50013 {
		t.Errorf("deleting gave %d, want 50013", code)
	}
	p.World.SetOverwrites(p.channel, discordtest.Overwrite{Member: p.bot.User, Allow: discordtest.ManageThreads})
	p.do(t, http.MethodDelete, path, "")
	if _, err := p.World.Channel(thread.ID); err == nil {
		t.Error("the thread is still there")
	}
}

func TestBotsAreToldOfPlacesThatComeAndGo(t *testing.T) {
	p := newPlace(t, free())
	w, _ := p.identified(t, intents)
	other := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "other"})
	w.expect("CHANNEL_CREATE")
	thread, err := p.World.AddThread(other, p.ann, discordtest.ThreadDraft{Name: "side"})
	if err != nil {
		t.Fatal(err)
	}
	w.expect("THREAD_CREATE")
	w.expect("MESSAGE_CREATE")
	p.World.SetArchived(thread, true, false)
	w.expect("THREAD_UPDATE")
	p.World.SetOverwrites(other)
	w.expect("CHANNEL_UPDATE")
	p.World.DeleteChannel(other)
	w.expect("CHANNEL_DELETE")
	if _, err := p.World.Channel(thread); err == nil {
		t.Error("a thread outlives its deleted channel")
	}
	p.World.AddRole(p.guild, "dyers", 0, false)
	w.expect("GUILD_ROLE_CREATE")
	second := p.World.AddGuild("dyers")
	p.People.Join(second, p.bot.User)
	w.expect("GUILD_CREATE")
	p.People.Leave(second, p.bot.User)
	w.expect("GUILD_DELETE")
	w.write(8, map[string]any{"guild_id": p.guild, "query": "", "limit": 0, "nonce": "n"})
	var chunk struct{ Members []any }
	w.decode(w.expect("GUILD_MEMBERS_CHUNK"), &chunk)
	if len(chunk.Members) != 2 {
		t.Errorf("got %d members, want 2", len(chunk.Members))
	}
	p.Gateway.Invalidate()
	w.expectOp(9)
	p.say(t, "unheard")
	w.identify(p.bot.Token, intents)
	w.expect("READY")
}

func TestAnEditKeepsTheAttachmentsItNames(t *testing.T) {
	p := newPlace(t, free())
	upload := func(method, path, payload string, files ...string) answer {
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		_ = w.WriteField("payload_json", payload)
		for i, name := range files {
			file, _ := w.CreateFormFile("files["+string(rune('0'+i))+"]", name)
			_, _ = file.Write([]byte(name))
		}
		_ = w.Close()
		return p.send(t, method, path, w.FormDataContentType(), &form)
	}
	upload(http.MethodPost, p.messages(), `{}`, "a.txt", "b.txt")
	m := p.Chat.Messages(p.channel)[0]
	path := p.messages() + "/" + m.ID.String()
	a := upload(http.MethodPatch, path, `{"attachments":[{"id":"`+m.Attachments[1].ID.String()+`"},{"id":0}]}`, "c.txt")
	if a.status != http.StatusOK {
		t.Fatalf("the edit gave %s, want status 200", a.body)
	}
	m, _ = p.Chat.Message(p.channel, m.ID)
	if len(m.Attachments) != 2 || m.Attachments[0].Name != "b.txt" || m.Attachments[1].Name != "c.txt" {
		t.Errorf("the message has %+v, want 2 of them, Name %q of the first and Name %q of the second", m.Attachments, "b.txt", "c.txt")
	}
	if a := p.do(t, http.MethodPatch, path, `{"attachments":[]}`); a.status != http.StatusBadRequest {
		t.Errorf("emptying the message gave %d, want %d", a.status, http.StatusBadRequest)
	}
	big := upload(http.MethodPost, p.messages(), `{}`, strings.Repeat("x", 11<<20))
	if code, _ := big.code(t); code != 40005 {
		t.Errorf("11 MiB gave %d, want 40005", code)
	}
}

func TestAddressesAreRefreshedAndFilesCounted(t *testing.T) {
	p := newPlace(t, free())
	id := p.post(t, discordtest.Draft{Attachments: []discordtest.Attachment{{Name: "a b.txt", Data: []byte("x"), Size: 500 << 20}}})
	m, _ := p.Chat.Message(p.channel, id)
	old := p.Chat.FileURL(p.channel, m.Attachments[0])
	var wire struct {
		URLs []struct{ Original, Refreshed string } `json:"refreshed_urls"`
	}
	p.do(t, http.MethodPost, "/attachments/refresh-urls", `{"attachment_urls":["`+old+`"]}`).decode(t, &wire)
	if len(wire.URLs) != 1 || wire.URLs[0].Original != old || wire.URLs[0].Refreshed == old {
		t.Fatalf("got %+v, want one in URLs, URLs[0].Original %v and URLs[0].Refreshed not %v", wire, old, old)
	}
	if status, body := fetch(t, wire.URLs[0].Refreshed); status != http.StatusOK || body != "x" || p.Record.Files() != 1 {
		t.Errorf("got %d %q, %d files, want %d, %q and 1", status, body, p.Record.Files(), http.StatusOK, "x")
	}
	if err := p.Chat.RemoveAttachment(p.channel, id, m.Attachments[0].ID); err != nil {
		t.Fatal(err)
	}
	if status, _ := fetch(t, old); status != http.StatusNotFound {
		t.Error("a removed file is still served")
	}
}

func TestPeopleForwardSendAsWebhooksAndReplyToWhatIsGone(t *testing.T) {
	p := newPlace(t, free())
	other := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "other"})
	source, err := p.Chat.Post(other, p.ann, discordtest.Draft{Content: "origin", Stickers: json.RawMessage(`[{"id":"1","name":"wave","format_type":1}]`)})
	if err != nil {
		t.Fatal(err)
	}
	p.post(t, discordtest.Draft{Forward: source, ForwardFrom: other})
	if _, err := p.Chat.Post(p.channel, 7, discordtest.Draft{Content: "as another", Webhook: "Spinner"}); err != nil {
		t.Fatal(err)
	}
	p.post(t, discordtest.Draft{Content: "yes", ReplyTo: 7})
	var page []struct {
		Webhook   string `json:"webhook_id"`
		Author    struct{ Username string }
		Snapshots []struct {
			Message struct {
				Content  string           `json:"content"`
				Stickers []map[string]any `json:"sticker_items"`
			}
		} `json:"message_snapshots"`
		Referenced json.RawMessage `json:"referenced_message"`
	}
	p.do(t, http.MethodGet, p.messages(), "").decode(t, &page)
	if string(page[0].Referenced) != "null" {
		t.Errorf("the reply refers to %s, want null", page[0].Referenced)
	}
	if page[1].Webhook != "7" || page[1].Author.Username != "Spinner" {
		t.Errorf("the webhook is %+v, want Webhook %q and Author.Username %q", page[1], "7", "Spinner")
	}
	if page[2].Snapshots[0].Message.Content != "origin" || len(page[2].Snapshots[0].Message.Stickers) != 1 {
		t.Errorf("the forward is %+v, want Snapshots[0].Message.Content %q and one in Snapshots[0].Message.Stickers", page[2], "origin")
	}
	if _, err := p.Chat.Post(p.channel, p.ann, discordtest.Draft{Content: " "}); err == nil {
		t.Error("an empty message was accepted")
	}
}

func TestWaitingForRequestsAndRemovingFaults(t *testing.T) {
	p := newPlace(t, free())
	broken := p.Faults.Inject(discordtest.Fault{Status: 500, Times: -1})
	p.do(t, http.MethodGet, "/users/@me", "")
	broken.Remove()
	if a := p.do(t, http.MethodGet, "/users/@me", ""); a.status != http.StatusOK || broken.Hits() != 1 {
		t.Errorf("got %d after %d, want %d and 1", a.status, broken.Hits(), http.StatusOK)
	}
	found, err := p.Record.AwaitRequests(within(t), 2, discordtest.On(discordtest.RouteMe))
	if err != nil || found[0].Status != 500 {
		t.Errorf("found %+v, %v, want Status 500 of the first and no error", found, err)
	}
}
