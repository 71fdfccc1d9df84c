package discordtest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
)

const pager = `{"content":"one","components":[{"type":1,"components":[` +
	`{"type":2,"style":2,"custom_id":"back","label":"◀","disabled":true},{"type":2,"style":2,"custom_id":"on","emoji":{"name":"▶️"}}]}]}`

func TestComponentsAreCheckedAsOnDiscord(t *testing.T) {
	p := newPlace(t, free())
	button := func(fields string) string {
		return `{"content":"x","components":[{"type":1,"components":[{"type":2,"style":1` + fields + `}]}]}`
	}
	row := `{"type":1,"components":[{"type":2,"style":5,"label":"x","url":"https://example.com"}]}`
	for name, c := range map[string]struct{ body, want string }{
		"no list":           {`{"content":"x","components":{"a":1}}`, "components LIST_TYPE_CONVERT"},
		"six rows":          {`{"content":"x","components":[` + strings.Repeat(row+",", 5) + row + `]}`, "components BASE_TYPE_BAD_LENGTH"},
		"no row":            {`{"content":"x","components":[{"type":2,"style":1,"label":"x","custom_id":"x"}]}`, "components.0.type UNION_TYPE_CHOICES"},
		"empty row":         {`{"content":"x","components":[{"type":1,"components":[]}]}`, "components.0.components BASE_TYPE_BAD_LENGTH"},
		"six in a row":      {`{"content":"x","components":[{"type":1,"components":[` + strings.Repeat(`{"type":2},`, 5) + `{"type":2}]}]}`, "components.0.components BASE_TYPE_BAD_LENGTH"},
		"odd kind":          {`{"content":"x","components":[{"type":1,"components":[{"type":10}]}]}`, "components.0.components.0.type UNION_TYPE_CHOICES"},
		"button and select": {`{"content":"x","components":[{"type":1,"components":[{"type":3,"custom_id":"s"},{"type":2}]}]}`, "components.0.components.0 COMPONENT_LAYOUT_WIDTH_EXCEEDED"},
		"no style":          {`{"content":"x","components":[{"type":1,"components":[{"type":2}]}]}`, "components.0.components.0.style BASE_TYPE_CHOICES"},
		"no custom id":      {button(`,"label":"x"`), "components.0.components.0.custom_id BUTTON_COMPONENT_CUSTOM_ID_REQUIRED"},
		"long custom id":    {button(`,"label":"x","custom_id":"` + strings.Repeat("ü", 101) + `"`), "components.0.components.0.custom_id BASE_TYPE_BAD_LENGTH"},
		"twice the same id": {strings.Replace(pager, "back", "on", 1), "components.0.components.1.custom_id COMPONENT_CUSTOM_ID_DUPLICATED"},
		"long label":        {button(`,"label":"` + strings.Repeat("ü", 81) + `","custom_id":"x"`), "components.0.components.0.label BASE_TYPE_MAX_LENGTH"},
		"nothing on it":     {button(`,"custom_id":"x"`), "components.0.components.0.label BUTTON_COMPONENT_LABEL_REQUIRED"},
		"a word for emoji":  {button(`,"custom_id":"x","emoji":{"name":"next"}`), "components.0.components.0.emoji.name BUTTON_COMPONENT_INVALID_EMOJI"},
		"id and address":    {button(`,"label":"x","custom_id":"x","url":"https://example.com"`), "components.0.components.0 BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE"},
		"inside of V2":      {`{"flags":32768,"components":[{"type":17,"components":[{"type":1,"components":[]}]}]}`, "components.0.components.0.components BASE_TYPE_BAD_LENGTH"},
	} {
		t.Run(name, func(t *testing.T) {
			a := p.create(t, c.body)
			if got := formError(t, a); a.status != http.StatusBadRequest || got != c.want {
				t.Errorf("got %q in %d %s, want %q and %d", got, a.status, a.body, c.want, http.StatusBadRequest)
			}
		})
	}
	m := p.created(t, pager)
	if a := p.do(t, http.MethodPatch, p.messages()+"/"+m.ID.String(), button(`,"label":"x"`)); a.status != http.StatusBadRequest {
		t.Errorf("an edit with a button that nobody can press gave %d, want %d", a.status, http.StatusBadRequest)
	}
}

