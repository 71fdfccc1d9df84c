package guilds_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/errtest"
	"heddle/store"
)

const testGuild = `{"id":"10","members":[{"user":{"id":"7"},"roles":[]},{"user":{"id":"100"},"roles":["11"]}],"roles":[
	{"id":"10","permissions":"66560"},
	{"id":"11","permissions":"0","managed":true,"tags":{"bot_id":"100"}}],
	"channels":[{"id":"20","type":0},{"id":"22","type":15},{"id":"21","type":0,"permission_overwrites":[{"id":"10","type":0,"deny":"1024","allow":"0"}]}],
	"threads":[{"id":"33","type":11,"parent_id":"22"},{"id":"30","type":11,"parent_id":"20"},{"id":"31","type":12,"parent_id":"20"},{"id":"32","type":11,"parent_id":"21"}]}`

// cacheOf returns heddle's cache of one guild.
func cacheOf(t *testing.T, guild string) *guilds.Cache {
	t.Helper()
	c := guilds.New(nil)
	c.Ready(discord.Ready{User: discord.User{ID: 100, Name: "heddle", Bot: true}})
	mustApply(t, c, "GUILD_CREATE", guild)
	return c
}

func mustApply(t *testing.T, c *guilds.Cache, event, raw string) []guilds.Lost {
	t.Helper()
	change, ok, err := c.Apply(event, json.RawMessage(raw))
	if !ok || err != nil {
		t.Fatalf("%s: %t, %v, want true and no error", event, ok, err)
	}
	return change.Lost
}

func TestScopeIsSharedOnlyByChannelsThatEveryoneMayRead(t *testing.T) {
	c := cacheOf(t, testGuild)
	const (
		write    = discord.PermissionAttachFiles | discord.PermissionSendMessages
		inThread = discord.PermissionAttachFiles | discord.PermissionSendInThreads
		view     = discord.PermissionViewChannel
	)
	for channel, want := range map[graph.ChannelID]guilds.Place{
		20: {Scope: "g10", Lacks: write},
		21: {Scope: "g10.c21", NoHistory: true, Lacks: write | view},
		33: {Scope: "g10", Parent: 22, Starter: 33, Lacks: inThread},
		30: {Scope: "g10", Parent: 20, Starter: 20, Lacks: inThread},
		31: {Scope: "g10.c31", Parent: 20, Starter: 20, Lacks: inThread},
		32: {Scope: "g10.c21", Parent: 21, Starter: 21, NoHistory: true, Lacks: inThread | view},
	} {
		got := c.Place(channel, 10)
		want.Self = guilds.Self{User: 100, Role: 11}
		if got != want {
			t.Errorf("channel %s is %+v, want %+v", channel, got, want)
		}
	}
	if got := c.Place(99, 0); got.Scope != "d99" || !got.Direct {
		t.Errorf("an unknown channel without a guild is %+v, want a direct message's", got)
	}
	if got := c.Place(98, 10); got.Scope != "g10.c98" || got.Self.Role != 11 || got.Direct {
		t.Errorf("an unknown channel of a guild is %+v, want a scope of its own", got)
	}
}

func TestTheCacheKnowsWhereHistoryIsDenied(t *testing.T) {
	c := cacheOf(t, testGuild)
	denied := func() []graph.ChannelID {
		var channels []graph.ChannelID
		for _, channel := range []graph.ChannelID{20, 30, 99} {
			if c.Place(channel, 10).NoHistory {
				channels = append(channels, channel)
			}
		}
		return channels
	}
	expect := func(when string, want ...graph.ChannelID) {
		t.Helper()
		if got := denied(); !slices.Equal(got, want) {
			t.Errorf("%s: history is denied in %v, want %v", when, got, want)
		}
	}
	expect("at first")
	mustApply(t, c, "CHANNEL_UPDATE", `{"id":"20","type":0,"guild_id":"10","permission_overwrites":[{"id":"11","type":0,"deny":"65536"}]}`)
	expect("denied to heddle's role", 20, 30)
	mustApply(t, c, "GUILD_UPDATE", `{"id":"10","roles":[{"id":"10","permissions":"66560"},{"id":"11","permissions":"8"}]}`)
	expect("as an administrator")
	mustApply(t, c, "GUILD_MEMBER_UPDATE", `{"guild_id":"10","user":{"id":"7"},"roles":["12"]}`)
	mustApply(t, c, "GUILD_MEMBER_UPDATE", `{"guild_id":"10","user":{"id":"100"},"roles":[]}`)
	expect("without its role")
	mustApply(t, c, "GUILD_ROLE_CREATE", `{"guild_id":"10","role":{"id":"10","permissions":"1024"}}`)
	expect("denied to everyone", 20, 30)
}

