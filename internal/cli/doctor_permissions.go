package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"heddle/bot/gateway"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/terminal"
)

// chosenGuilds returns the first guilds, or the one that is named, and findings about the choice.
func chosenGuilds(all []discord.Guild, only graph.GuildID) ([]discord.Guild, []finding) {
	const most = 20 // as each guild takes three requests
	if only != 0 {
		all = slices.DeleteFunc(all, func(g discord.Guild) bool { return g.ID != only })
	}
	switch {
	case len(all) == 0 && only != 0:
		return nil, []finding{{fault, "permissions", "heddle is not in the server " + only.String(), "add it there by its invite link, which heddle logs when it starts"}}
	case len(all) == 0:
		return nil, []finding{{warning, "permissions", "heddle is in no server yet", "add it to one by its invite link, which heddle logs when it starts"}}
	case len(all) > most:
		return all[:most], []finding{inOrder("permissions", "%s not looked at; --guild ID looks at one", terminal.Count(len(all)-most, "further server"))}
	}
	return all, nil
}

// hiddenChannels counts the channels that heddle may not view, by guild. Only the gateway lists
// them, since 2026-11-16 (finding 4.9), so this takes one of the 1,000 sessions of a day. The
// guilds of other shards than the first guild's are not counted.
func hiddenChannels(ctx context.Context, connect gateway.Config, offer discord.Offer, guilds []discord.Guild) map[graph.GuildID]int {
	const patience = 10 * time.Second // guilds with an outage are never reported
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if offer.Shards > 1 {
		connect.Shard = gateway.Shard{ID: int(uint64(guilds[0].ID) >> 22 % uint64(offer.Shards)), Count: offer.Shards} //nolint:gosec // a remainder fits
	}
	count := &hiddenCount{hidden: map[graph.GuildID]int{}, enough: cancel}
	for _, guild := range guilds {
		if connect.Shard.Has(guild.ID) {
			count.missing = append(count.missing, guild.ID)
		}
	}
	_ = gateway.New(connect).Run(ctx, count) // what is wrong with the connection is found elsewhere
	return count.hidden
}

// hiddenCount counts hidden channels until all guilds are reported.
type hiddenCount struct {
	hidden  map[graph.GuildID]int
	missing []graph.GuildID
	enough  context.CancelFunc
}

// Connected implements gateway.Handler.
func (*hiddenCount) Connected(gateway.Connected) {}

// Disconnected implements gateway.Handler.
func (*hiddenCount) Disconnected() {}

// Event implements gateway.Handler.
func (c *hiddenCount) Event(name string, data json.RawMessage) {
	guild, err := discord.Decode[discord.Guild](data)
	if name != "GUILD_CREATE" || err != nil || guild.Unavailable {
		return
	}
	for i := range guild.Channels {
		if one := &guild.Channels[i]; one.Hidden && (one.Type.HasThreads() || one.Type.IsVoice()) {
			c.hidden[guild.ID]++
		}
	}
	c.missing = slices.DeleteFunc(c.missing, func(id graph.GuildID) bool { return id == guild.ID })
	if len(c.missing) == 0 {
		c.enough()
	}
}

// examineGuild checks the channels of one guild, of which some more are hidden. Threads, which are
// not listed with them, have the permissions of their parents.
func examineGuild(ctx context.Context, rest *discord.REST, guild discord.Guild, me graph.UserID, hidden int) []finding {
	name := printable(guild.Name)
	guild, member, channels, err := readGuild(ctx, rest, guild.ID, me)
	if err != nil {
		return []finding{{warning, "permissions", name + ": cannot be read: " + err.Error(), "try again later"}}
	}
	seen := 0
	lacking := map[discord.Permissions][]string{} // channels by what is missing there
	for _, channel := range channels {
		if !channel.Type.HasThreads() && !channel.Type.IsVoice() {
			continue // nobody writes there
		}
		granted := discord.MemberIn{Guild: guild, Channel: channel, User: me, Member: member, Now: time.Now()}.Permissions()
		if !granted.Has(discord.PermissionViewChannel) {
			hidden++ // by a server that lists all channels
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