// formError returns the first field that a 50035 names, and what is wrong with it.
func formError(t *testing.T, a answer) string {
	t.Helper()
	var wire struct {
		Errors map[string]any `json:"errors"`
	}
	a.decode(t, &wire)
	var path []string
	for at := wire.Errors; len(at) > 0; {
		for name, inner := range at {
			if name == "_errors" {
				return fmt.Sprint(strings.Join(path, "."), " ", inner.([]any)[0].(map[string]any)["code"])
			}
			path, at = append(path, name), inner.(map[string]any)
		}
	}
	return string(a.body)
}

// pressed is a button that ann pressed, with the interaction that the bot gets.
type pressed struct {
	id   discordtest.InteractionID
	wire struct {
		ID          string `json:"id"`
		Application string `json:"application_id"`
		Type        int    `json:"type"`
		Token       string `json:"token"`
		Guild       string `json:"guild_id"`
		Channel     string `json:"channel_id"`
		Message     struct {
			ID         string          `json:"id"`
			Components json.RawMessage `json:"components"`
		} `json:"message"`
		Member struct {
			User        struct{ ID string } `json:"user"`
			Permissions string              `json:"permissions"`
		} `json:"member"`
		User struct{ ID string } `json:"user"`
		Data struct {
			CustomID string `json:"custom_id"`
			Kind     int    `json:"component_type"`
		} `json:"data"`
	}
}

func (p *place) pressed(t *testing.T, w *wire, channel graph.ChannelID, m graph.MessageID) *pressed {
	t.Helper()
	id, err := p.Interactions.Press(channel, m, p.ann, "on")
	if err != nil {
		t.Fatal(err)
	}
	told := &pressed{id: id}
	w.decode(w.expect("INTERACTION_CREATE"), &told.wire)
	return told
}

// callback answers a press, without a bot's token as Discord allows.
func (p *place) callback(t *testing.T, in *pressed, query, body string) answer {
	t.Helper()
	p.bot.Token = ""
	return p.do(t, http.MethodPost, "/interactions/"+in.wire.ID+"/"+in.wire.Token+"/callback"+query, body)
}

func (p *place) hook(in *pressed) string {
	return "/webhooks/" + in.wire.Application + "/" + in.wire.Token
}

func TestAPressedButtonIsToldAndAnswered(t *testing.T) {
	p := newPlace(t, free())
	w, _ := p.identified(t, discordtest.IntentGuilds) // it needs none for interactions
	m := p.created(t, pager)
	in := p.pressed(t, w, p.channel, m.ID)
	if in.wire.Type != 3 || in.wire.ID != in.id.String() || in.wire.Application != p.bot.Application.String() || in.wire.Guild != p.guild.String() ||
		in.wire.Channel != p.channel.String() || in.wire.Message.ID != m.ID.String() || !strings.Contains(string(in.wire.Message.Components), `"on"`) ||
		in.wire.Member.User.ID != p.ann.String() || in.wire.Member.Permissions == "" || in.wire.Data.CustomID != "on" || in.wire.Data.Kind != 2 {
		t.Errorf("the bot was told %+v, want ann's press of \"on\"", in.wire)
	}
	p.pressThatIsUpdated(t, in)
	if m, _ := p.Chat.Message(p.channel, m.ID); m.Content != "three" || m.Edited.IsZero() || len(m.Buttons()) != 0 {
		t.Errorf("the message reads %q with the buttons %v, want \"three\" without buttons", m.Content, m.Buttons())
	}
	if told, ok := p.Interactions.Find(in.id); !ok || told.Answered != discordtest.AnswerUpdateMessage || len(told.Private) != 1 || told.Private[0].Content != "only you" {
		t.Errorf("the interaction is %+v, want an update and one private reply", told)
	}
	if n := len(p.Chat.Messages(p.channel)); n != 1 {
		t.Errorf("the channel holds %d messages, want 1", n)
	}
}

