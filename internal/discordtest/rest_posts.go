package discordtest

import (
	"encoding/json"

	"heddle/graph"
)

// postBody is a thread without a starter message, or a post with its message, as a request makes
// or changes it.
type postBody struct {
	Name     *string            `json:"name"`
	Type     ChannelKind        `json:"type"`
	Message  json.RawMessage    `json:"message"`
	Tags     *[]incoming[TagID] `json:"applied_tags"`
	Archived *bool              `json:"archived"`
	Locked   *bool              `json:"locked"`
}

// tags returns the tags that a request names.
func (b *postBody) tags() (all []TagID) {
	if b.Tags != nil {
		for _, id := range *b.Tags {
			all = append(all, id.id)
		}
	}
	return all
}

// startPost starts a thread without a starter, or a post in a forum, which has a message.
func startPost(c *call, body *postBody) (any, error) {
	ch, p, err := c.channel()
	if err != nil {
		return nil, err
	}
	d := ThreadDraft{Tags: body.tags(), Private: body.Type == PrivateThread}
	if body.Name != nil {
		d.Name = *body.Name
	}
	needs := CreatePublicThreads
	if ch.kind.holdsPosts() {
		needs = SendMessages
	} else if d.Private {
		needs = CreatePrivateThreads
	}
	switch {
	case p&needs == 0:
		return nil, errMissingPermissions()
	case d.Name == "":
		return nil, errForm("name", "BASE_TYPE_REQUIRED", "This field is required")
	case ch.kind.holdsPosts() != (body.Message != nil):
		return nil, errForm("message", "BASE_TYPE_REQUIRED", "This field is required")
	}
	var first messageBody
	if body.Message != nil && json.Unmarshal(body.Message, &first) != nil {
		return nil, errBadJSON()
	}
	t, err := ch.startThread(c.bot.user, d)
	if err != nil {
		return nil, err
	}
	wire := wireChannelOf(t)
	if body.Message == nil {
		return wire, nil
	}
	m := &Message{ID: graph.MessageID(t.id), Channel: t.id, Author: c.bot.id}
	if err := first.apply(t, m, c.uploads(&first)); err != nil {
		t.destroy()
		return nil, err
	}
	t.add(m)
	wire["message"] = rendering{c.world, restViewer(c.bot)}.message(t, m)
	return wire, nil
}

// editThread changes the title, the tags or the state of a thread.
func editThread(c *call, body *postBody) (any, error) {
	ch, p, err := c.channel()
	switch {
	case err != nil:
		return nil, err
	case ch.thread == nil || ch.thread.owner != c.bot.id && p&ManageThreads == 0:
		return nil, errMissingPermissions()
	}
	if body.Name != nil {
		ch.name = *body.Name
	}
	if body.Tags != nil {
		ch.thread.tags = body.tags()
	}
	archived, locked := ch.thread.archived, ch.thread.locked
	if body.Archived != nil {
		archived = *body.Archived
	}
	if body.Locked != nil {
		locked = *body.Locked
	}
	ch.archive(archived, locked)
	return wireChannelOf(ch), nil
}
