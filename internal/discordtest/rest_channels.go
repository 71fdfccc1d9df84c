package discordtest

import (
	"encoding/json"
	"slices"
	"strings"

	"heddle/graph"
)

func (s *Server) getChannel(c *call) (any, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	ch, _, err := s.channelLocked(c)
	if err != nil {
		return nil, err
	}
	return wireChannelOf(ch), nil
}

// editChannel changes a channel's name, or a thread's name and state.
func (s *Server) editChannel(c *call) (any, error) {
	var body struct {
		Name     *string `json:"name"`
		Archived *bool   `json:"archived"`
		Locked   *bool   `json:"locked"`
	}
	if err := c.body.decode(&body); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, p, err := s.channelLocked(c)
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
	name := "CHANNEL_UPDATE"
	if t := ch.thread; t != nil {
		name = "THREAD_UPDATE"
		if body.Archived != nil {
			t.archived = *body.Archived
		}
		if body.Locked != nil {
			t.locked = *body.Locked
		}
	}
	s.dispatchLocked(event{name: name, channel: ch, render: func(viewer) any { return wireChannelOf(ch) }})
	return wireChannelOf(ch), nil
}

func (s *Server) deleteChannel(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, p, err := s.channelLocked(c)
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
	if ch.guild != nil { // closing a DM hides it and no more
		s.deleteChannelLocked(ch)
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

func (s *Server) threadFromMessage(c *call) (any, error) {
	body, err := c.threadBody()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m, p, err := s.messageLocked(c)
	if err != nil {
		return nil, err
	}
	if p&CreatePublicThreads == 0 {
		return nil, errMissingPermissions()
	}
	t, err := s.startThreadLocked(ch, c.bot.user, ThreadDraft{Name: body.Name, Starter: m.ID})
	if err != nil {
		return nil, err
	}
	return wireChannelOf(t), nil
}

func (s *Server) threadWithoutMessage(c *call) (any, error) {
	body, err := c.threadBody()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, p, err := s.channelLocked(c)
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
		return s.forumPostLocked(ch, c.bot, &body)
	}
	t, err := s.startThreadLocked(ch, c.bot.user, ThreadDraft{Name: body.Name, Private: private})
	if err != nil {
		return nil, err
	}
	return wireChannelOf(t), nil
}

// forumPostLocked starts a thread whose first message has the thread's id.
func (s *Server) forumPostLocked(forum *channel, b *bot, body *threadBody) (any, error) {
	var first createBody
	if json.Unmarshal(body.Message, &first) != nil {
		return nil, errForm("message", "BASE_TYPE_REQUIRED", "This field is required")
	}
	p := first.parts(0)
	if err := p.validate(); err != nil {
		return nil, err
	}
	t, err := s.startThreadLocked(forum, b.user, ThreadDraft{Name: body.Name})
	if err != nil {
		return nil, err
	}
	m := &Message{ID: graph.MessageID(t.id), Channel: t.id, Author: b.id, Content: p.content}
	first.setMore(m)
	s.mentionLocked(t, m, nil)
	s.storeLocked(t, m)
	return struct {
		wireChannel
		Message json.RawMessage `json:"message"`
	}{wireChannelOf(t), s.wireMessageLocked(t, m, restViewer(b))}, nil
}

func (s *Server) joinThread(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, _, err := s.channelLocked(c)
	if err != nil {
		return nil, err
	}
	if ch.thread == nil {
		return nil, errBadRequest(50024, "Cannot execute action on this channel type")
	}
	ch.thread.join(c.bot.id)
	return noContent{}, nil
}

func (s *Server) openDM(c *call) (any, error) {
	var body struct {
		Recipient incoming[graph.UserID] `json:"recipient_id"`
	}
	if err := c.body.decode(&body); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.world.users[body.Recipient.id]
	if u == nil {
		return nil, errUnknownUser()
	}
	if u.closedDMs || u.bot != nil {
		return nil, errForbidden(50007, "Cannot send messages to this user")
	}
	return wireChannelOf(s.openDMLocked(u, c.bot.user)), nil
}

func (s *Server) getActiveThreads(c *call) (any, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	g, err := s.guildLocked(c)
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