func (p *place) pressThatIsUpdated(t *testing.T, in *pressed) {
	t.Helper()
	if a := p.do(t, http.MethodPost, p.hook(in), `{"content":"early"}`); a.status != http.StatusNotFound {
		t.Errorf("a follow-up before the answer gave %d %s, want %d", a.status, a.body, http.StatusNotFound)
	}
	if a := p.callback(t, in, "", `{"type":7,"data":{"content":"two"}}`); a.status != http.StatusNoContent {
		t.Fatalf("the answer gave %d %s, want %d", a.status, a.body, http.StatusNoContent)
	}
	again := p.callback(t, in, "", `{"type":6}`)
	if code, _ := again.code(t); again.status != http.StatusBadRequest || code != 40060 {
		t.Errorf("a second answer gave %d %s, want 400 with code 40060", again.status, again.body)
	}
	if a := p.do(t, http.MethodPatch, p.hook(in)+"/messages/@original", `{"content":"three","components":[]}`); a.status != http.StatusOK {
		t.Errorf("an edit of the original gave %d %s, want %d", a.status, a.body, http.StatusOK)
	}
	var original struct{ Content string }
	p.do(t, http.MethodGet, p.hook(in)+"/messages/@original", "").decode(t, &original)
	if original.Content != "three" {
		t.Errorf("the original reads %q, want %q", original.Content, "three")
	}
	if a := p.do(t, http.MethodPost, p.hook(in), `{"content":"only you","flags":64}`); a.status != http.StatusOK {
		t.Errorf("a follow-up gave %d %s, want %d", a.status, a.body, http.StatusOK)
	}
}

func TestAnAnswerInADirectMessageThatComesLater(t *testing.T) {
	p := newPlace(t, free())
	w, _ := p.identified(t, discordtest.IntentGuilds|discordtest.IntentDirectMessages)
	dm := p.World.OpenDM(p.ann, p.bot.User)
	var made struct{ ID graph.MessageID }
	p.do(t, http.MethodPost, "/channels/"+dm.String()+"/messages", pager).decode(t, &made)
	w.expect("MESSAGE_CREATE")
	in := p.pressed(t, w, dm, made.ID)
	if in.wire.Guild != "" || in.wire.User.ID != p.ann.String() {
		t.Errorf("told is %+v, want Guild \"\" and User.ID %v", in.wire, p.ann.String())
	}
	var answered struct {
		Interaction struct {
			Message string `json:"response_message_id"`
			Loading bool   `json:"response_message_loading"`
			Private bool   `json:"response_message_ephemeral"`
		} `json:"interaction"`
	}
	p.callback(t, in, "?with_response=true", `{"type":5,"data":{"flags":64}}`).decode(t, &answered)
	if answered.Interaction.Message == "" || !answered.Interaction.Loading || !answered.Interaction.Private {
		t.Errorf("answered %+v, want Interaction.Message not \"\", Interaction.Loading true and Interaction.Private true", answered)
	}
	p.do(t, http.MethodPost, p.hook(in), `{"content":"here it is"}`)
	told, err := p.Interactions.Await(within(t), in.id, func(i discordtest.Interaction) bool { return len(i.Private) == 1 && i.Private[0].Content != "" })
	if err != nil || told.Private[0].Content != "here it is" || told.Private[0].Flags != discordtest.FlagEphemeral {
		t.Errorf("what became of it is %+v, %v, want Private[0].Content %q, Private[0].Flags %v and no error", told, err, "here it is", discordtest.FlagEphemeral)
	}
	var ephemeral struct {
		Flags int             `json:"flags"`
		Guild json.RawMessage `json:"guild_id"`
	}
	w.decode(w.expect("MESSAGE_CREATE"), &ephemeral)
	if ephemeral.Flags&discordtest.FlagEphemeral == 0 || ephemeral.Guild != nil {
		t.Errorf("the bot was told %+v, want an ephemeral message without a guild", ephemeral)
	}
	if a := p.do(t, http.MethodDelete, p.hook(in)+"/messages/@original", ""); a.status != http.StatusNoContent {
		t.Errorf("the deletion gave %d %s, want %d", a.status, a.body, http.StatusNoContent)
	}
}

func TestAnswersThatComeTooLateAreRefused(t *testing.T) {
	c := noon()
	p := newPlace(t, discordtest.Options{Clock: c.Now, Limits: discordtest.NoLimits()})
	w, _ := p.identified(t, discordtest.IntentGuilds)
	token := p.bot.Token
	m := p.created(t, pager)
	in := p.pressed(t, w, p.channel, m.ID)
	c.Advance(3*time.Second + time.Millisecond)
	late := p.callback(t, in, "", `{"type":6}`)
	if code, _ := late.code(t); late.status != http.StatusNotFound || code != 10062 {
		t.Errorf("a late answer gave %d %s, want 404 with code 10062", late.status, late.body)
	}
	in = p.pressed(t, w, p.channel, m.ID)
	if wrong := p.callback(t, in, "", `{"type":8}`); wrong.status != http.StatusBadRequest {
		t.Errorf("an answer of no known type gave %d %s, want %d", wrong.status, wrong.body, http.StatusBadRequest)
	}
	p.callback(t, in, "", `{"type":4,"data":{"content":"for all"}}`)
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