func TestTheCacheFollowsChanges(t *testing.T) {
	c := cacheOf(t, testGuild)
	for _, isAdult := range []bool{true, false} {
		want := store.Scope("g10")
		if isAdult {
			want = "g10.c20"
		}
		mustApply(t, c, "CHANNEL_UPDATE", fmt.Sprintf(`{"id":"20","type":0,"guild_id":"10","nsfw":%t}`, isAdult))
		channel, thread := c.Place(20, 10), c.Place(30, 10)
		if channel.Scope != want || thread.Scope != want || channel.AgeRestricted != isAdult || thread.AgeRestricted != isAdult {
			t.Errorf("with nsfw %t a channel is %+v and its thread %+v, want the scope %s", isAdult, channel, thread, want)
		}
	}
	mustApply(t, c, "CHANNEL_UPDATE", `{"id":"20","type":0,"guild_id":"10","permission_overwrites":[{"id":"10","type":0,"deny":"1024","allow":"0"}]}`)
	if got := c.Place(20, 10).Scope; got != "g10.c20" {
		t.Errorf("a channel that was hidden has scope %q, want %q", got, "g10.c20")
	}
	mustApply(t, c, "GUILD_ROLE_DELETE", `{"guild_id":"10","role_id":"11"}`)
	if got := c.Place(20, 10).Self.Role; got != 0 {
		t.Errorf("a role that is gone is still heddle's: %s, want 0", got)
	}
	if gone := mustApply(t, c, "GUILD_DELETE", `{"id":"10","unavailable":true}`); gone != nil || !c.Knows(20) {
		t.Error("after an outage the guild counts as left, want it to stay known")
	}
	if gone := mustApply(t, c, "THREAD_DELETE", `{"id":"30","guild_id":"10","parent_id":"20","type":11}`); len(gone) != 1 || gone[0].Scope != "g10.c20" || c.Knows(30) {
		t.Errorf("deleting the thread loses %v, and it is known: %t; want it alone, with its scope, and unknown", gone, c.Knows(30))
	}
	if gone := mustApply(t, c, "GUILD_DELETE", `{"id":"10"}`); len(gone) != 6 || c.Knows(20) {
		t.Errorf("leaving a guild loses the channels %v, want all 6", gone)
	}
	if c.KnowsGuild(10) {
		t.Errorf("a guild that was left is known, want it unknown")
	}
	if _, ok, _ := c.Apply("MESSAGE_CREATE", nil); ok {
		t.Error("an event about a message counts as one about channels, want it ignored")
	}
}

func TestMeetAddsAThreadWhoseParentIsKnown(t *testing.T) {
	for name, test := range map[string]struct {
		channel discord.Channel
		scope   store.Scope
	}{
		"of a known parent":          {discord.Channel{ID: 50, Type: discord.ChannelPublicThread, Parent: 20}, "g10"},
		"of a parent with overrides": {discord.Channel{ID: 50, Type: discord.ChannelPublicThread, Parent: 21}, "g10.c21"},
		"of an unknown one":          {discord.Channel{ID: 50, Type: discord.ChannelPublicThread, Parent: 49}, "g10.c50"},
		"a private thread":           {discord.Channel{ID: 50, Type: discord.ChannelPrivateThread, Parent: 20}, "g10.c50"},
		"no thread":                  {discord.Channel{ID: 50, Parent: 20}, "g10.c50"},
	} {
		c := cacheOf(t, testGuild)
		c.Meet(test.channel, 10)
		if got := c.Place(50, 10).Scope; got != test.scope {
			t.Errorf("%s: the scope is %s, want %s", name, got, test.scope)
		}
	}
}

// TestAChannelKeepsItsGuildIfAnEventLeavesItOut adds a thread as REST returns it,
// without its guild, and changes a channel by an event without a guild, as Discord
// sometimes sends them. Leaving the guild then loses both.
func TestAChannelKeepsItsGuildIfAnEventLeavesItOut(t *testing.T) {
	c := cacheOf(t, testGuild)
	c.Meet(discord.Channel{ID: 50, Type: discord.ChannelPublicThread, Parent: 20}, 10)
	mustApply(t, c, "CHANNEL_UPDATE", `{"id":"20","type":0,"topic":"looms"}`)
	for _, channel := range []graph.ChannelID{20, 50} {
		if got := c.GuildOf(channel); got != 10 {
			t.Errorf("channel %s is of guild %s, want 10", channel, got)
		}
	}
	gone := mustApply(t, c, "GUILD_DELETE", `{"id":"10"}`)
	for _, channel := range []graph.ChannelID{20, 50} {
		if !slices.ContainsFunc(gone, func(l guilds.Lost) bool { return l.Channel == channel }) {
			t.Errorf("leaving the guild loses %v, want channel %s among them", gone, channel)
		}
	}
}

