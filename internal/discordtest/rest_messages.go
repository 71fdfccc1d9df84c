package discordtest

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"heddle/graph"
)

// restViewer is the bot of a request. Over REST the portal's switch decides what
// it may read, not the intents of a session.
func restViewer(b *bot) viewer { return viewer{bot: b, content: !b.noContent} }

func (s *Server) listMessages(c *call) (any, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	ch, p, err := s.channelLocked(c)
	if err != nil {
		return nil, err
	}
	page, err := ch.messages.page(c.record)
	if err != nil {
		return nil, err
	}
	if p&ReadMessageHistory == 0 {
		page = nil
	}
	all := make([]json.RawMessage, 0, len(page))
	for _, m := range slices.Backward(page) {
		all = append(all, s.wireMessageLocked(ch, m, restViewer(c.bot)))
	}
	return all, nil
}

// page is what a list asks for, oldest first. Around gives limit/2 on either side
// and the message itself, so that an even limit may give one more than asked for.
func (l messageLog) page(r *Request) (messageLog, error) {
	limit, ok := atoi(r.Query.Get("limit"), 50)
	switch {
	case !ok:
		return nil, errForm("limit", "NUMBER_TYPE_COERCE", "Value \""+r.Query.Get("limit")+"\" is not int.")
	case limit < 1:
		return nil, errForm("limit", "NUMBER_TYPE_MIN", "int value should be greater than or equal to 1.")
	case limit > 100:
		return nil, errForm("limit", "NUMBER_TYPE_MAX", "int value should be less than or equal to 100.")
	}
	from, to := max(len(l)-limit, 0), len(l)
	given := 0
	for _, name := range []string{"before", "after", "around"} {
		text := r.Query.Get(name)
		if text == "" {
			continue
		}
		given++
		id := graph.MessageID(idOf(text))
		if id == 0 && text != "0" {
			return nil, errForm(name, "NUMBER_TYPE_COERCE", "Value \""+text+"\" is not snowflake.")
		}
		from, to = l.window(name, id, limit)
	}
	if given > 1 {
		return nil, errForm("before", "MUTUALLY_EXCLUSIVE", "before, after and around are mutually exclusive.")
	}
	return l[from:to], nil
}

func (l messageLog) window(name string, id graph.MessageID, limit int) (from, to int) {
	i, found := l.search(id)
	next := i
	if found {
		next++
	}
	switch name {
	case "before":
		return max(i-limit, 0), i
	case "after":
		return next, min(next+limit, len(l))
	default:
		return max(i-limit/2, 0), min(next+limit/2, len(l))
	}
}

// messageLocked is the message that a request's path names.
func (s *Server) messageLocked(c *call) (*channel, *Message, Permission, error) {
	ch, p, err := s.channelLocked(c)
	if err != nil {
		return nil, nil, 0, err
	}
	m := ch.messages.find(graph.MessageID(c.id("message")))
	if m == nil {
		return nil, nil, 0, errUnknownMessage()
	}
	return ch, m, p, nil
}

func (s *Server) getMessage(c *call) (any, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	ch, m, p, err := s.messageLocked(c)
	if err != nil {
		return nil, err
	}
	if p&ReadMessageHistory == 0 {
		return nil, errMissingAccess()
	}
	return s.wireMessageLocked(ch, m, restViewer(c.bot)), nil
}

func (s *Server) createMessage(c *call) (any, error) {
	var body createBody
	if err := c.body.decode(&body); err != nil {
		return nil, err
	}
	files := s.uploaded(c.body, body.Attachments)
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, _, err := s.channelLocked(c)
	if err != nil {
		return nil, err
	}
	m, err := s.createLocked(ch, c.bot, &body, files)
	if err != nil {
		return nil, err
	}
	v := restViewer(c.bot)
	v.fresh = true
	return s.wireMessageLocked(ch, m, v), nil
}

type editBody struct {
	Content    optional        `json:"content"`
	Embeds     optional        `json:"embeds"`
	Components optional        `json:"components"`
	Flags      *int            `json:"flags"`
	Allowed    json.RawMessage `json:"allowed_mentions"`
	attachmentsBody
}

// optional tells an absent field from one that is null.
type optional struct {
	set bool
	raw json.RawMessage
}

// UnmarshalJSON takes whatever stands there, null included.
func (o *optional) UnmarshalJSON(raw []byte) error {
	o.set, o.raw = true, slices.Clone(raw)
	return nil
}

