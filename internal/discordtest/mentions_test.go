package discordtest_test

import (
	"net/http"
	"testing"

	"heddle/internal/discordtest"
)

func TestOnlyTheAllowedArePinged(t *testing.T) {
	p := newPlace(t, free())
	bob := p.People.AddUser("bob", p.guild)
	stranger := p.People.AddUser("stranger")
	weavers := p.World.AddRole(p.guild, "weavers", 0, true)
	closed := p.World.AddRole(p.guild, "closed", 0, false)
	p.World.SetOverwrites(p.channel, discordtest.Overwrite{Member: p.bot.User, Allow: discordtest.MentionEveryone})
	question := p.say(t, "who?")
	text := `"content":"<@` + p.ann.String() + `> <@!` + bob.String() + `> <@` + stranger.String() + `> <@&` +
		weavers.String() + `> <@&` + closed.String() + `> @everyone"`
	reply := `"message_reference":{"message_id":"` + question.String() + `"}`
	for name, c := range map[string]struct {
		allowed      string
		users, roles int
		everyone     bool
	}{
		"absent allows all":       {"", 2, 2, true},
		"null allows all":         {`,"allowed_mentions":null`, 2, 2, true},
		"an empty parse nobody":   {`,"allowed_mentions":{"parse":[]}`, 0, 0, false},
		"an empty object nobody":  {`,"allowed_mentions":{}`, 0, 0, false},
		"users alone":             {`,"allowed_mentions":{"parse":["users"]}`, 2, 0, false},
		"roles alone":             {`,"allowed_mentions":{"parse":["roles"]}`, 0, 2, false},
		"one user by id":          {`,"allowed_mentions":{"parse":[],"users":["` + bob.String() + `"]}`, 1, 0, false},
		"the replied user":        {`,"allowed_mentions":{"parse":[],"replied_user":true}`, 1, 0, false},
		"everyone and one by ids": {`,"allowed_mentions":{"parse":["everyone"],"users":[` + bob.String() + `]}`, 1, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			got := p.created(t, "{"+text+","+reply+c.allowed+"}")
			pings := got.Pings
			if len(pings.Users) != c.users || len(pings.Roles) != c.roles || pings.Everyone != c.everyone {
				t.Errorf("pinged %+v, want %d in Users, %d in Roles and Everyone %v", pings, c.users, c.roles, c.everyone)
			}
			if pings.None() != (c.users == 0 && c.roles == 0 && !c.everyone) {
				t.Errorf("None returns %v of %+v, want %v", pings.None(), pings, !pings.None())
			}
			if len(got.Mentions) != c.users || got.MentionEveryone != c.everyone {
				t.Errorf("shows %+v, want %d in Mentions and MentionEveryone %v", got, c.users, c.everyone)
			}
		})
	}
}

func TestAnEditWithoutAllowedMentionsMentionsAgain(t *testing.T) {
	p := newPlace(t, free())
	m := p.created(t, `{"content":"<@`+p.ann.String()+`>","allowed_mentions":{"parse":[]}}`)
	if !m.Pings.None() {
		t.Fatalf("before the edit the message pings %+v, want nobody", m.Pings)
	}
	p.do(t, http.MethodPatch, p.messages()+"/"+m.ID.String(), `{"content":"<@`+p.ann.String()+`>!"}`)
	if m, _ = p.Chat.Message(p.channel, m.ID); len(m.Pings.Users) != 1 {
		t.Error("an edit without allowed_mentions must parse them anew")
	}
}
