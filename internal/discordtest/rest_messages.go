package discordtest

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"

	"heddle/graph"
)

// restViewer returns the bot of a request as a viewer. Over REST the setting in the
// developer portal decides what it may read, not the intents of a session.
func restViewer(b *bot) viewer { return viewer{bot: b, content: !b.noContent} }

// listMessages returns a page of messages, newest first. Without the permission to read
// the history the page is empty.
func listMessages(c *call, ch *channel, p Permission) (any, error) {
	if !ch.opens(p) {
		return nil, errMissingAccess()
	}
	page, err := ch.messages.page(c.record.Query)
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
func (l messageLog) page(query url.Values) (messageLog, error) {
	limit, err := strconv.Atoi(cmp.Or(query.Get("limit"), "50"))
	if err != nil || limit < 1 || limit > 100 {
		return nil, errForm("limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 100.")
	}
	for _, name := range []string{"before", "after", "around"} {
		if query.Has(name) {
			from, to := l.window(name, graph.MessageID(idOf(query.Get(name))), limit)
			return l[from:to], nil
		}
	}
	return l[max(len(l)-limit, 0):], nil
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

// editMessage edits one of the bot's own messages, unless it stands in an archived
// thread.
func editMessage(c *call, body *messageBody) (any, error) {
	ch, held, _, err := c.message()
	switch {
	case err != nil:
		return nil, err
	case held.Author != c.bot.id || held.Webhook != "":
		return nil, errForbidden(50005, "Cannot edit a message authored by another user")
	case held.Flags&FlagVoiceMessage != 0:
		return nil, errBadRequest(50160, "Voice messages cannot be edited.")
	case held.Poll != nil:
		return nil, errPollEdit()
	case ch.thread != nil && ch.thread.archived:
		return nil, errBadRequest(50083, "Thread is archived")
	}
	m := *held
	m.Edited = timeIn(ch)
	if err := body.apply(ch, &m, c.uploads(body)); err != nil {
		return nil, err
	}
	ch.replace(&m)
	return rendering{c.world, restViewer(c.bot)}.message(ch, &m), nil
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

func postTyping(c *call, ch *channel, p Permission) (any, error) {
	if !ch.canSend(p) {
		return nil, errMissingPermissions()
	}
	c.world.happened(Happening{Kind: Typing, Channel: ch.id, Message: Message{Channel: ch.id, Author: c.bot.id}})
	return noContent{}, nil
}
