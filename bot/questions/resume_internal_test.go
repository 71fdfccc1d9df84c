package questions

import (
	"testing"

	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/roomtest"
)

// newRunner returns a runner with the gate of whoever has a role.
func newRunner(t *testing.T) (*roomtest.Env, *runner) {
	t.Helper()
	h := roomtest.New(t)
	people := guilds.NewPeople(h.Store, h.History, h.Log)
	roles := GateSettings{People: []uint64{77}}
	return h, &runner{Deps: Deps{Guilds: h.Guilds, Gate: NewGate(people, h.Replies, roles), REST: h.REST}}
}

// TestWhoHasLeftTheGuildHasNoRoles looks up members for a message that was missed: one who
// is there, one who has left, and one whom Discord does not tell of.
func TestWhoHasLeftTheGuildHasNoRoles(t *testing.T) {
	h, d := newRunner(t)
	stranger := h.Discord.People.AddUser("cyd", h.Discord.World.AddGuild("knitters"))
	for who, known := range map[graph.UserID]bool{h.Ann: true, stranger: false} {
		m := discord.Message{Channel: h.Channel, Author: discord.User{ID: who}}
		if err := d.identify(h.Context(), h.Guild, &m); err != nil || (m.Member != nil) != known {
			t.Errorf("the member is %v, %v, want that they are known: %t", m.Member, err, known)
		}
	}
	fault := discordtest.Refused(func(discordtest.Request) bool { return true }, 403, discord.CodeMissingPermissions, "Missing Permissions")
	fault.Times = -1
	h.Discord.Faults.Inject(fault)
	m := discord.Message{Channel: h.Channel, Author: discord.User{ID: h.Bob}}
	if err := d.identify(h.Context(), h.Guild, &m); err == nil {
		t.Error("a member whom Discord does not tell of counts as one who has left")
	}
}

// TestOnlyThreadsOfKnownGuildsAreMet leaves the channels of other guilds to the processes
// that have their shards.
func TestOnlyThreadsOfKnownGuildsAreMet(t *testing.T) {
	h, d := newRunner(t)
	before := h.Discord.Record.Count(discordtest.RouteChannel)
	if known, err := d.Guilds.Find(h.Context(), 12345, 678); known || err != nil {
		t.Errorf("a channel of another process is known: %t, %v, want false and no error", known, err)
	}
	if reads := h.Discord.Record.Count(discordtest.RouteChannel) - before; reads != 0 {
		t.Errorf("another process' channel took %d reads, want 0", reads)
	}
	for _, guild := range []graph.GuildID{0, h.Guild} {
		if known, err := d.Guilds.Find(h.Context(), guild, h.Channel); !known || err != nil {
			t.Errorf("a channel of guild %d is not known: %v", guild, err)
		}
	}
	if known, err := d.Guilds.Find(h.Context(), h.Guild, 678); known || err == nil {
		t.Errorf("a channel that there is not is known: %t, %v, want false and an error", known, err)
	}
}
