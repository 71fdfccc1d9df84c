package guilds_test

import (
	"log/slog"
	"testing"
	"time"

	"heddle/bot/guilds"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/errtest"
	"heddle/internal/roomtest"
)

// namesIn returns the names in the guild of testGuild, in whose channel 20 messages are.
func namesIn(t *testing.T) *guilds.Names {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	kept := roomtest.OpenStore(t)
	return guilds.NewNames(cacheOf(t, testGuild), guilds.NewPeople(kept, fetch.NewHistory(nil, nil), log), kept, log)
}

// TestMembersAreRequestedInBatches asks for many people at once, as two guilds' messages name them.
// A request that Discord refuses is made again, and nobody is asked for twice.
func TestMembersAreRequestedInBatches(t *testing.T) {
	n := namesIn(t)
	for range 2 {
		for id := range uint64(150) {
			if name, waits := n.Of(20, 5, "@", 1000+id); name != "" || !waits {
				t.Fatalf("the name of %d is %q, want that it is asked for", id, name)
			}
		}
	}
	wanted := func() (people []graph.UserID) {
		t.Helper()
		guild, people, err := n.Wanted(t.Context())
		if errtest.None(t, err); guild != 10 {
			t.Errorf("the guild is %s, want 10", guild)
		}
		return people
	}
	first := wanted()
	n.Refused(0)
	rest := append(wanted(), wanted()...)
	if len(first) != 100 || len(rest) != 150 {
		t.Errorf("asked for %d, and then for %d, want 100, and then all 150", len(first), len(rest))
	}
	n.HeardMembers(&discord.MembersChunk{Guild: 10, Members: []discord.Member{{User: discord.User{ID: 1000, Name: "ann", Nick: "Nemo"}}}, Missing: []graph.UserID{1001}})
	for id, want := range map[uint64]string{1000: "Nemo", 1001: ""} {
		n.Recall(t.Context(), 20, []graph.UserID{graph.UserID(id)})
		if name, waits := n.Of(20, 5, "@", id); name != want || waits {
			t.Errorf("%d is called %q, waits %t, want %q at once", id, name, waits, want)
		}
	}
}

// TestNamesOfAGuildAreBounded hears more people of a guild than are remembered.
func TestNamesOfAGuildAreBounded(t *testing.T) {
	n := namesIn(t)
	n.Heard(0, 1, discord.User{ID: 5, Name: "elsewhere"})
	for id := range graph.UserID(1001) {
		n.Heard(10, graph.MessageID(id+1), discord.User{ID: 1000 + id, Name: "somebody"})
	}
	newest, _ := n.Of(20, 9999, "@", 2000)
	oldest, _ := n.Of(20, 9999, "@", 1000)
	if newest != "somebody" || oldest != "" {
		t.Errorf("the newest is called %q and the oldest %q, want somebody and none", newest, oldest)
	}
	if name, _ := n.Of(99, 9999, "@", 5); name != "elsewhere" {
		t.Errorf("in another place somebody is called %q, want that they stay", name)
	}
}

// TestRolesAndChannelsAreCalledAsThen renames a role after a message that names it. A channel that
// not everybody may see has no name elsewhere.
func TestRolesAndChannelsAreCalledAsThen(t *testing.T) {
	c := cacheOf(t, testGuild)
	log := slog.New(slog.DiscardHandler)
	kept := roomtest.OpenStore(t)
	n := guilds.NewNames(c, guilds.NewPeople(kept, fetch.NewHistory(nil, nil), log), kept, log)
	later := graph.FirstMessageID(time.Now().Add(time.Hour))
	is := func(message graph.MessageID, sign string, id uint64, want string) {
		t.Helper()
		if name, _ := n.Of(20, message, sign, id); name != want {
			t.Errorf("%s%d is called %q in message %d, want %q", sign, id, name, message, want)
		}
	}
	mustApply(t, c, "GUILD_ROLE_CREATE", `{"guild_id":"10","role":{"id":"12","name":"staff"}}`)
	mustApply(t, c, "CHANNEL_UPDATE", `{"id":"20","type":0,"guild_id":"10","name":"general"}`)
	mustApply(t, c, "CHANNEL_UPDATE", `{"id":"21","type":0,"guild_id":"10","name":"board","permission_overwrites":[{"id":"10","type":0,"deny":"1024","allow":"0"}]}`)
	is(5, "@&", 12, "staff")
	is(5, "#", 20, "general")
	is(5, "#", 21, "")
	is(5, "#", 77, "")
	mustApply(t, c, "GUILD_ROLE_UPDATE", `{"guild_id":"10","role":{"id":"12","name":"crew"}}`)
	is(5, "@&", 12, "staff")
	is(later, "@&", 12, "crew")
	is(5, "@&", 12, "staff")
}
