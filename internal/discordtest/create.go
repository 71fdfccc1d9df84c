package discordtest

import (
	"encoding/json"
	"time"

	"heddle/graph"
)

// nonceLife is how long a nonce sent with enforce_nonce is remembered. Discord
// documents it as "the past few minutes".
const nonceLife = 5 * time.Minute

type nonceKey struct {
	author graph.UserID
	nonce  string
}

// createMessage sends a message of the bot's.
func createMessage(c *call, body *messageBody) (any, error) {
	ch, _, err := c.channel()
	if err != nil {
		return nil, err
	}
	m, err := body.create(ch, c.bot, c.uploads(body))
	if err != nil {
		return nil, err
	}
	v := restViewer(c.bot)
	v.fresh = true
	return rendering{c.world, v}.message(ch, m), nil
}

// create creates a bot's message, or returns the one that the same nonce already made.
func (b *messageBody) create(c *channel, by *bot, files []Attachment) (*Message, error) {
	key := nonceKey{by.id, nonceText(b.Nonce)}
	if made := c.nonces[key]; b.EnforceNonce && made != 0 && timeIn(c).Sub(made.Time()) <= nonceLife {
		if m := c.messages.find(made); m != nil {
			return m, nil
		}
		return nil, errUnknownMessage() // Discord's answer if that message was deleted
	}
	var further Permission
	if len(files) > 0 {
		further = AttachFiles
	}
	if err := c.mayWrite(by.id, further); err != nil {
		return nil, err
	}
	m := &Message{ID: idIn(c), Channel: c.id, Author: by.id}
	if err := b.Reference.set(c, by, m); err != nil {
		return nil, err
	}
	if err := b.apply(c, m, files); err != nil {
		return nil, err
	}
	if c.nonces == nil {
		c.nonces = map[nonceKey]graph.MessageID{}
	}
	if key.nonce != "" {
		c.nonces[key] = m.ID
	}
	c.add(m)
	return m, nil
}

// nonceText returns a nonce, a JSON string or number, as text.
func nonceText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// set sets what m, a bot's message in c, replies to.
func (ref *referenceBody) set(c *channel, b *bot, m *Message) error {
	if ref == nil {
		return nil
	}
	if c.permissions(b.id)&ReadMessageHistory == 0 {
		return errBadRequest(160002, "Cannot reply without permission to read message history")
	}
	target := c.messages.find(ref.Message.id)
	if target == nil || ref.Channel.id != 0 && ref.Channel.id != c.id {
		if ref.FailIfMissing == nil || *ref.FailIfMissing {
			return errForm("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
		}
		return nil
	}
	switch target.Type {
	case TypeDefault, TypeReply, TypeChatCommand, TypeContextCommand:
	default:
		return errForm("message_reference", "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", "Cannot reply to a system message")
	}
	m.Type, m.Reference = TypeReply, c.referenceTo(target.ID)
	return nil
}

// forward makes m a forward of target, a message of c: an unchanging copy without author.
func (c *channel) forward(target, m *Message) {
	m.Reference = c.referenceTo(target.ID)
	m.Reference.Forward = true
	m.Flags |= FlagHasSnapshot
	w := rendering{c.world, viewer{content: true}}.part(target)
	inner := object{
		"type": w.Type, "content": w.Content, "embeds": w.Embeds, "attachments": w.Attachments,
		"timestamp": w.Timestamp, "edited_timestamp": w.EditedTimestamp, "flags": w.Flags,
		"mentions": w.Mentions, "mention_roles": w.MentionRoles, "components": w.Components,
	}
	m.Snapshot = mustJSON(object{"message": inner})
}
