package commands_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"heddle/bot/commands"
	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/bot/questions"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/errtest"
	"heddle/store"
)

// everything is what an operator sets who lets admins choose everything.
func everything() conversation.OverrideSettings {
	return conversation.OverrideSettings{
		MinLinear: 10, MaxTotal: 30, TimeThreshold: "auto", Model: "small", Context: true, Persona: true, Models: []string{"small", "Large"}, MostTotal: 40,
	}
}

// newChoices returns a room in which admins may choose what settings say.
func newChoices(t *testing.T, choices conversation.OverrideSettings) *room {
	t.Helper()
	return newRoomWith(t, choices, commands.Settings{}, questions.GateSettings{})
}

// use uses a command with options such as "where=server".
func (r *room) use(by commands.Use, name string, options ...string) commands.Reply {
	r.t.Helper()
	by.Command.Options = nil
	for _, option := range options {
		key, value, _ := strings.Cut(option, "=")
		by.Command.Options = append(by.Command.Options, discord.CommandOption{Name: key, Value: value})
	}
	by.Command.Name = "heddle " + name
	return r.answers(&by)
}

// answers returns what somebody reads who uses a command or presses a button.
func (r *room) answers(use *commands.Use) commands.Reply {
	r.t.Helper()
	reply, err := r.commands.Find(use).Answer(r.Context(), use)
	if refused, is := errors.AsType[phrases.RefusedError](err); is {
		return use.Say(refused.ID, refused.Values)
	}
	errtest.None(r.T, err)
	return reply
}

// reads fails the test unless an answer says all that it should.
func (r *room) reads(what string, got commands.Reply, want ...string) {
	r.t.Helper()
	for _, one := range want {
		if !strings.Contains(got.Text, one) {
			r.t.Errorf("%s: %q is said, want %q in it", what, got.Text, one)
		}
	}
}

// TestAChoiceHoldsWhereItWasMade chooses for a channel and for the whole guild. A thread
// has its parent's choice, the channel's comes before the guild's, and another guild and
// a direct message have none of these.
func TestAChoiceHoldsWhereItWasMade(t *testing.T) {
	r := newChoices(t, everything())
	r.use(r.admin, "persona", "where=server", "text= of the guild ")
	r.use(r.admin, "model", "where=server", "model=Large")
	r.use(r.admin, "persona", "text=of the channel")
	const other, thread = graph.ChannelID(7), graph.ChannelID(8)
	direct := r.admin
	direct.Guild, direct.Channel, direct.Member = 0, other, nil
	check := func(when string, want ...store.Override) {
		t.Helper()
		for i, at := range []struct {
			guild           graph.GuildID
			channel, parent graph.ChannelID
		}{{r.Guild, r.Channel, 0}, {r.Guild, thread, r.Channel}, {r.Guild, other, 0}, {r.Guild + 1, r.Channel, 0}, {0, other, 0}} {
			if got := r.deps.Overrides.In(r.Context(), at.guild, at.channel, at.parent); got != want[i] {
				t.Errorf("%s, in %+v %+v holds, want %+v", when, at, got, want[i])
			}
		}
	}
	channel, guild, none := store.Override{Model: "Large", Persona: "of the channel"}, store.Override{Model: "Large", Persona: "of the guild"}, store.Override{}
	check("after choices for both", channel, channel, guild, none, none)
	r.reads("in a direct message", r.use(direct, "model", "model=Large"), "From now on **Large** answers here.")
	r.reads("asked which persona holds", r.use(r.admin, "persona"), "of the channel")
	r.reads("asked which model answers", r.use(r.admin, "model"), "Here **Large** answers.")
	r.use(r.admin, "persona", "reset=true")
	check("after the channel's is removed", guild, guild, guild, none, store.Override{Model: "Large"})
	r.reads("the guild's model is removed", r.use(r.admin, "model", "where=server", "reset=true"), "From now on **small** answers here.")
	r.reads("the guild's persona is removed", r.use(r.admin, "persona", "where=server", "reset=true"), phrases.English("persona_none"))
	check("after all are removed", none, none, none, none, store.Override{Model: "Large"})
}

