package discordtest_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

const pager = `{"content":"one","components":[{"type":1,"components":[` +
	`{"type":2,"style":2,"custom_id":"back","label":"◀","disabled":true},{"type":2,"style":2,"custom_id":"on","emoji":{"name":"▶️"}}]}]}`

// pressed is what the bot gets of a button that ann pressed.
type pressed struct {
	ID          string `json:"id"`
	Application string `json:"application_id"`
	Token       string `json:"token"`
}

func (p *place) pressed(t *testing.T, w *wire, m graph.MessageID) (told pressed) {
	t.Helper()
	errtest.Must(p.Interactions.Press(p.channel, m, p.ann, "on"))(t)
	w.decode(w.expect("INTERACTION_CREATE"), &told)
	return told
}

// callback answers a press, without a bot's token as Discord allows.
func (p *place) callback(t *testing.T, in pressed, body string) answer {
	t.Helper()
	p.bot.Token = ""
	return p.do(t, http.MethodPost, "/interactions/"+in.ID+"/"+in.Token+"/callback", body)
}

func (p *place) hook(in pressed) string {
	return "/webhooks/" + in.Application + "/" + in.Token
}

func TestAnswersOutOfTurnAreRefused(t *testing.T) {
	c := noon()
	p := newPlace(t, discordtest.Options{Clock: c.Now, Limits: discordtest.NoLimits()})
	w := p.identified(t, discordtest.IntentGuilds)
	token := p.bot.Token
	m := p.created(t, pager)
	in := p.pressed(t, w, m.ID)
	c.Advance(3*time.Second + time.Millisecond)
	late := p.callback(t, in, `{"type":6}`)
	if code, _ := late.code(t); late.status != http.StatusNotFound || code != 10062 {
		t.Errorf("a late answer gave %d %s, want 404 with code 10062", late.status, late.body)
	}
	in = p.pressed(t, w, m.ID)
	if wrong := p.callback(t, in, `{"type":8}`); wrong.status != http.StatusBadRequest {
		t.Errorf("an answer of no known type gave %d %s, want %d", wrong.status, wrong.body, http.StatusBadRequest)
	}
	if early := p.do(t, http.MethodPost, p.hook(in), `{"content":"early"}`); early.status != http.StatusNotFound {
		t.Errorf("a follow-up before the answer gave %d %s, want %d", early.status, early.body, http.StatusNotFound)
	}
	p.callback(t, in, `{"type":4,"data":{"content":"for all"}}`)
	again := p.callback(t, in, `{"type":6}`)
	if code, _ := again.code(t); again.status != http.StatusBadRequest || code != 40060 {
		t.Errorf("a second answer gave %d %s, want 400 with code 40060", again.status, again.body)
	}
	c.Advance(15*time.Minute + time.Millisecond)
	old := p.do(t, http.MethodPatch, p.hook(in)+"/messages/@original", `{"content":"x"}`)
	if code, _ := old.code(t); old.status != http.StatusUnauthorized || code != 50027 {
		t.Errorf("an old token gave %d %s, want 401 with code 50027", old.status, old.body)
	}
	p.bot.Token = token
	if all := p.Chat.Messages(p.channel); len(all) != 2 || all[1].Content != "for all" || all[1].Reference.Message != m.ID {
		t.Errorf("the channel holds %+v, want 2 of them, Content %q of the second and Reference.Message %v of the second", all, "for all", m.ID)
	}
}

func TestOnlyButtonsThatAreThereCanBePressed(t *testing.T) {
	p := newPlace(t, free())
	m := p.created(t, pager)
	stranger := p.People.AddUser("eve")
	for name, c := range map[string]struct {
		channel graph.ChannelID
		message graph.MessageID
		who     graph.UserID
		id      string
	}{
		"disabled":   {p.channel, m.ID, p.ann, "back"},
		"unknown":    {p.channel, m.ID, p.ann, "forged"},
		"no message": {p.channel, 7, p.ann, "on"},
		"no channel": {7, m.ID, p.ann, "on"},
		"stranger":   {p.channel, m.ID, stranger, "on"},
	} {
		if _, err := p.Interactions.Press(c.channel, c.message, c.who, c.id); !errors.Is(err, discordtest.ErrPress) {
			t.Errorf("%s: %v, want %v", name, err, discordtest.ErrPress)
		}
	}
}
