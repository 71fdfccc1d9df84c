package discordtest

import (
	"encoding/json"
	"strings"

	"heddle/graph"
)

type createBody struct {
	Content      *string         `json:"content"`
	Nonce        json.RawMessage `json:"nonce"`
	EnforceNonce bool            `json:"enforce_nonce"`
	Embeds       json.RawMessage `json:"embeds"`
	Components   json.RawMessage `json:"components"`
	Poll         json.RawMessage `json:"poll"`
	Allowed      json.RawMessage `json:"allowed_mentions"`
	Reference    *referenceBody  `json:"message_reference"`
	Stickers     []string        `json:"sticker_ids"`
	Flags        int             `json:"flags"`
	attachmentsBody
}

type referenceBody struct {
	Type          int                       `json:"type"`
	Channel       incoming[graph.ChannelID] `json:"channel_id"`
	Message       incoming[graph.MessageID] `json:"message_id"`
	FailIfMissing *bool                     `json:"fail_if_not_exists"`
}

// parts returns the parts of which a message needs at least one, and which have limits.
func (b *createBody) parts(files int) *parts {
	p := &parts{
		embeds: b.Embeds, components: b.Components, poll: b.Poll,
		stickers: len(b.Stickers), files: files, flags: b.Flags,
	}
	if b.Content != nil {
		p.content = strings.TrimSpace(*b.Content)
	}
	if b.Reference != nil && b.Reference.Type == 1 {
		p.reference = 1
	}
	return p
}

// setMore sets the rare parts of m that b holds.
func (b *createBody) setMore(m *Message) {
	if isNull(b.Nonce) && isNull(b.Embeds) && isNull(b.Components) && isNull(b.Poll) && len(b.Stickers) == 0 {
		return
	}
	more := m.more()
	more.Nonce, more.Embeds, more.Components, more.Poll = known(b.Nonce), known(b.Embeds), known(b.Components), known(b.Poll)
	if len(b.Stickers) > 0 {
		var items []map[string]any
		for _, id := range b.Stickers {
			items = append(items, map[string]any{"id": id, "name": "sticker", "format_type": 1})
		}
		more.Stickers = mustJSON(items)
	}
}

// known returns raw, or nil if raw is empty or null.
func known(raw json.RawMessage) json.RawMessage {
	if isNull(raw) {
		return nil
	}
	return raw
}

// creation is one request for a new message.
type creation struct {
	channel *channel
	bot     *bot
	body    *createBody
	files   []Attachment
}

// make creates the message, or returns the one that the same nonce already made.
func (r *creation) make() (*Message, error) {
	if made, err := r.sameNonce(); made != nil || err != nil {
		return made, err
	}
	c := r.channel
	var further Permission
	if len(r.files) > 0 {
		further = AttachFiles
	}
	if err := c.mayWrite(r.bot.id, further); err != nil {
		return nil, err
	}
	p := r.body.parts(len(r.files))
	if err := p.validate(); err != nil {
		return nil, err
	}
	if err := validateComponents(p.components, p.flags); err != nil {
		return nil, err
	}
	allowed, err := parseAllowed(r.body.Allowed)
	if err != nil {
		return nil, err
	}
	m := &Message{
		ID: graph.MessageID(c.world.nextID()), Channel: c.id, Author: r.bot.id,
		Content: p.content, Flags: r.body.Flags & settableFlags, Attachments: r.files,
	}
	r.body.setMore(m)
	if err := r.refer(m); err != nil {
		return nil, err
	}
	allowed.mark(c, m)
	if !isNull(r.body.Nonce) {
		c.nonces.remember(r.nonceKey(), m.ID, c.world.clock())
	}
	c.add(m)
	return m, nil
}

// nonceKey returns the key of the request's nonce. Bots may use the same nonces.
func (r *creation) nonceKey() nonceKey { return nonceKey{r.bot.id, nonceText(r.body.Nonce)} }

// sameNonce returns the message that an enforced nonce already made; nil if it made
// none. If that message was deleted, Discord answers Unknown Message.
func (r *creation) sameNonce() (*Message, error) {
	if isNull(r.body.Nonce) {
		return nil, nil //nolint:nilnil // no nonce, no message
	}
	if err := validateNonce(r.body.Nonce); err != nil || !r.body.EnforceNonce {
		return nil, err
	}
	id, used := r.channel.nonces.find(r.nonceKey(), r.channel.world.clock())
	if !used {
		return nil, nil //nolint:nilnil // a nonce not seen before
	}
	if m := r.channel.messages.find(id); m != nil {
		return m, nil
	}
	return nil, errUnknownMessage()
}

// refer sets what m replies to or forwards.
func (r *creation) refer(m *Message) error {
	c, ref := r.channel, r.body.Reference
	if ref == nil {
		return nil
	}
	if ref.Type == 1 {
		return r.forward(m)
	}
	if c.permissions(r.bot.id)&ReadMessageHistory == 0 {
		return errBadRequest(160002, "Cannot reply without permission to read message history")
	}
	target := c.messages.find(ref.Message.id)
	if target == nil || ref.Channel.id != 0 && ref.Channel.id != c.id {
		if ref.FailIfMissing == nil || *ref.FailIfMissing {
			return errForm("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
		}
		return nil
	}
	if isSystem(target.Type) {
		return errForm("message_reference", "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", "Cannot reply to a system message")
	}
	m.Type = TypeReply
	m.Reference = c.referenceTo(ref.Message.id)
	return nil
}

// isSystem reports whether Discord itself writes messages of a type.
func isSystem(kind int) bool {
	switch kind {
	case TypeDefault, TypeReply, 20, 23:
		return false
	}
	return true
}

// forward makes m a forward of the message that the request refers to.
func (r *creation) forward(m *Message) error {
	const needed = ViewChannel | ReadMessageHistory
	from := r.channel.world.channels[r.body.Reference.Channel.id]
	if from == nil || from.permissions(r.bot.id)&needed != needed {
		return errBadRequest(160014, "You cannot forward a message whose content you cannot read")
	}
	target := from.messages.find(r.body.Reference.Message.id)
	if target == nil {
		return errForm("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
	}
	from.forward(target, m)
	return nil
}

// forward makes m a forward of target, a message of c: an unchanging copy without author.
func (c *channel) forward(target, m *Message) {
	m.Reference = c.referenceTo(target.ID)
	m.Reference.Forward = true
	m.Flags |= FlagHasSnapshot
	w := rendering{c.world, viewer{content: true}}.part(target)
	inner := map[string]any{
		"type": w.Type, "content": w.Content, "embeds": w.Embeds, "attachments": w.Attachments,
		"timestamp": w.Timestamp, "edited_timestamp": w.EditedTimestamp, "flags": w.Flags,
		"mentions": w.Mentions, "mention_roles": w.MentionRoles, "components": w.Components,
	}
	if w.Stickers != nil {
		inner["sticker_items"] = w.Stickers
	}
	m.more().Snapshot = mustJSON(map[string]any{"message": inner})
}
