package discordtest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
)

type named struct {
	Nick *string `json:"nick"`
	User *struct {
		ID     graph.UserID `json:"id"`
		Global *string      `json:"global_name"`
	} `json:"user"`
}

// TestNicknamesComeWithEvents reads the name that ann has in the guild in each event that has her
// membership. REST's messages have none.
func TestNicknamesComeWithEvents(t *testing.T) {
	p := newPlace(t, free())
	w := p.identified(t, intents|discordtest.IntentGuildMembers)
	p.People.SetDisplayName(p.ann, "Ann B.")
	p.People.SetNick(p.guild, p.ann, "Captain Nemo")
	var update named
	w.decode(w.expect("GUILD_MEMBER_UPDATE"), &update)
	id := p.say(t, "I am <@"+p.ann.String()+">")
	type message struct {
		Author struct {
			Global string `json:"global_name"`
		}
		Member   *named
		Mentions []struct{ Member *named }
	}
	var told, read message
	w.decode(w.expect("MESSAGE_CREATE"), &told)
	p.do(t, http.MethodGet, p.messages()+"/"+id.String(), "").decode(t, &read)
	if told.Author.Global != "Ann B." || *update.Nick != "Captain Nemo" || *told.Member.Nick != "Captain Nemo" || *told.Mentions[0].Member.Nick != "Captain Nemo" {
		t.Errorf("the update tells %+v and the message %+v, want the nickname of all and the display name", update, told)
	}
	if told.Member.User != nil || told.Mentions[0].Member.User != nil || read.Member != nil || read.Mentions[0].Member != nil {
		t.Errorf("told %+v, read %+v, want the users beside their memberships, and no membership over REST", told, read)
	}
	m := p.created(t, pager)
	w.expect("MESSAGE_CREATE")
	if _, err := p.Interactions.Press(p.channel, m.ID, p.ann, "on"); err != nil {
		t.Fatal(err)
	}
	var in struct{ Member named }
	if w.decode(w.expect("INTERACTION_CREATE"), &in); *in.Member.Nick != "Captain Nemo" {
		t.Errorf("an interaction tells %+v, want the nickname", in)
	}
}

// TestMembersAreRequested asks for members as op 8 does: by ids, without an intent; by the
// beginning of a name; and all of them, which takes an intent and has a limit.
func TestMembersAreRequested(t *testing.T) {
	c := noon()
	p := newPlace(t, discordtest.Options{Clock: c.Now})
	p.People.SetNick(p.guild, p.ann, "Captain Nemo")
	w := p.identified(t, intents)
	type chunk struct {
		Members []named
		Missing []graph.UserID `json:"not_found"`
		Nonce   string
	}
	ask := func(d string) (got chunk) {
		t.Helper()
		w.write(8, jsonOf(fmt.Sprintf(`{"guild_id":"%s",%s}`, p.guild, d)))
		w.decode(w.expect("GUILD_MEMBERS_CHUNK"), &got)
		return got
	}
	got := ask(fmt.Sprintf(`"user_ids":["%s","77"],"nonce":"n-1"`, p.ann))
	if len(got.Members) != 1 || *got.Members[0].Nick != "Captain Nemo" || got.Members[0].User.ID != p.ann || len(got.Missing) != 1 || got.Missing[0] != 77 || got.Nonce != "n-1" {
		t.Errorf("got %+v, want ann, that 77 is unknown, and the nonce", got)
	}
	if got := ask(`"user_ids":"78","nonce":"` + strings.Repeat("n", 33) + `"`); len(got.Members) != 0 || len(got.Missing) != 1 || got.Nonce != "" {
		t.Errorf("got %+v, want nobody, and no nonce of 33 bytes", got)
	}
	if got := ask(`"user_ids":["` + strings.TrimSuffix(strings.Repeat(p.ann.String()+`","`, 101), `","`) + `"]`); len(got.Members) != 100 {
		t.Errorf("of 101 members %d came, want 100", len(got.Members))
	}
	if got := ask(`"query":"cap","limit":5`); len(got.Members) != 1 || got.Members[0].User.ID != p.ann {
		t.Errorf("got %+v, want ann", got)
	}
	w.write(8, jsonOf(fmt.Sprintf(`{"guild_id":"%s","query":"","limit":0}`, p.guild))) // is not answered without the intent
	w = p.identified(t, intents|discordtest.IntentGuildMembers)
	if got := ask(`"query":"","limit":0`); len(got.Members) != 2 {
		t.Errorf("got %+v, want all members", got)
	}
	w.write(8, jsonOf(fmt.Sprintf(`{"guild_id":"%s","query":"","limit":0,"nonce":"again"}`, p.guild)))
	var limited struct {
		Opcode int
		After  float64 `json:"retry_after"`
		Meta   struct {
			Guild graph.GuildID `json:"guild_id"`
			Nonce string
		}
	}
	if w.decode(w.expect("RATE_LIMITED"), &limited); limited.Opcode != 8 || limited.After != 30 || limited.Meta.Guild != p.guild || limited.Meta.Nonce != "again" {
		t.Errorf("got %+v, want op 8 for this guild in 30 s", limited)
	}
	for n := range 125 { // 3 commands came before
		if n == 60 {
			c.Advance(time.Minute)
		}
		w.write(8, jsonOf(fmt.Sprintf(`{"guild_id":"%s","user_ids":[]}`, p.guild)))
		w.expect("GUILD_MEMBERS_CHUNK")
		if n == 60 {
			c.Advance(time.Second)
		}
	}
	for range 60 {
		w.write(8, jsonOf(fmt.Sprintf(`{"guild_id":"%s","user_ids":[]}`, p.guild)))
	}
	for range 55 {
		w.expect("GUILD_MEMBERS_CHUNK")
	}
	w.expectClose(4008)
}
