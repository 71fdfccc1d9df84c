package discord_test

import (
	"testing"

	"heddle/graph"
	"heddle/internal/discord"
)

const (
	read    = discord.PermissionViewChannel | discord.PermissionReadHistory
	nothing = discord.Permissions(0)
)

func guildWith(everyone discord.Permissions) discord.Guild {
	return discord.Guild{ID: 1, Owner: 90, Roles: []discord.Role{
		{ID: 1, Permissions: everyone},
		{ID: 2, Permissions: nothing},
		{ID: 3, Permissions: discord.PermissionAdministrator},
		{ID: 4, Permissions: read},
	}}
}

func channelWith(overwrites ...discord.Overwrite) discord.Channel {
	return discord.Channel{ID: 50, Overwrites: overwrites}
}

func TestEveryoneMayReadUnlessSomethingForbidsIt(t *testing.T) {
	thread := discord.Channel{ID: 60, Parent: 50, Type: discord.ChannelPublicThread}
	for _, c := range []struct {
		name    string
		base    discord.Permissions
		channel discord.Channel
		parent  discord.Channel
		want    bool
	}{
		{"open channel", read, channelWith(), discord.Channel{}, true},
		{"no history", discord.PermissionViewChannel, channelWith(), discord.Channel{}, false},
		{"closed by an overwrite", read, channelWith(discord.Overwrite{ID: 1, Deny: discord.PermissionViewChannel}), discord.Channel{}, false},
		{"opened by an overwrite", nothing, channelWith(discord.Overwrite{ID: 1, Allow: read}), discord.Channel{}, true},
		{"a role shut out", read, channelWith(discord.Overwrite{ID: 2, Deny: discord.PermissionViewChannel}), discord.Channel{}, false},
		{"a role silenced", read, channelWith(discord.Overwrite{ID: 2, Deny: 1 << 11}), discord.Channel{}, true},
		{"open to one role", nothing, channelWith(discord.Overwrite{ID: 2, Allow: read}), discord.Channel{}, false},
		{"all administrators", discord.PermissionAdministrator, channelWith(discord.Overwrite{ID: 1, Deny: read}), discord.Channel{}, true},
		{"thread of another parent", read, thread, discord.Channel{ID: 51}, false},
		{"public thread", read, thread, channelWith(), true},
		{"thread of a closed channel", read, thread, channelWith(discord.Overwrite{ID: 1, Deny: read}), false},
		{"thread without its parent", read, thread, discord.Channel{}, false},
		{"private thread", read, discord.Channel{ID: 60, Parent: 50, Type: discord.ChannelPrivateThread}, channelWith(), false},
		{"direct messages", read, discord.Channel{ID: 60, Type: discord.ChannelDM}, discord.Channel{}, false},
	} {
		if got := discord.EveryoneMayRead(guildWith(c.base), c.channel, c.parent); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestMembersReadByRolesAndOverwrites(t *testing.T) {
	closed := channelWith(
		discord.Overwrite{ID: 1, Deny: discord.PermissionViewChannel},
		discord.Overwrite{ID: 2, Allow: discord.PermissionViewChannel},
		discord.Overwrite{ID: 4, Deny: discord.PermissionViewChannel},
		discord.Overwrite{ID: 80, Member: true, Deny: discord.PermissionViewChannel},
		discord.Overwrite{ID: 81, Member: true, Allow: discord.PermissionViewChannel},
	)
	for _, c := range []struct {
		name  string
		user  graph.UserID
		roles []graph.RoleID
		want  bool
	}{
		{"nobody special", 70, nil, false},
		{"a role let in", 70, []graph.RoleID{2}, true},
		{"a role let in wins over one shut out", 70, []graph.RoleID{2, 4}, true},
		{"administrator", 70, []graph.RoleID{3}, true},
		{"owner", 90, nil, true},
		{"member let in", 81, nil, true},
		{"member shut out in spite of a role", 80, []graph.RoleID{2}, false},
	} {
		in := discord.MemberIn{Guild: guildWith(read), Channel: closed, User: c.user, Member: discord.Member{Roles: c.roles}}
		got := in.Permissions().Has(read)
		if got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
