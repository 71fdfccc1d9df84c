package discordtest

import (
	"fmt"

	"heddle/graph"
)

// Follow has a channel follow an announcement channel: it gets copies of what is published there,
// from a webhook, whose id Follow returns.
func (a *World) Follow(announcements, channel graph.ChannelID, who graph.UserID) graph.UserID {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	from, to := must(a.world.channels, announcements), must(a.world.channels, channel)
	if from.kind != Announcement {
		panic(fmt.Sprintf("discordtest: channel %s has no announcements", announcements))
	}
	f := follower{channel: to, webhook: graph.UserID(a.world.nextID())}
	from.followers = append(from.followers, f)
	to.add(&Message{
		ID: graph.MessageID(a.world.nextID()), Channel: to.id, Author: who, Type: TypeFollowAdd, Content: from.guild.name + " #" + from.name,
		Reference: &Reference{Guild: from.guild.id, Channel: from.id},
	})
	return f.webhook
}

// follower is a channel that gets copies of announcements, from a webhook of its own.
type follower struct {
	channel *channel
	webhook graph.UserID
}

// Publish copies a message of an announcement channel to the channels that follow it. Later edits
// and the deletion of the message change the copies, too.
func (t *Chat) Publish(id graph.ChannelID, message graph.MessageID) error {
	return t.with(id, message, func(c *channel, m *Message) error {
		_, err := c.publish(m)
		return err
	})
}

// publish marks m as published and posts the copies.
func (c *channel) publish(m *Message) (*Message, error) {
	switch {
	case c.kind != Announcement || m.Type != TypeDefault:
		return nil, errBadRequest(50024, "Cannot execute action on this channel type")
	case m.Flags&FlagCrossposted != 0:
		return nil, errBadRequest(40033, "This message has already been crossposted")
	}
	published := *m
	published.Flags |= FlagCrossposted
	for _, f := range c.followers {
		copied := published.copied()
		copied.ID, copied.Channel, copied.Author = graph.MessageID(c.world.nextID()), f.channel.id, f.webhook
		copied.Webhook, copied.Reference = c.guild.name+" #"+c.name, c.referenceTo(m.ID)
		published.copies = append(published.copies, *f.channel.referenceTo(copied.ID))
		f.channel.add(&copied)
	}
	c.replace(&published)
	return &published, nil
}

// copied returns what of a message a copy of it says.
func (m *Message) copied() Message {
	return Message{
		Flags: FlagIsCrosspost | m.Flags&FlagSuppressEmbeds, Content: m.Content, Edited: m.Edited, Attachments: m.Attachments,
		Embeds: m.Embeds, Components: m.Components, Stickers: m.Stickers,
	}
}

// recopy changes the copies of a published message to its newest version; nil if it was deleted.
func (c *channel) recopy(published, now *Message) {
	for _, at := range published.copies {
		to := c.world.channels[at.Channel]
		if to == nil || to.messages.find(at.Message) == nil {
			continue
		}
		held := *to.messages.find(at.Message)
		if now == nil {
			held.Content, held.Flags, held.Edited = "[Original Message Deleted]", held.Flags|FlagSourceDeleted, c.world.clock()
			held.Embeds, held.Attachments = nil, nil
		} else {
			changed := now.copied()
			held.Content, held.Edited, held.Attachments, held.Embeds = changed.Content, changed.Edited, changed.Attachments, changed.Embeds
		}
		to.replace(&held)
	}
}

// crosspost publishes a message of the bot's own, or of somebody's if it may manage messages.
func crosspost(c *call) (any, error) {
	ch, m, p, err := c.message()
	if err != nil {
		return nil, err
	}
	if !ch.canSend(p) || m.Author != c.bot.id && p&ManageMessages == 0 {
		return nil, errMissingPermissions()
	}
	if m, err = ch.publish(m); err != nil {
		return nil, err
	}
	return rendering{c.world, restViewer(c.bot)}.message(ch, m), nil
}
