package cli

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/terminal"
)

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
	guild, member, channels, err := readGuild(ctx, rest, guild.ID, me)
	if err != nil {
		return []finding{{warning, "permissions", name + ": cannot be read: " + err.Error(), "try again later"}}
	}
	seen, hidden := 0, 0
	lacking := map[discord.Permissions][]string{} // channels by what is missing there
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
		if lacks := discord.PermissionsUsed(channel.Type) &^ granted; lacks != 0 {
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
			warning, "permissions", fmt.Sprintf("%s: in %s heddle lacks what it needs %s%s", name, several(channels), phrases.In().Needs(lacks), aside),
			"give its role " + phrases.In().Permissions(lacks) + " there",
		})
	}
	slices.SortFunc(found, func(a, b finding) int { return strings.Compare(a.found, b.found) })
	return found
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
func readGuild(ctx context.Context, rest *discord.REST, guild graph.GuildID, me graph.UserID) (whole discord.Guild, own discord.Member, channels []discord.Channel, err error) {
	route := "/guilds/" + guild.String()
	if whole, err = discord.Read[discord.Guild](ctx, rest, route); err != nil {
		return whole, own, nil, err
	}
	if own, err = discord.Read[discord.Member](ctx, rest, route+"/members/"+me.String()); err != nil {
		return whole, own, nil, err
	}
	listed, err := rest.Get(ctx, route+"/channels", nil)
	return whole, own, discord.DecodeChannels(listed), err
}
