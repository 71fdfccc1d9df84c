package cli

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/terminal"
)

// need is a permission that heddle needs in some channels.
type need struct {
	permission discord.Permissions
	name       string // Discord's
	without    string // what heddle cannot do without it
	in         func(discord.ChannelType) bool
}

// needs returns the permissions that heddle needs, with what it cannot do without each.
func needs() []need {
	anywhere := func(discord.ChannelType) bool { return true }
	// In a forum, Send Messages would let heddle open posts, which it does not do.
	said := func(t discord.ChannelType) bool { return t != discord.ChannelForum && t != discord.ChannelMedia }
	threaded := func(t discord.ChannelType) bool { return !t.IsVoice() }
	return []need{
		{discord.PermissionSendMessages, "Send Messages", "answer", said},
		{discord.PermissionSendInThreads, "Send Messages in Threads", "answer in threads", threaded},
		{discord.PermissionReadHistory, "Read Message History", "read what was said before it came", anywhere},
		{discord.PermissionConnect, "Connect", "read what is said", discord.ChannelType.IsVoice},
		{discord.PermissionAttachFiles, "Attach Files", "send files", anywhere},
	}
}

// examinePermissions checks the channels of the first guilds, or of the one that is named.
func examinePermissions(ctx context.Context, rest *discord.REST, me graph.UserID, only graph.GuildID) []finding {
	const most = 20 // as each guild takes three requests
	raw, err := rest.Get(ctx, "/users/@me/guilds", url.Values{"limit": {"200"}})
	if err != nil {
		return []finding{{warning, "permissions", "heddle's servers cannot be listed: " + err.Error(), "try again later"}}
	}
	all := discord.DecodeGuilds(raw)
	if only != 0 {
		all = slices.DeleteFunc(all, func(g discord.Guild) bool { return g.ID != only })
	}
	switch {
	case len(all) == 0 && only != 0:
		return []finding{{fault, "permissions", "heddle is not in the server " + only.String(), "add it there by its invite link, which heddle logs when it starts"}}
	case len(all) == 0:
		return []finding{{warning, "permissions", "heddle is in no server yet", "add it to one by its invite link, which heddle logs when it starts"}}
	}
	var found []finding
	for _, guild := range all[:min(len(all), most)] {
		found = append(found, examineGuild(ctx, rest, guild, me)...)
	}
	if more := len(all) - most; more > 0 {
		found = append(found, inOrder("permissions", "%s not looked at; --guild ID looks at one", terminal.Count(more, "further server")))
	}
	return found
}

// examineGuild checks the channels of one guild. Threads, which are not listed with them,
// have the permissions of their parents.
func examineGuild(ctx context.Context, rest *discord.REST, guild discord.Guild, me graph.UserID) []finding {
	name := printable(guild.Name)
	guild, member, channels, err := readGuild(ctx, rest, guild, me)
	if err != nil {
		return []finding{{warning, "permissions", name + ": cannot be read: " + err.Error(), "try again later"}}
	}
	seen, hidden := 0, 0
	lacking := map[shortfall][]string{} // channels by what is missing there
	for _, channel := range channels {
		if !channel.Type.HasThreads() && !channel.Type.IsVoice() {
			continue // nobody writes there
		}
		granted := discord.MemberIn{Guild: guild, Channel: channel, User: me, Member: member, Now: time.Now()}.Permissions()
		if !granted.Has(discord.PermissionViewChannel) {
			hidden++
			continue
		}
		seen++
		if lacks := missing(granted, channel.Type); lacks != (shortfall{}) {
			lacking[lacks] = append(lacking[lacks], "#"+printable(channel.Name))
		}
	}
	aside := ""
	if hidden > 0 {
		aside = ", and does not see " + terminal.Count(hidden, "channel")
	}
	switch {
	case seen == 0:
		return []finding{{warning, "permissions", name + ": heddle sees no channel", "give its role View Channels there"}}
	case len(lacking) == 0:
		return []finding{inOrder("permissions", "%s: heddle may do what it needs in %s%s", name, terminal.Count(seen, "channel"), aside)}
	}
	var found []finding
	for lacks, channels := range lacking {
		found = append(found, finding{
			warning, "permissions", fmt.Sprintf("%s: in %s heddle cannot %s%s", name, several(channels), lacks.without, aside),
			"give its role " + lacks.names + " there",
		})
	}
	slices.SortFunc(found, func(a, b finding) int { return strings.Compare(a.found, b.found) })
	return found
}

// shortfall is the permissions that heddle lacks in a channel, and what it cannot do
// without them, in prose.
type shortfall struct{ names, without string }

// missing returns what heddle lacks in a channel of a kind.
func missing(granted discord.Permissions, kind discord.ChannelType) shortfall {
	var names, without []string
	for _, n := range needs() {
		if n.in(kind) && !granted.Has(n.permission) {
			names, without = append(names, n.name), append(without, n.without)
		}
	}
	return shortfall{joined(names, "and"), joined(without, "or")}
}

// several names the first of some channels.
func several(channels []string) string {
	const shown = 5
	where := strings.Join(channels[:min(len(channels), shown)], ", ")
	if more := len(channels) - shown; more > 0 {
		where += fmt.Sprintf(" and %d more", more)
	}
	return where
}

// readGuild reads what permissions in a guild follow from: its roles, heddle's membership
// and the channels.
func readGuild(ctx context.Context, rest *discord.REST, guild discord.Guild, me graph.UserID) (discord.Guild, discord.Member, []discord.Channel, error) {
	path := "/guilds/" + guild.ID.String()
	whole, err := rest.Get(ctx, path, nil)
	if err != nil {
		return guild, discord.Member{}, nil, err
	}
	own, err := rest.Get(ctx, path+"/members/"+me.String(), nil)
	if err != nil {
		return guild, discord.Member{}, nil, err
	}
	listed, err := rest.Get(ctx, path+"/channels", nil)
	if err != nil {
		return guild, discord.Member{}, nil, err
	}
	if guild, err = discord.DecodeGuild(whole); err != nil {
		return guild, discord.Member{}, nil, err
	}
	member, err := discord.DecodeMember(own)
	return guild, member, discord.DecodeChannels(listed), err
}
