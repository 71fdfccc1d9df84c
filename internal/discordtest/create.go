package discordtest

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"time"

	"heddle/graph"
)

// nonceLife is how long enforce_nonce remembers. Discord says "the past few minutes".
const nonceLife = 5 * time.Minute

// maxNonces is how many a channel may hold before the old ones are cleared out.
const maxNonces = 10_000

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

// createLocked makes the message that a bot asked for.
func (s *Server) createLocked(c *channel, b *bot, body *createBody, files []Attachment) (*Message, error) {
	if known, err := s.sameNonceLocked(c, b, body); known != nil || err != nil {
		return known, err
	}
	if err := c.mayWrite(b.id, len(files) > 0); err != nil {
		return nil, err
	}
	p := body.parts(len(files))
	if err := p.validate(); err != nil {
		return nil, err
	}
	if err := validateComponents(p.components, p.flags); err != nil {
		return nil, err
	}
	allowed, err := parseAllowed(body.Allowed)
	if err != nil {
		return nil, err
	}
	m := &Message{
		ID: graph.MessageID(s.nextID()), Channel: c.id, Author: b.id,
		Content: p.content, Flags: body.Flags & settableFlags, Attachments: files,
	}
	body.setMore(m)
	if err := s.referLocked(c, m, body.Reference, b.id); err != nil {
		return nil, err
	}
	s.mentionLocked(c, m, allowed)
	s.rememberNonceLocked(c, b, body, m)
	s.storeLocked(c, m)
	return m, nil
}

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

// known is raw, or nil where it says nothing.
func known(raw json.RawMessage) json.RawMessage {
	if isNull(raw) {
		return nil
	}
	return raw
}

// mayWrite checks a member's permission to send in c.
func (c *channel) mayWrite(who graph.UserID, withFiles bool) error {
	p := c.permissions(who)
	if p&ViewChannel == 0 {
		return errMissingAccess()
	}
	if !c.canSend(p) || withFiles && p&AttachFiles == 0 {
		return errMissingPermissions()
	}
	if c.kind == Category || c.kind == Forum {
		return errBadRequest(50008, "Cannot send messages in a non-text channel")
	}
	if c.thread != nil && c.thread.archived && c.thread.locked {
		return errBadRequest(50083, "Thread is archived")
	}
	return nil
}

// sameNonceLocked is the message that was already made with an enforced nonce.
// Discord answers Unknown Message where that one was deleted since.
func (s *Server) sameNonceLocked(c *channel, b *bot, body *createBody) (*Message, error) {
	if isNull(body.Nonce) {
		return nil, nil //nolint:nilnil // no nonce, no message
	}
	if err := validateNonce(body.Nonce); err != nil || !body.EnforceNonce {
		return nil, err
	}
	use, used := c.nonces[nonceKey{b.id, nonceText(body.Nonce)}]
	if !used || s.clock().Sub(use.at) > nonceLife {
		return nil, nil //nolint:nilnil // a nonce not seen before
	}
	if m := c.messages.find(use.message); m != nil {
		return m, nil
	}
	return nil, errUnknownMessage()
}

func (s *Server) rememberNonceLocked(c *channel, b *bot, body *createBody, m *Message) {
	if isNull(body.Nonce) {
		return
	}
	if c.nonces == nil {
		c.nonces = map[nonceKey]nonceUse{}
	}
	if len(c.nonces) >= maxNonces {
		maps.DeleteFunc(c.nonces, func(_ nonceKey, use nonceUse) bool { return s.clock().Sub(use.at) > nonceLife })
	}
	c.nonces[nonceKey{b.id, nonceText(body.Nonce)}] = nonceUse{m.ID, s.clock()}
}

// referLocked sets what m replies to or forwards.
func (s *Server) referLocked(c *channel, m *Message, r *referenceBody, who graph.UserID) error {
	if r == nil {
		return nil
	}
	if r.Type == 1 {
		return s.forwardLocked(m, r, who)
	}
	if c.permissions(who)&ReadMessageHistory == 0 {
		return errBadRequest(160002, "Cannot reply without permission to read message history")
	}
	target := c.messages.find(r.Message.id)
	if target == nil || r.Channel.id != 0 && r.Channel.id != c.id {
		if r.FailIfMissing == nil || *r.FailIfMissing {
			return errForm("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
		}
		return nil
	}
	if system(target.Type) {
		return errForm("message_reference", "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", "Cannot reply to a system message")
	}
	m.Type = TypeReply
	m.Reference = c.referenceTo(r.Message.id)
	return nil
}

func (c *channel) referenceTo(id graph.MessageID) *Reference {
	r := &Reference{Channel: c.id, Message: id}
	if c.guild != nil {
		r.Guild = c.guild.id
	}
	return r
}

// system says whether a message type is Discord's own rather than somebody's words.
func system(kind int) bool {
	switch kind {
	case TypeDefault, TypeReply, 20, 23:
		return false
	}
	return true
}

func (s *Server) forwardLocked(m *Message, r *referenceBody, who graph.UserID) error {
	from := s.world.channels[r.Channel.id]
	if from == nil || from.permissions(who)&(ViewChannel|ReadMessageHistory) != ViewChannel|ReadMessageHistory {
		return &apiError{status: http.StatusBadRequest, code: 160014, message: "You cannot forward a message whose content you cannot read"}
	}
	target := from.messages.find(r.Message.id)
	if target == nil {
		return errForm("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
	}
	s.snapshotLocked(from, m, target)
	return nil
}

// snapshotLocked makes m a forward of target: an unchanging copy without author.
func (s *Server) snapshotLocked(from *channel, m, target *Message) {
	m.Reference = from.referenceTo(target.ID)
	m.Reference.Forward = true
	m.Flags |= FlagHasSnapshot
	w := s.wireMessagePartLocked(target, viewer{content: true})
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