func (s *Server) editMessage(c *call) (any, error) {
	var body editBody
	if err := c.body.decode(&body); err != nil {
		return nil, err
	}
	allowed, err := parseAllowed(body.Allowed)
	if err != nil {
		return nil, err
	}
	files := s.uploaded(c.body, body.Attachments)
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, held, _, err := s.messageLocked(c)
	if err != nil {
		return nil, err
	}
	if held.Author != c.bot.id || held.webhook() != "" {
		return nil, errForbidden(50005, "Cannot edit a message authored by another user")
	}
	if ch.thread != nil && ch.thread.archived {
		return nil, errBadRequest(50083, "Thread is archived")
	}
	m := *held
	if err := body.apply(&m, files); err != nil {
		return nil, err
	}
	m.Edited = s.clock()
	s.mentionLocked(ch, &m, allowed)
	s.replaceLocked(ch, &m)
	return s.wireMessageLocked(ch, &m, restViewer(c.bot)), nil
}

// apply changes m, which is a copy, and checks what became of it.
func (b *editBody) apply(m *Message, files []Attachment) error {
	more := m.more()
	if b.Content.set {
		var text string
		if !isNull(b.Content.raw) && json.Unmarshal(b.Content.raw, &text) != nil {
			return errForm("content", "BASE_TYPE_CONVERT", "Could not interpret value as string.")
		}
		m.Content = strings.TrimSpace(text)
	}
	if b.Embeds.set {
		more.Embeds = known(b.Embeds.raw)
	}
	if b.Components.set {
		more.Components = known(b.Components.raw)
	}
	if b.Flags != nil {
		const editable = FlagSuppressEmbeds | FlagComponentsV2
		m.Flags = m.Flags&^FlagSuppressEmbeds | *b.Flags&editable // components V2 never goes away
	}
	m.Attachments = append(slices.Clone(b.kept(m)), files...)
	p := &parts{
		content: m.Content, embeds: more.Embeds, components: more.Components, poll: more.Poll,
		stickers: count(more.Stickers), files: len(m.Attachments), flags: m.Flags,
	}
	if more.Snapshot != nil {
		p.reference = 1
	}
	if err := p.validate(); err != nil {
		return err
	}
	return validateComponents(b.Components.raw, m.Flags)
}

func (s *Server) deleteMessage(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m, p, err := s.messageLocked(c)
	if err != nil {
		return nil, err
	}
	if m.Author != c.bot.id && p&ManageMessages == 0 {
		return nil, errMissingPermissions()
	}
	s.deleteLocked(ch, m.ID)
	return noContent{}, nil
}

// bulkAge is how old a message that is deleted in bulk may be.
const bulkAge = 14 * 24 * time.Hour

func (s *Server) bulkDelete(c *call) (any, error) {
	var body struct {
		Messages []incoming[graph.MessageID] `json:"messages"`
	}
	if err := c.body.decode(&body); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, p, err := s.channelLocked(c)
	switch {
	case err != nil:
		return nil, err
	case p&ManageMessages == 0 || ch.guild == nil:
		return nil, errMissingPermissions()
	case len(body.Messages) < 2 || len(body.Messages) > 100:
		return nil, errBadRequest(50016, "Provided too few or too many messages to delete. Must provide at least 2 and fewer than 100 messages to delete")
	}
	ids := plainIDs(body.Messages)
	for _, id := range ids {
		if s.clock().Sub(id.Time()) > bulkAge {
			return nil, errBadRequest(50034, "A message provided was too old to bulk delete")
		}
	}
	s.deleteLocked(ch, ids...)
	return noContent{}, nil
}

func (s *Server) postTyping(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, p, err := s.channelLocked(c)
	if err != nil {
		return nil, err
	}
	if !ch.canSend(p) {
		return nil, errMissingPermissions()
	}
	s.typeLocked(ch, c.bot.id)
	return noContent{}, nil
}

func (s *Server) typeLocked(c *channel, who graph.UserID) {
	s.dispatchLocked(event{name: "TYPING_START", channel: c, render: func(viewer) any {
		body := map[string]any{"channel_id": c.id, "user_id": who, "timestamp": s.clock().Unix()}
		if c.guild != nil {
			body["guild_id"] = c.guild.id
		}
		return body
	}})
	s.happenedLocked(Happening{Kind: Typing, Channel: c.id, Message: Message{Channel: c.id, Author: who}})
}
