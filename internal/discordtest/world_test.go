package discordtest_test

import (
	"net/http"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
)

func TestAThreadFromAMessageHasItsIdAndAStarter(t *testing.T) {
	p := newPlace(t, free())
	starter := p.say(t, "let us talk")
	a := p.do(t, http.MethodPost, p.messages()+"/"+starter.String()+"/threads", `{"name":"talk"}`)
	thread := graph.ChannelID(starter)
	var info struct {
		Parent graph.ChannelID         `json:"parent_id"`
		Kind   discordtest.ChannelKind `json:"type"`
	}
	a.decode(t, &info)
	if info.Parent != p.channel || info.Kind != discordtest.PublicThread {
		t.Fatalf("%s, want parent_id %v and type %v", a.body, p.channel, discordtest.PublicThread)
	}
	inside := p.Chat.Messages(thread)
	if len(inside) != 1 || inside[0].Type != discordtest.TypeThreadStarter || *inside[0].Reference != (discordtest.Reference{
		Guild: p.guild, Channel: p.channel, Message: starter,
	}) {
		t.Fatalf("in the thread there is %+v, want one message that points at its starter", inside)
	}
	var wire struct {
		Flags  int                 `json:"flags"`
		Thread struct{ ID string } `json:"thread"`
	}
	p.do(t, http.MethodGet, p.messages()+"/"+starter.String(), "").decode(t, &wire)
	if wire.Flags != discordtest.FlagHasThread || wire.Thread.ID != thread.String() {
		t.Errorf("the starter shows %+v, want Flags %v and Thread.ID %v", wire, discordtest.FlagHasThread, thread.String())
	}
	again := p.do(t, http.MethodPost, p.messages()+"/"+starter.String()+"/threads", `{"name":"talk"}`)
	if code, _ := again.code(t); code != 160004 {
		t.Errorf("a second thread gave %s, want code 160004", again.body)
	}
}

func TestArchivedThreadsReopenUnlessLocked(t *testing.T) {
	p := newPlace(t, free())
	thread := must(p.World.AddThread(p.channel, p.ann, discordtest.ThreadDraft{Name: "old"}))(t)
	send := func() answer {
		return p.do(t, http.MethodPost, "/channels/"+thread.String()+"/messages", `{"content":"x"}`)
	}
	p.World.SetArchived(thread, true, true)
	if code, _ := send().code(t); code != 50083 {
		t.Errorf("a locked thread gave %d, want 50083", code)
	}
	p.World.SetArchived(thread, true, false)
	if a := send(); a.status != http.StatusOK {
		t.Errorf("posting into an archived thread gave %s, want status 200", a.body)
	}
	if a := p.do(t, http.MethodGet, "/channels/"+thread.String(), ""); !strings.Contains(string(a.body), `"archived":false`) {
		t.Errorf("after a message the thread is %s, want it open", a.body)
	}
}

func TestPrivatePlacesAreSeenByTheirReaders(t *testing.T) {
	p := newPlace(t, free())
	status := func(c graph.ChannelID) int { return p.do(t, http.MethodGet, "/channels/"+c.String(), "").status }
	hidden := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "hidden", Private: true})
	shared := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "shared", Private: true, Readers: []graph.UserID{p.bot.User}})
	secret, _ := p.World.AddThread(p.channel, p.ann, discordtest.ThreadDraft{Name: "secret", Private: true})
	invited, _ := p.World.AddThread(p.channel, p.ann, discordtest.ThreadDraft{Name: "in", Private: true, Members: []graph.UserID{p.bot.User}})
	if status(hidden) != 403 || status(shared) != 200 || status(secret) != 403 || status(invited) != 200 {
		t.Errorf("got %d %d %d %d, want 403, 200, 403 and 200", status(hidden), status(shared), status(secret), status(invited))
	}
	p.People.GrantRole(p.guild, p.bot.User, p.World.AddRole(p.guild, "admin", discordtest.Administrator, false))
	if status(hidden) != 200 || status(secret) != 200 {
		t.Error("an administrator cannot see a private channel")
	}
	p.People.Leave(p.guild, p.bot.User)
	if status(p.channel) != 403 {
		t.Error("a person who left can still see a channel")
	}
}

func TestHistoryWithoutPermissionIsEmptyRatherThanAnError(t *testing.T) {
	p := newPlace(t, free())
	p.say(t, "x")
	p.World.SetOverwrites(p.channel, discordtest.Overwrite{Member: p.bot.User, Deny: discordtest.ReadMessageHistory})
	if a := p.do(t, http.MethodGet, p.messages(), ""); a.status != http.StatusOK || string(a.body) != "[]" {
		t.Errorf("got %d %s, want 200 and an empty list", a.status, a.body)
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
	w := p.identified(t, intents)
	if a := p.do(t, http.MethodGet, path, ""); a.status != http.StatusForbidden {
		t.Errorf("without Connect the list got %d, want %d", a.status, http.StatusForbidden)
	}
	if a := p.do(t, http.MethodPost, path, `{"content":"x"}`); a.status != http.StatusForbidden {
		t.Errorf("without Connect the create got %d, want %d", a.status, http.StatusForbidden)
	}
	if a := p.do(t, http.MethodGet, "/channels/"+voice.String(), ""); a.status != http.StatusOK {
		t.Errorf("the channel itself got %d, want %d", a.status, http.StatusOK)
	}
	must(p.Chat.Post(voice, p.ann, discordtest.Draft{Content: "unheard"}))(t)
	p.say(t, "heard")
	if got := w.text(); got != "heard" {
		t.Errorf("heard %q, want %q", got, "heard")
	}
}
