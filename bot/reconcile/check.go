package reconcile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
)

// pageSize is the most messages that Discord returns for one request.
const pageSize = 100

// check is one pass over everything that is stored.
type check struct {
	*Reconciler

	after   gap
	answers map[graph.MessageID][]graph.MessageID

	reads, deleted, edited, left int
	unread                       error // of a channel that may be read later
}

func (c *check) run(ctx context.Context) error {
	found, err := c.read(ctx)
	if err != nil {
		return err
	}
	return c.look(ctx, found)
}

// look looks up on Discord what was found in the store.
func (c *check) look(ctx context.Context, found stored) error {
	c.answers = found.answers
	waiting := byChannel(found.sources)
	for len(waiting) > 0 {
		channel := newest(waiting)
		rest, err := c.page(ctx, channel, waiting[channel])
		if err != nil {
			return err
		}
		if waiting[channel] = rest; len(rest) == 0 {
			delete(waiting, channel)
		}
	}
	for _, guild := range found.guilds {
		if err := c.guild(ctx, guild); err != nil {
			return err
		}
	}
	return c.unread
}

// get makes a request to Discord. It waits first if the pace of the check requires it.
func (c *check) get(ctx context.Context, path string, query url.Values) (json.RawMessage, error) {
	if c.reads >= atOnce {
		if err := wait.For(ctx, apart); err != nil {
			return nil, err
		}
	}
	c.reads++
	return c.deps.REST.Get(ctx, path, query)
}

// guild asks Discord about a guild that READY did not list, and reports it as left if
// heddle is no longer in it. Asking is needed, because the guild may belong to another
// shard.
func (c *check) guild(ctx context.Context, guild graph.GuildID) error {
	if c.after.member[guild] || c.deps.Guilds.KnowsGuild(guild) {
		return nil
	}
	_, err := c.get(ctx, "/guilds/"+guild.String(), nil)
	switch {
	case discord.HasCode(err, discord.CodeUnknownGuild, discord.CodeMissingAccess):
		c.left++
		c.deps.Events.Left(guild)
	case err != nil:
		c.deps.Log.DebugContext(ctx, "a guild could not be looked up, what is stored for it is kept", "guild", guild, "error", err)
	}
	return ctx.Err()
}

// page looks up the newest sources of a channel and returns those that remain to be
// looked up.
func (c *check) page(ctx context.Context, channel graph.ChannelID, sources []source) ([]source, error) {
	raw, err := c.get(ctx, "/channels/"+channel.String()+"/messages", url.Values{
		"before": {(sources[0].message + 1).String()}, "limit": {strconv.Itoa(pageSize)},
	})
	switch {
	case discord.HasCode(err, discord.CodeUnknownChannel):
		c.deps.Events.LostChannel(channel)
		return nil, nil
	case err != nil:
		return c.leave(ctx, channel, err)
	}
	page, err := discord.DecodePage(raw)
	if err != nil {
		return nil, fmt.Errorf("look the sources of stored answers up: %w", err)
	}
	if len(page.Messages) == 0 || len(page.Messages) < page.Count {
		return c.oneByOne(ctx, channel, sources, page)
	}
	standing := make(map[graph.MessageID]*discord.Message, len(page.Messages))
	oldest := page.Messages[0].ID
	for i := range page.Messages {
		m := &page.Messages[i]
		standing[m.ID] = m
		oldest = min(oldest, m.ID)
	}
	var gone []graph.MessageID
	reached := 0
	for ; reached < len(sources) && sources[reached].message >= oldest; reached++ {
		if m := standing[sources[reached].message]; m != nil {
			c.compare(sources[reached], m)
		} else {
			gone = append(gone, sources[reached].message)
		}
	}
	return sources[reached:], c.delete(ctx, channel, gone)
}

// oneByOne looks up the newest source of a channel by itself. It is used after a page
// that was empty or could not be read to its end. An empty page alone proves nothing,
// because heddle may lack the permission to read the history. If the page is empty and
// the source is gone, everything older is gone, too.
func (c *check) oneByOne(ctx context.Context, channel graph.ChannelID, sources []source, page discord.Page) ([]source, error) {
	raw, err := c.get(ctx, "/channels/"+channel.String()+"/messages/"+sources[0].message.String(), nil)
	looked := 1
	switch {
	case discord.HasCode(err, discord.CodeUnknownMessage):
		if page.Count == 0 {
			looked = len(sources)
		}
		gone := make([]graph.MessageID, looked)
		for i := range gone {
			gone[i] = sources[i].message
		}
		err = c.delete(ctx, channel, gone)
	case err != nil:
		return c.leave(ctx, channel, err)
	default:
		if m, malformed := discord.DecodeMessage(raw); malformed == nil {
			c.compare(sources[0], &m)
		}
	}
	return sources[looked:], err
}

// leave skips a channel that cannot be read, because nothing can be learnt about it. If it
// may be read later, the check fails in the end.
func (c *check) leave(ctx context.Context, channel graph.ChannelID, err error) ([]source, error) {
	if refusal, refused := errors.AsType[*discord.Error](err); !refused || refusal.Passing() {
		c.unread = err
	}
	c.deps.Log.DebugContext(ctx, "a channel could not be read, what is stored for it is kept", "channel", channel, "error", err)
	return nil, ctx.Err()
}

// compare reports a message that was edited since an answer was made from it.
func (c *check) compare(s source, m *discord.Message) {
	if !s.own && s.edited.Before(m.Edited) {
		c.edited++
		c.deps.Events.Edited(s.channel, s.message, m.Edited)
	}
}

// delete deletes the answers to deleted questions on Discord and reports the deletions.
// If it is interrupted, the next check finds the questions again.
func (c *check) delete(ctx context.Context, channel graph.ChannelID, gone []graph.MessageID) error {
	if len(gone) == 0 {
		return nil
	}
	for _, question := range gone {
		for _, answer := range c.answers[question] {
			err := c.deps.Remover.Remove(ctx, channel, answer)
			refusal, refused := errors.AsType[*discord.Error](err)
			switch {
			case refused && !refusal.Passing(): // the other deletions must not wait for it
				c.deps.Log.WarnContext(ctx, "the answer to a deleted question could not be deleted and stands", "channel", channel, "message", answer, "error", err)
			case err != nil:
				return fmt.Errorf("take back the answer to a deleted question: %w", err)
			}
		}
	}
	c.deleted += len(gone)
	c.deps.Events.Deleted(discord.Delete{Channel: channel, Messages: gone})
	return nil
}
