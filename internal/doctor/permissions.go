package doctor

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
)

// mostGuilds bounds the guilds whose channels are checked, because each takes three
// requests.
const mostGuilds = 20

// needs returns the permissions that heddle needs in a channel, with what it cannot do
// without each.
func needs() []need {
	posts := func(t discord.ChannelType) bool { return t == discord.ChannelForum || t == discord.ChannelMedia }
	return []need{
		// In a forum, Send Messages would let heddle open posts, which it does not do.
		{discord.PermissionSendMessages, "Send Messages", "answer", func(t discord.ChannelType) bool { return !posts(t) }},
		{discord.PermissionSendInThreads, "Send Messages in Threads", "answer in threads", func(t discord.ChannelType) bool { return !t.IsVoice() }},
		{discord.PermissionReadHistory, "Read Message History", "read what was said before it came", anywhere},
		{discord.PermissionConnect, "Connect", "read what is said", discord.ChannelType.IsVoice},
		{discord.PermissionAttachFiles, "Attach Files", "send files", anywhere},
	}
}

// need is a permission that heddle needs in some channels.
type need struct {
	permission discord.Permissions
	name       string // Discord's
	without    string // what heddle cannot do without it
	in         func(discord.ChannelType) bool
}

func anywhere(discord.ChannelType) bool { return true }

// permissions checks the channels of all guilds, or of the guild that was named.
func (d Discord) permissions(ctx context.Context, me graph.UserID, to *Report) {
	raw, err := d.REST.Get(ctx, "/users/@me/guilds", url.Values{"limit": {"200"}})
	if err != nil {
		to.Add(Finding{Warning, "permissions", "heddle's servers cannot be listed: " + err.Error(), "try again later"})
		return
	}
	all := discord.DecodeGuilds(raw)
	if d.Guild != 0 {
		all = slices.DeleteFunc(all, func(g discord.Guild) bool { return g.ID != d.Guild })
	}
	switch {
	case len(all) == 0 && d.Guild != 0:
		to.Add(Finding{Fault, "permissions", "heddle is not in the server " + d.Guild.String(), "add it there by its invite link, which heddle logs when it starts"})
		return
	case len(all) == 0:
		to.Add(Finding{Warning, "permissions", "heddle is in no server yet", "add it to one by its invite link, which heddle logs when it starts"})
		return
	}
	for _, guild := range all[:min(len(all), mostGuilds)] {
		d.inGuild(ctx, guild, me, to)
	}
	if more := len(all) - mostGuilds; more > 0 {
		to.Fine("permissions", "%s not looked at; -guild ID looks at one", plural(more, "further server"))
	}
}

// inGuild checks the channels of one guild.
func (d Discord) inGuild(ctx context.Context, guild discord.Guild, me graph.UserID, to *Report) {
	name := printable(guild.Name)
	guild, member, channels, err := d.read(ctx, guild, me)
	if err != nil {
		to.Add(Finding{Warning, "permissions", name + ": cannot be read: " + err.Error(), "try again later"})
		return
	}
	seen, hidden := 0, 0
	var lacking []shortfall
	for _, channel := range channels {
		if !talkedIn(channel.Type) {
			continue
		}
		granted := discord.MemberIn{Guild: guild, Channel: channel, User: me, Member: member, Now: time.Now()}.Permissions()
		if !granted.Has(discord.PermissionViewChannel) {
			hidden++
			continue
		}
		seen++
		if lacks := missing(channel.Type, granted); len(lacks) > 0 {
			lacking = withShortfall(lacking, lacks, "#"+printable(channel.Name))
		}
	}
	aside := ""
	if hidden > 0 {
		aside = ", and does not see " + plural(hidden, "channel")
	}
	switch {
	case seen == 0:
		to.Add(Finding{Warning, "permissions", name + ": heddle sees no channel", "give its role View Channels there"})
	case len(lacking) == 0:
		to.Fine("permissions", "%s: heddle may do what it needs in %s%s", name, plural(seen, "channel"), aside)
	}
	slices.SortFunc(lacking, func(a, b shortfall) int { return slices.Compare(a.lacks, b.lacks) })
	for i := range lacking {
		to.Add(lacking[i].in(name, aside))
	}
}

// read reads what is needed to compute permissions in a guild: its roles, heddle's
// membership and the channels.
func (d Discord) read(ctx context.Context, guild discord.Guild, me graph.UserID) (discord.Guild, discord.Member, []discord.Channel, error) {
	path := "/guilds/" + guild.ID.String()
	whole, err := d.REST.Get(ctx, path, nil)
	if err != nil {
		return guild, discord.Member{}, nil, err
	}
	own, err := d.REST.Get(ctx, path+"/members/"+me.String(), nil)
	if err != nil {
		return guild, discord.Member{}, nil, err
	}
	listed, err := d.REST.Get(ctx, path+"/channels", nil)
	if err != nil {
		return guild, discord.Member{}, nil, err
	}
	if guild, err = discord.DecodeGuild(whole); err != nil {
		return guild, discord.Member{}, nil, err
	}
	member, err := discord.DecodeMember(own)
	return guild, member, discord.DecodeChannels(listed), err
}

// talkedIn reports whether people write in channels of type t. Threads, which are not
// listed with a guild's channels, have the permissions of their parents.
func talkedIn(t discord.ChannelType) bool {
	return t.HasThreads() || t.IsVoice()
}

// missing returns the indexes of the needs that granted does not meet, ascending.
func missing(t discord.ChannelType, granted discord.Permissions) []int {
	var lacks []int
	for i, n := range needs() {
		if n.in(t) && !granted.Has(n.permission) {
			lacks = append(lacks, i)
		}
	}
	return lacks
}

// shortfall is a set of needs that are not met, and the channels that this is so in.
type shortfall struct {
	lacks    []int // indexes of needs, ascending
	channels []string
}

// withShortfall adds a channel to the shortfall of what it lacks.
func withShortfall(all []shortfall, lacks []int, channel string) []shortfall {
	at := slices.IndexFunc(all, func(s shortfall) bool { return slices.Equal(s.lacks, lacks) })
	if at < 0 {
		return append(all, shortfall{lacks, []string{channel}})
	}
	all[at].channels = append(all[at].channels, channel)
	return all
}

// in returns the finding about a shortfall in a guild.
func (s *shortfall) in(guild, aside string) Finding {
	var names, without []string
	for _, i := range s.lacks {
		names, without = append(names, needs()[i].name), append(without, needs()[i].without)
	}
	const shown = 5
	where := strings.Join(s.channels[:min(len(s.channels), shown)], ", ")
	if more := len(s.channels) - shown; more > 0 {
		where += fmt.Sprintf(" and %d more", more)
	}
	return Finding{
		Warning, "permissions", fmt.Sprintf("%s: in %s heddle cannot %s%s", guild, where, joined(without, "or"), aside),
		"give its role " + joined(names, "and") + " there",
	}
}

// joined returns a list of words in prose, with a conjunction before the last.
func joined(words []string, conjunction string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " " + conjunction + " " + words[last]
}
