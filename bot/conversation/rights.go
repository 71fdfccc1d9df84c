package conversation

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// Members decides what people may read and how much they may ask; limits.Members does.
type Members interface {
	Guilds
	// Roles returns the roles of a guild's member.
	Roles(ctx context.Context, guild graph.GuildID, user graph.UserID) ([]graph.RoleID, error)
	Accounts
}

// Guilds returns heddle's account and the scopes of channels, and decides who may read
// their history; guilds.Permissions does.
type Guilds interface {
	Self() discord.User
	Scope(guild graph.GuildID, channel graph.ChannelID) store.Scope
	// MayReadHistory reports whether both a member and heddle may read a channel's
	// history. MayRead reports whether the member may.
	MayReadHistory(ctx context.Context, guild graph.GuildID, channel graph.ChannelID, user graph.UserID) (bool, error)
	MayRead(ctx context.Context, guild graph.GuildID, channel graph.ChannelID, user graph.UserID) (bool, error)
}

// rights is what an asker may read around a question.
type rights struct {
	known  bool // the asker is known
	own    bool // what was said before in the question's channel
	parent bool // what was said in the channel that its thread belongs to
	// elsewhere reports whether an answer may use what was said in another channel.
	elsewhere func(graph.ChannelID) bool
}

// rightsOf determines rights.
type rightsOf struct {
	guilds Members
	logger *slog.Logger
}

// of returns what the asker of a question may read. The asker is Question.Asker or,
// without one, the author. If neither is known, the rights are unknown, too.
func (r *rightsOf) of(ctx context.Context, q Question, author graph.UserID) (may rights, err error) {
	asker := cmp.Or(q.Asker, author)
	if asker == 0 {
		return rights{}, nil
	}
	may.known = true
	if may.own, err = r.guilds.MayRead(ctx, q.Guild, q.Channel, asker); err == nil && may.own && q.Place.Parent != 0 {
		may.parent, err = r.guilds.MayRead(ctx, q.Guild, q.Place.Parent, asker)
	}
	if err != nil {
		return rights{}, fmt.Errorf("find out what the asker of %s may read: %w", q.ID, err)
	}
	may.elsewhere = func(channel graph.ChannelID) bool { return may.own && r.elsewhere(ctx, q, asker, channel) }
	return may, nil
}

// elsewhere reports whether a question may be answered from a channel that is neither
// its own nor its parent. The channel must be in the same scope, as everybody reads the
// answer, and both the asker and heddle must be allowed to read its history.
func (r *rightsOf) elsewhere(ctx context.Context, q Question, asker graph.UserID, channel graph.ChannelID) bool {
	if r.guilds.Scope(q.Guild, channel) != q.Place.Scope {
		return false
	}
	readable, err := r.guilds.MayReadHistory(ctx, q.Guild, channel, asker)
	if err != nil {
		r.logger.WarnContext(ctx, "it could not be found out who may read the channel that a link leads to, the link is not followed", "trigger", q.ID, "error", err)
		return false
	}
	return readable
}
