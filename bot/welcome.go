package bot

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
)

// welcomeTimeout bounds a greeting.
const welcomeTimeout = 30 * time.Second

// greeting returns a function that greets a guild that heddle has joined while it runs, which one
// process then does once; nil if it cannot. The greeting explains how to ask, and names the
// permissions that heddle lacks.
func (r *receiver) greeting(guild discord.Guild) func(context.Context) error {
	self := r.guilds.Self().ID
	at := slices.IndexFunc(guild.Members, func(m discord.Member) bool { return m.User.ID == self })
	if at < 0 {
		return nil
	}
	channel, missing := firstChannel(guild, self, guild.Members[at])
	log := r.deps.Log.With("guild", guild.ID)
	if missing != 0 {
		log.Warn("heddle lacks permissions in a server that it joined, an admin has to grant them", "missing", phrases.In().Permissions(missing))
	}
	if channel == 0 {
		log.Warn("heddle joined a server and may write in none of its channels")
		return nil
	}
	return func(ctx context.Context) error { return greet(ctx, r.deps.Replies, guild, channel, missing) }
}

// greet says hello in a channel, and names the permissions that are missing.
func greet(ctx context.Context, out *reply.Replies, guild discord.Guild, channel graph.ChannelID, missing discord.Permissions) error {
	ctx, cancel := context.WithTimeout(ctx, welcomeTimeout)
	defer cancel()
	l := phrases.In(guild.Locale)
	text := l.Text("welcome", nil)
	if missing != 0 {
		text = phrases.Lines(text, l.Text("welcome_missing", phrases.Values{"Missing": l.Permissions(missing)}))
	}
	if _, err := out.Reply(ctx, reply.To{Channel: channel, Cause: reply.Joined(guild.ID)}, text); err != nil {
		return fmt.Errorf("say hello in a server that heddle joined: %w", err)
	}
	return nil
}

// firstChannel returns the channel to greet a guild in: the topmost one where heddle
// may write, or 0 if there is none. It also returns the permissions that heddle lacks
// there.
func firstChannel(guild discord.Guild, self graph.UserID, member discord.Member) (in graph.ChannelID, missing discord.Permissions) {
	now := time.Now()
	grantedIn := func(c discord.Channel) discord.Permissions {
		return discord.MemberIn{Guild: guild, Channel: c, User: self, Member: member, Now: now}.Permissions()
	}
	channels := slices.DeleteFunc(slices.Clone(guild.Channels), func(c discord.Channel) bool {
		return c.Type != discord.ChannelText || !grantedIn(c).Has(discord.PermissionViewChannel|discord.PermissionSendMessages)
	})
	if len(channels) == 0 {
		return 0, 0
	}
	first := slices.MinFunc(channels, func(a, b discord.Channel) int {
		return cmp.Or(cmp.Compare(rank(guild, a), rank(guild, b)), cmp.Compare(a.Position, b.Position), cmp.Compare(a.ID, b.ID))
	})
	return first.ID, discord.PermissionsNeeded &^ discord.PermissionConnect &^ grantedIn(first)
}

// rank returns the place of a channel among those to greet a guild in. The channel in
// which Discord itself greets people comes first.
func rank(guild discord.Guild, c discord.Channel) int {
	if c.ID == guild.System {
		return 0
	}
	return 1
}
