package discordtest

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/graph"
)

type threadBody struct {
	Name    string          `json:"name"`
	Type    *ChannelKind    `json:"type"`
	Message json.RawMessage `json:"message"`
}

// threadBody returns the body of a request that starts a thread, whose name it checks.
func (c *call) threadBody() (threadBody, error) {
	var body threadBody
	if err := c.body.decode(&body); err != nil {
		return body, err
	}
	if n := len([]rune(strings.TrimSpace(body.Name))); n < 1 || n > 100 {
		return body, errForm("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
	}
	return body, nil
}

// threadFromMessage starts a thread from a message.
func threadFromMessage(c *call) (any, error) {
	body, err := c.threadBody()
	if err != nil {
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

// threadWithoutMessage starts a thread that belongs to no message. In a forum that is a
// post. Elsewhere the thread is private unless the request asks for another type.
func threadWithoutMessage(c *call) (any, error) {
	body, err := c.threadBody()
	if err != nil {
		return nil, err
	}
	ch, p, err := c.channel()
	if err != nil {
		return nil, err
	}
	private := ch.kind != Forum && (body.Type == nil || *body.Type == PrivateThread)
	needed := CreatePublicThreads
	switch {
	case ch.kind == Forum:
		needed = SendMessages
	case private:
		needed = CreatePrivateThreads
	}
	if p&needed == 0 {
		return nil, errMissingPermissions()
	}
	if ch.kind == Forum {
		return forumPost(c, ch, &body)
	}
	t, err := ch.startThread(c.bot.user, ThreadDraft{Name: body.Name, Private: private})
	if err != nil {
		return nil, err
	}
	return wireChannelOf(t), nil
}

// forumPost starts a thread in a forum. Its first message has the thread's id.
func forumPost(c *call, forum *channel, body *threadBody) (any, error) {
	var first createBody
	if json.Unmarshal(body.Message, &first) != nil {
		return nil, errForm("message", "BASE_TYPE_REQUIRED", "This field is required")
	}
	p := first.parts(0)
	if err := p.validate(); err != nil {
		return nil, err
	}
	t, err := forum.startThread(c.bot.user, ThreadDraft{Name: body.Name})
	if err != nil {
		return nil, err
	}
	m := &Message{ID: graph.MessageID(t.id), Channel: t.id, Author: c.bot.id, Content: p.content}
	first.setMore(m)
	allowAll().mark(t, m)
	t.add(m)
	return struct {
		wireChannel
		Message json.RawMessage `json:"message"`
	}{wireChannelOf(t), rendering{c.world, restViewer(c.bot)}.message(t, m)}, nil
}

func joinThread(c *call) (any, error) {
	ch, _, err := c.channel()
	if err != nil {
		return nil, err
	}
	if ch.thread == nil {
		return nil, errBadRequest(50024, "Cannot execute action on this channel type")
	}
	ch.thread.join(c.bot.id)
	return noContent{}, nil
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

func getActiveThreads(c *call) (any, error) {
	g, err := c.guild()
	if err != nil {
		return nil, err
	}
	threads := []wireChannel{}
	for _, t := range slices.Backward(g.threads) {
		if !t.thread.archived && t.permissions(c.bot.id)&ViewChannel != 0 {
			threads = append(threads, wireChannelOf(t))
		}
	}
	return map[string]any{"threads": threads, "members": []any{}}, nil
}

// getArchivedThreads returns the handler that lists the archived threads of one kind in
// a channel, the last one archived first.
func getArchivedThreads(kind ChannelKind) handler {
	return func(c *call) (any, error) {
		ch, p, err := c.channel()
		if err != nil {
			return nil, err
		}
		limit, ok := atoi(c.record.Query.Get("limit"), 50)
		before, badTime := time.Parse(time.RFC3339, c.record.Query.Get("before"))
		switch {
		case p&ReadMessageHistory == 0 || kind == PrivateThread && p&ManageThreads == 0:
			return nil, errMissingAccess()
		case !ok || limit < 2 || limit > 100:
			return nil, errForm("limit", "NUMBER_TYPE_MIN", "int value should be between 2 and 100.")
		case c.record.Query.Has("before") && badTime != nil:
			return nil, errForm("before", "DATE_TIME_TYPE_PARSE", "Could not parse the time.")
		}
		var found []*channel
		for _, t := range ch.threads() {
			if t.kind == kind && t.thread.archived && (badTime != nil || t.thread.changed.Before(before)) {
				found = append(found, t)
			}
		}
		slices.SortStableFunc(found, func(a, b *channel) int { return b.thread.changed.Compare(a.thread.changed) })
		page := wireChannels(found[:min(limit, len(found))])
		return map[string]any{"threads": page, "members": []any{}, "has_more": len(found) > len(page)}, nil
	}
}

// getJoinedThreads lists the archived private threads of a channel that the bot is a
// member of, the newest thread first.
func getJoinedThreads(c *call) (any, error) {
	ch, p, err := c.channel()
	if err != nil {
		return nil, err
	}
	limit, ok := atoi(c.record.Query.Get("limit"), 50)
	before, badID := strconv.ParseUint(cmp.Or(c.record.Query.Get("before"), "0"), 10, 64)
	switch {
	case p&ReadMessageHistory == 0:
		return nil, errMissingAccess()
	case !ok || limit < 2 || limit > 100:
		return nil, errForm("limit", "NUMBER_TYPE_MIN", "int value should be between 2 and 100.")
	case badID != nil:
		return nil, errForm("before", "NUMBER_TYPE_COERCE", "Value is not snowflake.")
	}
	var found []*channel
	for _, t := range ch.threads() {
		if t.kind == PrivateThread && t.thread.archived && slices.Contains(t.thread.members, c.bot.id) && (before == 0 || uint64(t.id) < before) {
			found = append(found, t)
		}
	}
	slices.SortFunc(found, func(a, b *channel) int { return cmp.Compare(b.id, a.id) })
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
