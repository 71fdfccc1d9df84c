package discordtest

import (
	"cmp"
	"slices"
	"time"

	"heddle/graph"
)

// threadFromMessage starts a thread from a message.
func threadFromMessage(c *call) (any, error) {
	var body struct {
		Name string `json:"name"`
	}
	if err := c.body.decode(&body); err != nil {
		return nil, err
	}
	ch, m, p, err := c.message()
	if err != nil {
		return nil, err
	}
	if p&CreatePublicThreads == 0 {
		return nil, errMissingPermissions()
	}
	t, err := ch.startThread(c.bot.user, ThreadDraft{Name: body.Name, Starter: m.ID})
	if err != nil {
		return nil, err
	}
	return wireChannelOf(t), nil
}

// addToThread adds a person who may see the thread to it.
func addToThread(c *call) (any, error) {
	ch, p, err := c.channel()
	if err != nil {
		return nil, err
	}
	who := graph.UserID(c.id("user"))
	switch {
	case ch.thread == nil:
		return nil, errBadRequest(50024, "Cannot execute action on this channel type")
	case p&SendInThreads == 0:
		return nil, errMissingPermissions()
	case ch.permissions(who)&ViewChannel == 0:
		return nil, errUnknownMember()
	}
	ch.thread.join(who)
	return noContent{}, nil
}

func getThreadMember(c *call) (any, error) {
	ch, _, err := c.channel()
	if err != nil {
		return nil, err
	}
	who := graph.UserID(c.id("user"))
	if ch.thread == nil || !slices.Contains(ch.thread.members, who) {
		return nil, errUnknownMember()
	}
	return map[string]any{"id": ch.id, "user_id": who, "join_timestamp": wireTime(ch.thread.created), "flags": 0}, nil
}

// getArchivedThreads lists the archived public threads of a channel, the last one archived
// first.
func getArchivedThreads(c *call) (any, error) {
	before, badTime := time.Parse(time.RFC3339, c.record.Query.Get("before"))
	return c.archived(func(t *channel) bool {
		return t.kind == PublicThread && (badTime != nil || t.thread.changed.Before(before))
	}, func(a, b *channel) int { return b.thread.changed.Compare(a.thread.changed) })
}

// getJoinedThreads lists the archived private threads of a channel that the bot is a
// member of, the newest thread first.
func getJoinedThreads(c *call) (any, error) {
	before := graph.ChannelID(idOf(c.record.Query.Get("before")))
	return c.archived(func(t *channel) bool {
		return t.kind == PrivateThread && slices.Contains(t.thread.members, c.bot.id) && (before == 0 || t.id < before)
	}, func(a, b *channel) int { return cmp.Compare(b.id, a.id) })
}

// archived returns a page of a channel's archived threads that fit, in an order.
func (c *call) archived(fits func(*channel) bool, order func(a, b *channel) int) (any, error) {
	ch, p, err := c.channel()
	if err != nil {
		return nil, err
	}
	limit, ok := atoi(c.record.Query.Get("limit"), 50)
	switch {
	case p&ReadMessageHistory == 0:
		return nil, errMissingAccess()
	case !ok || limit < 2 || limit > 100:
		return nil, errForm("limit", "NUMBER_TYPE_MIN", "int value should be between 2 and 100.")
	}
	var found []*channel
	for _, t := range ch.threads() {
		if t.thread.archived && fits(t) {
			found = append(found, t)
		}
	}
	slices.SortStableFunc(found, order)
	page := wireChannels(found[:min(limit, len(found))])
	return map[string]any{"threads": page, "members": []any{}, "has_more": len(found) > len(page)}, nil
}

func wireChannels(channels []*channel) []wireChannel {
	all := make([]wireChannel, len(channels))
	for i, c := range channels {
		all[i] = wireChannelOf(c)
	}
	return all
}
