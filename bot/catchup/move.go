package catchup

import (
	"context"
	"errors"
	"fmt"

	"heddle/bot/commands"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discord"
)

// threadName bounds the name of a thread, in characters.
const threadName = 90

// move starts a thread from the first message of a talk, if the person may start one
// there, and posts in it what the talk was about. A talk that has a thread gets no other.
func (c *Catchup) move(ctx context.Context, use *commands.Use, tell *telling, t *talk) (commands.Reply, error) {
	if t.thread != 0 {
		return moved(use, tell, t), nil
	}
	m := t.from()
	if m.Channel != use.Channel || use.Guild == 0 || use.Place.Parent != 0 || use.Member == nil ||
		!use.Permissions.Has(discord.PermissionCreateThreads) && !use.ManagesChannel() {
		return commands.Reply{Text: use.Language.Text(phrases.CatchUpNoThread, nil), Buttons: tell.below(t)}, nil
	}
	name := t.Title
	if name == "" {
		name = discord.Unmarked(words(m))
	}
	thread := graph.ChannelID(m.ID) // one id on Discord
	switch err := c.outbox.StartThread(ctx, m.Channel, m.ID, graph.OneLine(name, threadName)); {
	case errors.Is(err, outbox.ErrThreadExists):
	case errors.Is(err, outbox.ErrNoPermission):
		return commands.Reply{Text: use.Language.Text(phrases.CatchUpMayNot, nil), Buttons: tell.below(t)}, nil
	case err != nil:
		return commands.Reply{}, fmt.Errorf("move a talk to a thread: %w", err)
	default:
		if _, err := c.outbox.Reply(ctx, outbox.To{Channel: thread}, tell.talk(t).Text); err != nil {
			return commands.Reply{}, fmt.Errorf("tell a thread what was said: %w", err)
		}
	}
	t.thread = thread
	return moved(use, tell, t), nil
}

// moved returns where a talk goes on that has a thread.
func moved(use *commands.Use, tell *telling, t *talk) commands.Reply {
	text := use.Language.Text(phrases.CatchUpMoved, phrases.Values{"Where": discord.Mention(t.thread)})
	return commands.Reply{Text: text, Buttons: tell.below(t)}
}
