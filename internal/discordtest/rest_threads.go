package discordtest

import (
	"slices"

	"heddle/graph"
)

type threadBody struct {
	Name string `json:"name"`
}

// threadFromMessage starts a thread from a message.
func threadFromMessage(c *call, body *threadBody) (any, error) {
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

// addToThread adds a person who may see the thread to it.
func addToThread(c *call, ch *channel, p Permission) (any, error) {
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

func getThreadMember(c *call, ch *channel, _ Permission) (any, error) {
	who := graph.UserID(c.id("user"))
	if ch.thread == nil || !slices.Contains(ch.thread.members, who) {
		return nil, errUnknownMember()
	}
	return object{"id": ch.id, "user_id": who, "join_timestamp": wireTime(ch.thread.created), "flags": 0}, nil
}
