package discordtest

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"heddle/graph"
)

// restViewer returns the bot of a request as a viewer. Over REST the setting in the
// developer portal decides what it may read, not the intents of a session.
func restViewer(b *bot) viewer { return viewer{bot: b, content: !b.noContent} }

// listMessages returns a page of messages, newest first. Without the permission to read
// the history the page is empty.
func listMessages(c *call) (any, error) {
	ch, p, err := c.channel()
	if err != nil {
		return nil, err
	}
	if !ch.opens(p) {
		return nil, errMissingAccess()
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
		all = append(all, rendering{c.world, restViewer(c.bot)}.message(ch, m))
	}
	return all, nil
}

// page returns the messages that a list request asks for, oldest first. "around"
// returns limit/2 on either side and the message itself, so that an even limit may
// return one more.
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

// window returns the bounds of a page before, after or around a message.
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

func getMessage(c *call) (any, error) {
	ch, m, p, err := c.message()
	if err != nil {
		return nil, err
	}
	if p&ReadMessageHistory == 0 {
		return nil, errMissingAccess()
	}
	return rendering{c.world, restViewer(c.bot)}.message(ch, m), nil
}

// createMessage sends a message of the bot's.
func createMessage(c *call) (any, error) {
	var body createBody
	if err := c.body.decode(&body); err != nil {
		return nil, err
	}
	ch, _, err := c.channel()
	if err != nil {
		return nil, err
	}
	m, err := (&creation{ch, c.bot, &body, c.uploads(&body.attachmentsBody)}).make()
	if err != nil {
		return nil, err
	}
	v := restViewer(c.bot)
	v.fresh = true
	return rendering{c.world, v}.message(ch, m), nil
}

type editBody struct {
	Content    optional        `json:"content"`
	Embeds     optional        `json:"embeds"`
	Components optional        `json:"components"`
	Flags      *int            `json:"flags"`
	Allowed    json.RawMessage `json:"allowed_mentions"`
	attachmentsBody
}

// optional is a field that may be absent, which is not the same as null.
type optional struct {
	set bool
	raw json.RawMessage
}

// UnmarshalJSON keeps any value, null included.
func (o *optional) UnmarshalJSON(raw []byte) error {
	o.set, o.raw = true, slices.Clone(raw)
	return nil
}

// editMessage edits one of the bot's own messages, unless it stands in an archived
// thread.
func editMessage(c *call) (any, error) {
	var body editBody
	if err := c.body.decode(&body); err != nil {
		return nil, err
	}
	allowed, err := parseAllowed(body.Allowed)
	if err != nil {
		return nil, err
	}
	ch, held, _, err := c.message()
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
	if err := body.apply(&m, c.uploads(&body.attachmentsBody)); err != nil {
		return nil, err
	}
	m.Edited = c.world.clock()
	allowed.mark(ch, &m)
	ch.replace(&m)
	return rendering{c.world, restViewer(c.bot)}.message(ch, &m), nil
}

// apply changes m, which is a copy, and validates the result.
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

func deleteMessage(c *call) (any, error) {
	ch, m, p, err := c.message()
	if err != nil {
		return nil, err
	}
	if m.Author != c.bot.id && p&ManageMessages == 0 {
		return nil, errMissingPermissions()
	}
	ch.delete(m.ID)
	return noContent{}, nil
}

// bulkAge is the greatest age of a message that is deleted in bulk.
const bulkAge = 14 * 24 * time.Hour

// bulkDelete deletes 2 to 100 messages of a guild. If one of them is older than
// bulkAge, it deletes none.
func bulkDelete(c *call) (any, error) {
	var body struct {
		Messages []incoming[graph.MessageID] `json:"messages"`
	}
	if err := c.body.decode(&body); err != nil {
		return nil, err
	}
	ch, p, err := c.channel()
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
		if c.world.clock().Sub(id.Time()) > bulkAge {
			return nil, errBadRequest(50034, "A message provided was too old to bulk delete")
		}
	}
	ch.delete(ids...)
	return noContent{}, nil
}

func postTyping(c *call) (any, error) {
	ch, p, err := c.channel()
	if err != nil {
		return nil, err
	}
	if !ch.canSend(p) {
		return nil, errMissingPermissions()
	}
	ch.typing(c.bot.id)
	return noContent{}, nil
}