// TestWhatWasChosenHoldsWhileTheStoreIsAway reads a choice, and that heddle is paused everywhere,
// and both again from a closed store.
func TestWhatWasChosenHoldsWhileTheStoreIsAway(t *testing.T) {
	r := newChoices(t, everything())
	r.use(r.admin, "model", "model=Large")
	errtest.None(r.T, r.Store.Overrides.Pause(r.Context(), 0))
	read := r.deps.Overrides.Paused(r.Context(), r.Guild)
	errtest.None(r.T, r.Store.Close())
	if paused := r.deps.Overrides.Paused(r.Context(), r.Guild); !read || !paused {
		t.Errorf("heddle is paused: %t, and with the store away %t, want both true", read, paused)
	}
	if got := r.deps.Overrides.In(r.Context(), r.Guild, r.Channel, 0); got.Model != "Large" {
		t.Errorf("with the store away %+v holds, want the model that was chosen", got)
	}
	if got := r.deps.Overrides.In(r.Context(), r.Guild, r.Channel+1, 0); got != (store.Override{}) {
		t.Errorf("with the store away %+v holds where nothing was read, want nothing", got)
	}
}

// TestOnlyWhoMayChooseChooses has people with all kinds of permissions choose, under an
// operator who allows everything and one who allows nothing. A refusal changes nothing.
func TestOnlyWhoMayChooseChooses(t *testing.T) {
	free, strict := newChoices(t, everything()), newChoices(t, conversation.OverrideSettings{MinLinear: 10, MaxTotal: 30, TimeThreshold: "10m", Model: "small", MostTotal: 40})
	admins, off, long := phrases.English("admins_only"), phrases.English("overrides_off"), strings.Repeat("é", 1001)
	for _, test := range []struct {
		in          *room
		permissions discord.Permissions
		use, want   string
	}{
		{free, 0, "model model=Large", admins},
		{free, 0, "persona text=x", admins},
		{free, 0, "context most=5", admins},
		{free, 0, "context reset=true", admins},
		{free, 0, "context", "-# Admins of this server can change that"},
		{free, discord.PermissionManageChannels, "model model=Large where=server", admins},
		{free, discord.PermissionManageChannels, "persona text=x where=server", admins},
		{free, discord.PermissionManageChannels, "context most=5 where=server", admins},
		{free, discord.PermissionManageChannels, "context reset=true where=server", admins},
		{free, discord.PermissionManageChannels, "context", "-# `/heddle context` with other values"},
		{free, discord.PermissionManageGuild, "model model=tiny", "You can choose among: small, Large."},
		{free, discord.PermissionManageGuild, "persona text=" + long, "at most 1,000 characters"},
		{free, discord.PermissionManageGuild, "context most=41", "from 1 to 40 messages"},
		{free, discord.PermissionManageGuild, "context most=many", "from 1 to 40 messages"},
		{free, discord.PermissionManageGuild, "context newest=6 most=5", "from 0 to 5 of the newest"},
		{free, discord.PermissionManageGuild, "context pause=soon", phrases.English("override_pause")},
		{strict, discord.PermissionManageGuild, "model model=small", off},
		{strict, discord.PermissionManageGuild, "persona text=x", off},
		{strict, discord.PermissionManageGuild, "context most=5", off},
		{strict, discord.PermissionManageGuild, "context", "-# Admins of this server can change that"},
		{strict, discord.PermissionManageGuild, "model reset=true", "From now on **small** answers here."},
		{strict, discord.PermissionAdministrator, "model reset=true", "From now on **small** answers here."},
		{strict, discord.PermissionManageGuild, "persona reset=true", phrases.English("persona_none")},
		{strict, discord.PermissionManageGuild, "context reset=true", "- a pause between two talks: 10 minutes"},
	} {
		by, words := test.in.admin, strings.Fields(test.use)
		by.Permissions = test.permissions
		test.in.reads(fmt.Sprintf("with permissions %b, %.40s", test.permissions, test.use), test.in.use(by, words[0], words[1:]...), test.want)
	}
	if got := free.deps.Overrides.In(free.Context(), free.Guild, free.Channel, 0); got != (store.Override{}) {
		t.Errorf("after refusals %+v holds, want nothing", got)
	}
	direct := free.admin
	direct.Guild, direct.Member = 0, nil
	free.reads("a persona in a direct message", free.use(direct, "persona", "text=x"), phrases.English("persona_direct"))
	free.reads("a server's model in a direct message", free.use(direct, "model", "model=Large", "where=server"), admins)
}
