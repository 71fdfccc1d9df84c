package discordtest_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
)

const thumb = "👍"

// reaction returns the path of an emoji on a message.
func (p *place) reaction(message graph.MessageID, emoji, who string) string {
	return p.messages() + "/" + message.String() + "/reactions/" + url.PathEscape(emoji) + who
}

func TestReactionsArePutListedAndTakenBackOverREST(t *testing.T) {
	p := newPlace(t, free())
	message := p.say(t, "hi")
	for range 2 {
		if a := p.do(t, http.MethodPut, p.reaction(message, thumb, "/@me"), ""); a.status != http.StatusNoContent {
			t.Fatalf("reacting gave %d %s, want %d", a.status, a.body, http.StatusNoContent)
		}
	}
	if err := p.Chat.React(p.channel, message, p.ann, thumb); err != nil {
		t.Fatal(err)
	}
	shown := string(p.do(t, http.MethodGet, p.messages()+"/"+message.String(), "").body)
	if !strings.Contains(shown, `"count":2`) || !strings.Contains(shown, `"me":true`) || !strings.Contains(shown, `"edited_timestamp":null`) {
		t.Errorf("the message shows %s, want %q in it, %q in it and %q in it", shown, `"count":2`, `"me":true`, `"edited_timestamp":null`)
	}
	if a := p.do(t, http.MethodGet, p.reaction(message, thumb, "")+"?after="+p.ann.String(), ""); !strings.Contains(string(a.body), `"heddle"`) || strings.Contains(string(a.body), `"ann"`) {
		t.Errorf("the reactions after that of ann are %s, want heddle's alone", a.body)
	}
	if code, _ := p.do(t, http.MethodDelete, p.reaction(message, thumb, "/"+p.ann.String()), "").code(t); code != 50013 {
		t.Errorf("taking another's reaction back gave %d, want 50013", code)
	}
	p.do(t, http.MethodDelete, p.reaction(message, thumb, "/@me"), "")
	if code, _ := p.do(t, http.MethodDelete, p.reaction(message, thumb, "/@me"), "").code(t); code != 10014 {
		t.Errorf("taking it back twice gave %d, want 10014", code)
	}
	p.World.SetOverwrites(p.channel, discordtest.Overwrite{Member: p.bot.User, Allow: discordtest.ManageMessages})
	p.do(t, http.MethodDelete, p.reaction(message, thumb, "/"+p.ann.String()), "")
	if m, _ := p.Chat.Message(p.channel, message); len(m.Reactions()) != 0 {
		t.Errorf("left are %v, want none", m.Reactions())
	}
}

func TestReactionsAreRefusedAsDiscordRefusesThem(t *testing.T) {
	p := newPlace(t, free())
	message := p.say(t, "hi")
	for emoji, want := range map[string]int{"thumbsup": 10014, "thumbsup:7": 0, "1️⃣": 0, "❤️": 0} {
		if a := p.do(t, http.MethodPut, p.reaction(message, emoji, "/@me"), ""); want == 0 && a.status != http.StatusNoContent {
			t.Errorf("%s gave %d %s, want 204", emoji, a.status, a.body)
		} else if want != 0 {
			if code, _ := a.code(t); code != want {
				t.Errorf("%s gave %d, want %d", emoji, code, want)
			}
		}
	}
	for i := range 17 {
		if err := p.Chat.React(p.channel, message, p.ann, "own:"+strconv.Itoa(i+100)); err != nil {
			t.Fatal(err)
		}
	}
	if code, _ := p.do(t, http.MethodPut, p.reaction(message, thumb, "/@me"), "").code(t); code != 30010 {
		t.Errorf("a 21st emoji gave %d, want 30010", code)
	}
	p.World.SetOverwrites(p.channel, discordtest.Overwrite{Member: p.bot.User, Deny: discordtest.AddReactions})
	other := p.say(t, "again")
	if code, _ := p.do(t, http.MethodPut, p.reaction(other, thumb, "/@me"), "").code(t); code != 50013 {
		t.Errorf("without the permission reacting gave %d, want 50013", code)
	}
	if err := p.Chat.React(p.channel, other, p.ann, thumb); err != nil {
		t.Fatal(err)
	}
	if a := p.do(t, http.MethodPut, p.reaction(other, thumb, "/@me"), ""); a.status != http.StatusNoContent {
		t.Errorf("joining in gave %d %s, want %d", a.status, a.body, http.StatusNoContent)
	}
}

func TestReactionsAreToldUnderTheirIntents(t *testing.T) {
	p := newPlace(t, free())
	w, _ := p.identified(t, intents|discordtest.IntentGuildReactions)
	message := p.say(t, "hi")
	w.expect("MESSAGE_CREATE")
	for _, step := range []struct {
		do    error
		event string
		want  string
	}{
		{p.Chat.React(p.channel, message, p.ann, thumb), "MESSAGE_REACTION_ADD", `"username":"ann"`},
		{p.Chat.React(p.channel, message, p.bot.User, thumb), "MESSAGE_REACTION_ADD", `"bot":true`},
		{p.Chat.Unreact(p.channel, message, p.ann, thumb), "MESSAGE_REACTION_REMOVE", `"user_id":"` + p.ann.String()},
		{p.Chat.ClearReaction(p.channel, message, thumb), "MESSAGE_REACTION_REMOVE_EMOJI", `"name":"` + thumb},
		{p.Chat.React(p.channel, message, p.ann, thumb), "MESSAGE_REACTION_ADD", `"message_author_id":"` + p.ann.String()},
		{p.Chat.ClearReactions(p.channel, message), "MESSAGE_REACTION_REMOVE_ALL", `"message_id":"` + message.String()},
	} {
		if step.do != nil {
			t.Fatal(step.do)
		}
		if data := string(w.expect(step.event).Data); !strings.Contains(data, step.want) {
			t.Errorf("%s is told as %s, want %s in it", step.event, data, step.want)
		}
	}
	direct := p.World.OpenDM(p.ann, p.bot.User)
	said, err := p.Chat.Post(direct, p.ann, discordtest.Draft{Content: "psst"})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Chat.React(direct, said, p.ann, thumb); err != nil {
		t.Fatal(err)
	}
	p.say(t, "last")
	w.expect("MESSAGE_CREATE") // of the direct message; its reaction needs another intent
	w.expect("MESSAGE_CREATE")
}
