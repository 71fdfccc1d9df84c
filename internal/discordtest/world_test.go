package discordtest_test

import (
	"net/http"
	"reflect"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

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

// TestChannelsThatABotMayNotViewAreHidden reads a hidden channel over the gateway, over REST and in
// an interaction, and then has the bot see it by a role and by overwrites.
func TestChannelsThatABotMayNotViewAreHidden(t *testing.T) {
	p := newPlace(t, free())
	staff := p.World.AddRole(p.guild, "staff", 0, false)
	shown := discordtest.Overwrite{Role: staff, Allow: discordtest.ViewChannel}
	board := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "board", Topic: "plans", Private: true, Readers: []graph.UserID{p.ann}, Overwrites: []discordtest.Overwrite{shown}})
	type channel struct {
		ID         graph.ChannelID
		Name       string
		Topic      *string
		Flags      int
		Position   int
		Overwrites []struct{ ID, Allow, Deny string } `json:"permission_overwrites"`
	}
	w := p.connect(t, "v=10")
	w.expectOp(10)
	w.identify(p.bot.Token, intents)
	w.expect("READY")
	var guild struct{ Channels []channel }
	w.decode(w.expect("GUILD_CREATE"), &guild)
	hidden := channel{ID: board, Name: "___hidden___", Flags: 1 << 17, Position: 1, Overwrites: []struct{ ID, Allow, Deny string }{{p.guild.String(), "0", "1024"}}}
	if len(guild.Channels) != 2 || !reflect.DeepEqual(guild.Channels[1], hidden) {
		t.Errorf("the gateway lists %+v, want general and %+v", guild.Channels, hidden)
	}
	expect := func(name, want string) {
		t.Helper()
		var got channel
		w.decode(w.expect(name), &got)
		if got.ID != board || got.Name != want {
			t.Errorf("%s tells of %+v, want the board as %q", name, got, want)
		}
	}
	listed := func() (all []channel) {
		p.do(t, http.MethodGet, "/guilds/"+p.guild.String()+"/channels", "").decode(t, &all)
		return all
	}
	if all := listed(); len(all) != 1 || all[0].ID != p.channel {
		t.Errorf("REST lists %+v, want general alone", all)
	}
	p.People.GrantRole(p.guild, p.bot.User, staff)
	w.expect("GUILD_MEMBER_UPDATE")
	expect("CHANNEL_UPDATE", "board")
	w.expect("THREAD_LIST_SYNC")
	if all := listed(); len(all) != 2 || all[1].Name != "board" || *all[1].Topic != "plans" {
		t.Errorf("REST lists %+v, want the board as well", all)
	}
	p.World.SetOverwrites(board, discordtest.Overwrite{Role: staff, Deny: discordtest.ViewChannel})
	expect("CHANNEL_UPDATE", "___hidden___")
	p.World.SetOverwrites(board)
	expect("CHANNEL_UPDATE", "board")
	w.expect("THREAD_LIST_SYNC")
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
	path := "/channels/" + voice.String()
	list := func() int { return p.do(t, http.MethodGet, path+"/messages", "").status }
	with := list()
	p.World.SetOverwrites(voice, discordtest.Overwrite{Member: p.bot.User, Deny: discordtest.Connect})
	create, seen := p.do(t, http.MethodPost, path+"/messages", `{"content":"x"}`).status, p.do(t, http.MethodGet, path, "").status
	if with != 200 || list() != 403 || create != 403 || seen != 200 {
		t.Errorf("the list got %d with Connect and %d without, then the create %d and the channel %d, want 200, 403, 403 and 200", with, list(), create, seen)
	}
	w := p.identified(t, intents)
	errtest.Must(p.Chat.Post(voice, p.ann, discordtest.Draft{Content: "unheard"}))(t)
	p.say(t, "heard")
	if got := w.text(); got != "heard" {
		t.Errorf("heard %q, want %q", got, "heard")
	}
}
