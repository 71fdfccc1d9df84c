package guilds_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/roomtest"
	"heddle/store"
)

// mayConnect is the permissions of @everyone in the guilds below: to see, read and
// join.
const mayConnect = viewChannel | readMessageHistory | connect

// cacheWith returns a cache of the guild 10 with channels and threads, in which
// @everyone is granted h.Guilds. Heddle is 100.
func cacheWith(t *testing.T, everyone int, channels, threads string) *guilds.Cache {
	t.Helper()
	return cacheOf(t, fmt.Sprintf(
		`{"id":"10","roles":[{"id":"10","permissions":"%d"}],"channels":[%s],"threads":[%s]}`, everyone, channels, threads))
}

// TestTheScopeOfEveryKindOfChannel checks kinds of channels that no town has (see newTown),
// that public threads have their parent's scope and private ones a scope of their own, and in
// which channel a thread's starter message is.
func TestTheScopeOfEveryKindOfChannel(t *testing.T) {
	const (
		silent = mayConnect &^ connect
		hidden = `,"permission_overwrites":[{"id":"10","type":0,"deny":"1024"}]`
	)
	for name, test := range map[string]struct {
		kind     int
		everyone int
		fields   string // more of the channel
		want     store.Scope
		thread   int // the kind of the thread whose scope that is; 0: the channel's own
		starter  graph.ChannelID
	}{
		"text for adults, all administrators": {guildText, administrator, `,"nsfw":true`, "g10.c20", 0, 0},
		"a kind to come":                      {99, silent, "", "g10", 0, 0},
		"of a hidden announcement":            {guildAnnouncement, mayConnect, hidden, "g10.c20", announcementThread, 20},
		"a media channel's post":              {guildMedia, mayConnect, "", "g10", publicThread, 30},
		"private, of a hidden channel":        {guildText, mayConnect, hidden, "g10.c30", privateThread, 20},
		"a post in a forum of adults":         {guildForum, mayConnect, `,"nsfw":true`, "g10.c20", publicThread, 30},
	} {
		channel, threads, parent := graph.ChannelID(20), "", graph.ChannelID(0)
		if test.thread != 0 {
			channel, threads, parent = 30, fmt.Sprintf(`{"id":"30","type":%d,"parent_id":"20"}`, test.thread), 20
		}
		c := cacheWith(t, test.everyone, fmt.Sprintf(`{"id":"20","type":%d%s}`, test.kind, test.fields), threads)
		if got := c.Place(channel, 10); got.Scope != test.want || got.Direct || got.Parent != parent || got.Starter != test.starter {
			t.Errorf("%s: the place is %+v, want the scope %s and the starter in %s", name, got, test.want, test.starter)
		}
	}
}

func TestDirectAndGroupMessagesAreScopesOfTheirOwn(t *testing.T) {
	c := cacheWith(t, mayConnect, "", "")
	for _, kind := range []string{"1", "3"} {
		mustApply(t, c, "CHANNEL_CREATE", `{"id":"40","type":`+kind+`}`)
		if got := c.Place(40, 0); got.Scope != "d40" || !got.Direct || got.NoHistory {
			t.Errorf("a channel of type %s is %+v, want Scope %q, Direct true and NoHistory false", kind, got, "d40")
		}
	}
}

// TestHeddleWithoutConnectReadsNoHistoryOfAVoiceChannel checks that heddle's own
// permissions are computed like everybody's.
func TestHeddleWithoutConnectReadsNoHistoryOfAVoiceChannel(t *testing.T) {
	for name, test := range map[string]struct {
		kind, everyone int
		member         string
		want           bool
	}{
		"voice without connect":        {guildVoice, mayConnect &^ connect, `{"user":{"id":"100"}}`, true},
		"voice in a timeout":           {guildVoice, mayConnect, `{"user":{"id":"100"},"communication_disabled_until":"9999-01-01T00:00:00Z"}`, true},
		"voice after a timeout":        {guildVoice, mayConnect, `{"user":{"id":"100"},"communication_disabled_until":"2020-01-01T00:00:00Z"}`, false},
		"another's membership is none": {guildVoice, 0, `{"user":{"id":"7"}}`, false},
	} {
		c := cacheWith(t, test.everyone, fmt.Sprintf(`{"id":"20","type":%d}`, test.kind), "")
		mustApply(t, c, "GUILD_MEMBER_UPDATE", strings.Replace(test.member, "{", `{"guild_id":"10",`, 1))
		if got := c.Place(20, 10).NoHistory; got != test.want {
			t.Errorf("%s: history is denied: %t, want %t", name, got, test.want)
		}
		if test.want {
			// Nobody, not even the guild's owner, reads through heddle what heddle may
			// not read.
			may, err := c.MayReadHistory(t.Context(), 10, 20, 100)
			if may || err != nil {
				t.Errorf("%s: heddle may read the history for somebody: %t, %v, want false and no error", name, may, err)
			}
		}
	}
}