// TestASyncReplacesTheThreadsOfItsChannels checks that THREAD_LIST_SYNC adds unknown
// threads and drops known ones that it does not list.
func TestASyncReplacesTheThreadsOfItsChannels(t *testing.T) {
	c := cacheOf(t, testGuild)
	sync := func(raw string) []graph.ChannelID {
		t.Helper()
		s := errtest.Must(discord.Decode[discord.ThreadSync](json.RawMessage(raw)))(t)
		inactive, _ := c.SetThreads(s)
		return inactive
	}
	gone := sync(`{"guild_id":"10","channel_ids":["20"],"threads":[{"id":"31","type":12,"parent_id":"20"},{"id":"40","type":11,"parent_id":"20"},{"id":"41","type":12,"parent_id":"20"}]}`)
	if !slices.Equal(gone, []graph.ChannelID{30}) || c.Knows(30) || !c.Knows(33) || !c.Knows(32) {
		t.Errorf("a sync of channel 20 dropped %v, want 30 alone", gone)
	}
	for channel, want := range map[graph.ChannelID]store.Scope{40: "g10", 41: "g10.c41"} {
		if got := c.Place(channel, 10); got.Scope != want || got.Parent != 20 {
			t.Errorf("the thread %s has scope %s and parent %s, want %s and 20", channel, got.Scope, got.Parent, want)
		}
	}
	gone = sync(`{"guild_id":"10","threads":[{"id":"40","type":11,"parent_id":"20"}]}`)
	if !slices.Equal(gone, []graph.ChannelID{31, 32, 33, 41}) || !c.Knows(20) {
		t.Errorf("a sync of the guild dropped %v, want 31, 32, 33 and 41", gone)
	}
}

// TestArchivedThreadsAreDropped archives more threads than are held. Threads that are
// open, or were opened again, stay.
func TestArchivedThreadsAreDropped(t *testing.T) {
	c := cacheOf(t, testGuild)
	const threads = 20_000
	update := func(id int, archived bool) {
		t.Helper()
		mustApply(t, c, "THREAD_UPDATE", fmt.Sprintf(`{"id":"%d","guild_id":"10","parent_id":"20","type":11,"thread_metadata":{"archived":%t}}`, id, archived))
	}
	for id := range threads {
		update(1000+id, false)
		update(1000+id, true)
		if id == 7 {
			update(1000+id, false)
		}
	}
	known := 0
	for id := range threads {
		if c.Knows(graph.ChannelID(1000 + id)) {
			known++
		}
	}
	if most := 1<<14 + 1; known != most {
		t.Errorf("%d threads are held, want %d", known, most)
	}
	for _, id := range []graph.ChannelID{30, 1007, 1000 + threads - 1} {
		if !c.Knows(id) {
			t.Errorf("thread %s was dropped, want it held", id)
		}
	}
	if got := c.Place(1000+threads-1, 10).Scope; got != "g10" {
		t.Errorf("an archived thread has scope %s, want %q", got, "g10")
	}
	if gone := mustApply(t, c, "THREAD_DELETE", fmt.Sprintf(`{"id":"%d","guild_id":"10"}`, 1000+threads-1)); len(gone) != 1 {
		t.Errorf("deleting an archived thread loses %v, want one of them", gone)
	}
	update(5, true)
	if !c.Knows(1000+threads-2) || c.Knows(1000+threads-1) {
		t.Error("a deleted thread is still counted among the archived ones")
	}
}

// TestChannelsThatAreNoLongerListedAreForgotten lists a guild again, after some of its
// channels were deleted and nobody heard. A deleted channel's threads go with it. A
// thread that is not listed may be archived, so it stays. A list without any channel is
// no list.
func TestChannelsThatAreNoLongerListedAreForgotten(t *testing.T) {
	c := cacheOf(t, testGuild)
	known := func() (all []graph.ChannelID) {
		for _, id := range []graph.ChannelID{20, 21, 22, 30, 31, 32, 33} {
			if c.Knows(id) {
				all = append(all, id)
			}
		}
		return all
	}
	list := func(channels, threads string) []guilds.Lost {
		t.Helper()
		return mustApply(t, c, "GUILD_CREATE", `{"id":"10","roles":[{"id":"10","permissions":"66560"}],"channels":[`+channels+`],"threads":[`+threads+`]}`)
	}
	if gone := list("", ""); len(gone) != 0 || len(known()) != 7 {
		t.Errorf("a list without channels loses %v, want none", gone)
	}
	gone := list(`{"id":"20","type":0},{"id":"22","type":15}`, `{"id":"30","type":11,"parent_id":"20"}`)
	if want := []guilds.Lost{{Channel: 21, Scope: "g10.c21"}, {Channel: 32, Scope: "g10.c21"}}; !slices.Equal(gone, want) {
		t.Errorf("lost are %v, want %v", gone, want)
	}
	if got, want := known(), []graph.ChannelID{20, 22, 30, 31, 33}; !slices.Equal(got, want) {
		t.Errorf("known are %v, want %v", got, want)
	}
	if lost := c.Forget(20); len(lost) != 1 || c.Knows(20) {
		t.Errorf("forgetting a channel loses %v, want the channel alone", lost)
	}
	if lost := c.Forget(20); len(lost) != 0 {
		t.Errorf("forgetting an unknown channel loses %v, want none", lost)
	}
}
