package bot

import (
	"context"
	"fmt"

	"heddle/graph"
	"heddle/internal/discord"
)

// mayReadHistory says whether a member of a guild may read what was said before in
// a channel. It asks Discord who the member is; what is not known may not be read.
func (b *Bot) mayReadHistory(ctx context.Context, channel graph.ChannelID, user graph.UserID) (bool, error) {
	home, at, parent, known := b.world.surroundings(channel)
	if !known {
		return false, nil
	}
	raw, err := b.rest.Get(ctx, "/guilds/"+home.ID.String()+"/members/"+user.String(), nil)
	if discord.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read a member: %w", err)
	}
	member, err := discord.DecodeMember(raw)
	if err != nil {
		return false, fmt.Errorf("read a member: %w", err)
	}
	granted := discord.MemberPermissions(home, at, parent, user, member)
	return granted.Has(discord.PermissionViewChannel | discord.PermissionReadHistory), nil
}

// surroundings gives a guild's channel with its guild and, of a thread, its parent;
// false where nobody told of them.
func (w *world) surroundings(channel graph.ChannelID) (home discord.Guild, at, parent discord.Channel, known bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	at, ok := w.channels[channel]
	home, known = w.guilds[at.Guild]
	return home, at, w.channels[at.Parent], ok && known
}