// TestWhoMayReadIsAskedOnlyIfItIsNotKnown counts the requests to Discord.
func TestWhoMayReadIsAskedOnlyIfItIsNotKnown(t *testing.T) {
	h := roomtest.New(t)
	if got := h.Guilds.Self().ID; got != h.Self {
		t.Errorf("heddle is %s, want %s", got, h.Self)
	}
	h.Event("CHANNEL_CREATE", fmt.Sprintf(`{"id":"20","type":0,"guild_id":"%d","nsfw":true}`, h.Guild))
	stranger := h.Discord.People.AddUser("stranger")
	for name, test := range map[string]struct {
		guild   graph.GuildID
		channel graph.ChannelID
		user    graph.UserID
		may     bool
		asked   int
	}{
		"an open channel":               {h.Guild, h.Channel, h.Bob, true, 0},
		"a direct message":              {0, 77, h.Bob, true, 0},
		"a channel of its own scope":    {h.Guild, 20, h.Bob, true, 1},
		"somebody who is no member":     {h.Guild, 20, stranger, false, 1},
		"a channel nobody has reported": {h.Guild, 78, h.Bob, false, 0},
	} {
		before := len(h.Discord.Record.Requests(nil))
		may, err := h.Guilds.MayReadHistory(h.Context(), test.guild, test.channel, test.user)
		if asked := len(h.Discord.Record.Requests(nil)) - before; err != nil || may != test.may || asked != test.asked {
			t.Errorf("%s: %t, %v after %d requests, want %t after %d", name, may, err, asked, test.may, test.asked)
		}
	}
}

// TestRolesAreThoseOfAMember asks for a person's roles in a guild, in a direct message,
// in a guild of which they are not a member, and after an update of a member whom a message
// introduced.
func TestRolesAreThoseOfAMember(t *testing.T) {
	h := roomtest.New(t)
	staff := h.Discord.World.AddRole(h.Guild, "staff", 0, false)
	h.Discord.People.GrantRole(h.Guild, h.Bob, staff)
	if roles, err := h.Guilds.Roles(h.Context(), h.Guild, h.Bob); err != nil || !slices.Equal(roles, []graph.RoleID{staff}) {
		t.Errorf("in the guild the roles are %v, %v, want %s", roles, err, staff)
	}
	before := len(h.Discord.Record.Requests(nil))
	roles, err := h.Guilds.Roles(h.Context(), 0, h.Bob)
	if asked := len(h.Discord.Record.Requests(nil)) - before; err != nil || len(roles) > 0 || asked > 0 {
		t.Errorf("in a direct message the roles are %v, %v, after %d requests, want none, no error and 0", roles, err, asked)
	}
	stranger := h.Discord.People.AddUser("stranger")
	if roles, err := h.Guilds.Roles(h.Context(), h.Guild, stranger); len(roles) > 0 || !discord.IsNotFound(err) {
		t.Errorf("a stranger's roles are %v, %v, want none and an error that they are unknown", roles, err)
	}
	h.Guilds.Met(h.Guild, h.Channel, h.Bob, &discord.Member{Roles: []graph.RoleID{77}})
	if roles, err := h.Guilds.Roles(h.Context(), h.Guild, h.Bob); err != nil || !slices.Equal(roles, []graph.RoleID{77}) {
		t.Errorf("the roles are %v, %v, want those in the message", roles, err)
	}
	h.Event("GUILD_MEMBER_UPDATE", fmt.Sprintf(`{"guild_id":"%d","user":{"id":"%d"},"roles":[]}`, h.Guild, h.Bob))
	if roles, err := h.Guilds.Roles(h.Context(), h.Guild, h.Bob); err != nil || !slices.Equal(roles, []graph.RoleID{staff}) {
		t.Errorf("after the update the roles are %v, %v, want those that Discord tells", roles, err)
	}
}

// TestWhoMayReadFailsClosed checks that nobody may read a channel while Discord does
// not answer.
func TestWhoMayReadFailsClosed(t *testing.T) {
	h := roomtest.New(t)
	thread := errtest.Must(h.Discord.World.AddThread(h.Channel, h.Self, discordtest.ThreadDraft{Name: "t", Private: true, Members: []graph.UserID{h.Bob}}))(t)
	h.Event("THREAD_CREATE", fmt.Sprintf(`{"id":"%d","type":12,"guild_id":"%d","parent_id":"%d"}`, thread, h.Guild, h.Channel))
	ask := func() (bool, error) { return h.Guilds.MayReadHistory(h.Context(), h.Guild, thread, h.Bob) }
	if may, err := ask(); !may || err != nil {
		t.Fatalf("a member of a private thread may read it: %t, %v, want true and no error", may, err)
	}
	for _, route := range []string{discordtest.RouteGuildMember, discordtest.RouteThreadMember} {
		refused := h.Discord.Faults.Inject(discordtest.Refused(discordtest.On(route), http.StatusForbidden, 50001, "Missing Access"))
		if may, err := ask(); may || !discord.IsForbidden(err) {
			t.Errorf("while %q is refused, a member may read: %t, %v; want false and an error", route, may, err)
		}
		refused.Remove()
	}
	h.Discord.Faults.Inject(discordtest.Fault{Times: -1, Status: http.StatusOK, Body: `"spoilt"`})
	if may, err := ask(); may || err == nil {
		t.Errorf("while Discord answers nonsense, a member may read: %t, %v; want false and an error", may, err)
	}
}
