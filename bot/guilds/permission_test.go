package guilds_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/roomtest"
	"heddle/store"
)

// town is a guild that Discord and the reference both know. Discord holds its members
// and who is in its threads; the rest reaches heddle by events.
type town struct {
	*roomtest.Env

	reader   discordtest.Bot // asks Discord on heddle's behalf
	ref      refGuild
	roles    []uint64
	channels []*refChannel
	members  []*refMember
}

// newTown makes up a guild. Every choice comes from r.
func newTown(t *testing.T, h *roomtest.Env, r *rand.Rand) *town {
	t.Helper()
	world, people := h.Discord.World, h.Discord.People
	guild := world.AddGuild("town")
	w := &town{Env: h, reader: people.AddBot("reader", guild)}
	w.ref = refGuild{id: uint64(guild), owner: people.AddUser("owner", guild), roles: map[uint64]uint64{uint64(guild): some(r, 8)}}
	for range 3 {
		role := uint64(world.AddRole(guild, "role", 0, false))
		w.roles = append(w.roles, role)
		w.ref.roles[role] = some(r, 2)
	}
	for range 4 {
		m := &refMember{id: people.AddUser("member", guild)}
		w.members = append(w.members, m)
		for _, role := range w.roles {
			if r.IntN(2) == 0 {
				people.GrantRole(guild, m.id, graph.RoleID(role))
				m.roles = append(m.roles, role)
			}
		}
		if r.IntN(4) == 0 {
			m.muted = time.Now().Add(time.Duration(1-2*r.IntN(2)) * 24 * time.Hour) // still running, or over
			people.Timeout(guild, m.id, m.muted)
		}
	}
	w.members = append(w.members, &refMember{id: w.ref.owner})
	for range 4 {
		w.addChannel(t, r)
	}
	w.report(t)
	return w
}

// some returns a random set of the permissions that matter here. Each is in it with a
// probability of likely in 9.
func some(r *rand.Rand, likely int) uint64 {
	var p uint64
	for _, bit := range []uint64{viewChannel, readMessageHistory, connect, sendMessages} {
		if r.IntN(9) < likely {
			p |= bit
		}
	}
	for _, bit := range []uint64{administrator, manageThreads} {
		if r.IntN(15) == 0 {
			p |= bit
		}
	}
	return p
}

// addChannel makes up a channel with a public and a private thread where it can have
// threads.
func (w *town) addChannel(t *testing.T, r *rand.Rand) {
	t.Helper()
	world := w.Discord.World
	kinds := []int{guildText, guildVoice, guildAnnouncement, guildStage, guildForum}
	c := &refChannel{kind: kinds[r.IntN(len(kinds))], adult: r.IntN(5) == 0, overwrites: make(map[uint64]refOverwrite)}
	c.id = world.AddChannel(graph.GuildID(w.ref.id), discordtest.ChannelDraft{Name: "channel"})
	for _, whose := range append([]uint64{w.ref.id, uint64(w.members[0].id), uint64(w.members[1].id)}, w.roles...) {
		if r.IntN(4) == 0 {
			c.overwrites[whose] = refOverwrite{allow: some(r, 2), deny: some(r, 2)}
		}
	}
	w.channels = append(w.channels, c)
	if c.kind == guildVoice || c.kind == guildStage {
		return
	}
	for _, kind := range []int{publicThread, privateThread} {
		thread := &refChannel{kind: kind, parent: c}
		for _, m := range w.members {
			if r.IntN(2) == 0 {
				thread.inside = append(thread.inside, m.id)
			}
		}
		thread.id = errtest.Must(world.AddThread(c.id, w.reader.User, discordtest.ThreadDraft{Name: "thread", Private: kind == privateThread, Members: thread.inside}))(t)
		w.channels = append(w.channels, thread)
	}
}

// report sends heddle the events that the gateway would send to one that has just started. Its
// client may make 50 requests at once, as Discord lets it make as many a second.
func (w *town) report(t *testing.T) {
	t.Helper()
	w.Guilds = guilds.New(discord.NewREST(discord.RESTConfig{BaseURL: w.Discord.URL(), Token: w.reader.Token, Log: w.Log}))
	w.Guilds.Ready(discord.Ready{User: discord.User{ID: w.Self}})
	type wire map[string]any
	guild := struct {
		ID       string `json:"id"`
		Owner    string `json:"owner_id"`
		Roles    []wire `json:"roles"`
		Channels []wire `json:"channels"`
		Threads  []wire `json:"threads"`
	}{ID: decimal(w.ref.id), Owner: w.ref.owner.String()}
	for id, granted := range w.ref.roles {
		guild.Roles = append(guild.Roles, wire{"id": decimal(id), "permissions": decimal(granted)})
	}
	for _, c := range w.channels {
		channel := wire{"id": c.id.String(), "type": c.kind, "nsfw": c.adult}
		if c.parent != nil {
			channel["parent_id"] = c.parent.id.String()
			guild.Threads = append(guild.Threads, channel)
			continue
		}
		var overwrites []wire
		for id, o := range c.overwrites {
			kind := 1
			if _, isRole := w.ref.roles[id]; isRole {
				kind = 0
			}
			overwrites = append(overwrites, wire{"id": decimal(id), "type": kind, "allow": decimal(o.allow), "deny": decimal(o.deny)})
		}
		channel["permission_overwrites"] = overwrites
		guild.Channels = append(guild.Channels, channel)
	}
	data := errtest.Must(json.Marshal(guild))(t)
	w.Event("GUILD_CREATE", string(data))
}

