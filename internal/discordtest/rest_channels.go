package discordtest

import (
	"encoding/json"
	"slices"
	"strings"

	"heddle/graph"
)

func getChannel(c *call) (any, error) {
	ch, _, err := c.channel()
	if err != nil {
		return nil, err
	}
	return wireChannelOf(ch), nil
}

// editChannel changes a channel's name, or a thread's name and state.
func editChannel(c *call) (any, error) {
	var body struct {
		Name     *string `json:"name"`
		Archived *bool   `json:"archived"`
		Locked   *bool   `json:"locked"`
	}
	if err := c.body.decode(&body); err != nil {
		return nil, err
	}
	ch, p, err := c.channel()
	if err != nil {
		return nil, err
	}
	needed, owner := ManageChannels, false
	if ch.thread != nil {
		needed, owner = ManageThreads, ch.thread.owner == c.bot.id
	}
	if p&needed == 0 && !owner {
		return nil, errMissingPermissions()
	}
	if body.Name != nil {
		ch.name = *body.Name
	}
	changed := "CHANNEL_UPDATE"
	if t := ch.thread; t != nil {
		changed = "THREAD_UPDATE"
		if body.Archived != nil {
			t.archived = *body.Archived
		}
		if body.Locked != nil {
			t.locked = *body.Locked
		}
	}
	ch.notify(changed)
	return wireChannelOf(ch), nil
}

func deleteChannel(c *call) (any, error) {
	ch, p, err := c.channel()
	if err != nil {
		return nil, err
	}
	needed := ManageChannels
	if ch.thread != nil {
		needed = ManageThreads
	}
	if ch.guild != nil && p&needed == 0 {
		return nil, errMissingPermissions()
	}
	w := wireChannelOf(ch)
	if ch.guild != nil { // closing a DM only hides it
		ch.destroy()
	}
	return w, nil
}

type threadBody struct {
	Name    string          `json:"name"`
	Type    *ChannelKind    `json:"type"`
	Message json.RawMessage `json:"message"`
}

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
		return ch.forumPost(c.bot, &body)
	}
	t, err := ch.startThread(c.bot.user, ThreadDraft{Name: body.Name, Private: private})
	if err != nil {
		return nil, err
	}
	return wireChannelOf(t), nil
}

// forumPost starts a thread in a forum. Its first message has the thread's id.
func (c *channel) forumPost(b *bot, body *threadBody) (any, error) {
	var first createBody
	if json.Unmarshal(body.Message, &first) != nil {
		return nil, errForm("message", "BASE_TYPE_REQUIRED", "This field is required")
	}
	p := first.parts(0)
	if err := p.validate(); err != nil {
		return nil, err
	}
	t, err := c.startThread(b.user, ThreadDraft{Name: body.Name})
	if err != nil {
		return nil, err
	}
	m := &Message{ID: graph.MessageID(t.id), Channel: t.id, Author: b.id, Content: p.content}
	first.setMore(m)
	allowAll().mark(t, m)
	t.add(m)
	return struct {
		wireChannel
		Message json.RawMessage `json:"message"`
	}{wireChannelOf(t), rendering{c.world, restViewer(b)}.message(t, m)}, nil
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

func openDM(c *call) (any, error) {
	var body struct {
		Recipient incoming[graph.UserID] `json:"recipient_id"`
	}
	if err := c.body.decode(&body); err != nil {
		return nil, err
	}
	u := c.world.users[body.Recipient.id]
	if u == nil {
		return nil, errUnknownUser()
	}
	if u.closedDMs || u.bot != nil {
		return nil, errForbidden(50007, "Cannot send messages to this user")
	}
	return wireChannelOf(c.world.openDM(u, c.bot.user)), nil
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
