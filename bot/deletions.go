package bot

import (
	"context"
	"time"

	"heddle/bot/alternatives"
	"heddle/bot/dispatch"
	"heddle/bot/guilds"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// deletions passes deletions to the store and loses none.
type deletions struct {
	store    *store.Deletions
	writes   *work.Writes
	shown    *alternatives.Alternatives
	dispatch *dispatch.Dispatcher
}

// messages erases messages. It deletes the answers to questions among them from Discord,
// and corrects the buttons below the answers that remain.
func (d *deletions) messages(scope store.Scope, deleted discord.Delete) {
	d.writes.Add(func(ctx context.Context) error {
		answers := d.shown.Displays.Answers(ctx, scope, deleted.Messages)
		stale, err := d.store.Forget(ctx, scope, deleted.Channel, deleted.Messages)
		if err != nil {
			return err
		}
		d.dispatch.TakeBack(deleted, answers)
		d.dispatch.RefreshButtons(stale)
		return nil
	})
}

// edited erases, soon, the older versions of a message.
func (d *deletions) edited(channel graph.ChannelID, message graph.MessageID, edited time.Time) {
	d.writes.Add(func(ctx context.Context) error { return d.store.Edited(ctx, channel, message, edited) })
}

// channel erases what was said in a channel that heddle can no longer read.
func (d *deletions) channel(lost guilds.Lost) {
	d.writes.Add(func(ctx context.Context) error { return d.store.ForgetChannel(ctx, lost.Scope, lost.Channel) })
}

// guild erases what was said in a guild that heddle left.
func (d *deletions) guild(guild graph.GuildID) {
	d.writes.Add(func(ctx context.Context) error { return d.store.ForgetGuild(ctx, guild) })
}