// mayRead is what the reference says, except that heddle ignores timeouts in channels that
// share the guild's scope.
func (w *town) mayRead(m *refMember, c *refChannel) bool {
	now, guild := time.Now(), graph.GuildID(w.ref.id)
	return w.ref.mayRead(m, c, now) || m.muted.After(now) && w.Guilds.Place(c.id, guild).Scope == store.GuildScope(guild)
}

// decimal returns a number as Discord writes ids and permissions.
func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

// isAdult reports whether a channel, or the parent of a thread, is age-restricted.
func (c *refChannel) isAdult() bool { return c.adult || c.parent != nil && c.parent.adult }

// TestPermissionsAreThoseOfDiscordsDocumentation makes up guilds and compares heddle
// with the reference in who may read each channel and in which channels share a scope.
func TestPermissionsAreThoseOfDiscordsDocumentation(t *testing.T) {
	h := roomtest.New(t)
	seen := make(map[string]int)
	for seed := range uint64(150) {
		w := newTown(t, h, rand.New(rand.NewPCG(seed, 1)))
		for _, c := range w.channels {
			w.report(t)
			isShared := w.checkScope(t, c)
			seen[fmt.Sprintf("shared: %t", isShared)]++
			for _, m := range w.members {
				may := w.checkMember(t, c, m)
				seen[fmt.Sprintf("readable: %t", may)]++
			}
		}
	}
	if len(seen) != 4 || slices.Min(slices.Collect(maps.Values(seen))) < 100 {
		t.Errorf("the guilds have too few cases of one kind: %v, want 100 of each of 4", seen)
	}
}

// checkScope checks that a channel has the guild's scope only if all members may read
// it, and reports whether it has.
func (w *town) checkScope(t *testing.T, c *refChannel) bool {
	t.Helper()
	guild := graph.GuildID(w.ref.id)
	scope := w.Guilds.Place(c.id, guild).Scope
	isShared, everyone := scope == store.GuildScope(guild), w.ref.allMayRead(c) && !c.isAdult()
	switch {
	case isShared && !everyone:
		t.Errorf("%+v of %+v has the guild's scope, but some may not open it; want a scope of its own", c, w.ref)
	case !isShared && everyone && !w.deniesAdministrators(c):
		t.Errorf("%+v of %+v has the scope %s, but everyone may read it; want the guild's", c, w.ref, scope)
	}
	return isShared
}

// checkMember checks whether a member may read a channel, and reports it.
func (w *town) checkMember(t *testing.T, c *refChannel, m *refMember) bool {
	t.Helper()
	want := w.mayRead(m, c)
	may, err := w.Guilds.MayReadHistory(w.Context(), graph.GuildID(w.ref.id), c.id, m.id)
	if err != nil || may != want {
		t.Errorf("that %+v may read %+v of %+v is %t, %v, want %t", m, c, w.ref, may, err, want)
	}
	return may
}

// deniesAdministrators reports whether an overwrite of a channel is for a role that has
// Administrator, whose members no overwrite can shut out. heddle may give the channel a
// scope of its own, though everyone may read it.
func (w *town) deniesAdministrators(c *refChannel) bool {
	at := c
	if c.parent != nil {
		at = c.parent
	}
	return slices.ContainsFunc(w.roles, func(role uint64) bool {
		_, overwritten := at.overwrites[role]
		return overwritten && w.ref.roles[role]&administrator != 0
	})
}

// TestWhoeverSpeaksInAPrivateThreadIsInIt asks Discord nothing about somebody who has just
// written in a private thread.
func TestWhoeverSpeaksInAPrivateThreadIsInIt(t *testing.T) {
	h := roomtest.New(t)
	thread := errtest.Must(h.Discord.World.AddThread(h.Channel, h.Ann, discordtest.ThreadDraft{Name: "aside", Private: true, Members: []graph.UserID{h.Guilds.Self().ID}}))(t)
	h.Event("THREAD_CREATE", fmt.Sprintf(`{"id":"%s","guild_id":"%s","parent_id":"%s","type":%d}`, thread, h.Guild, h.Channel, privateThread))
	for in, want := range map[graph.ChannelID]bool{h.Channel: false, thread: true} {
		h.Guilds.Met(h.Guild, in, h.Bob, &discord.Member{})
		if may, err := h.Guilds.MayRead(h.Context(), h.Guild, thread, h.Bob); err != nil || may != want {
			t.Errorf("that somebody who wrote in %s may read the private thread %s is %t, %v, want %t", in, thread, may, err, want)
		}
	}
}
