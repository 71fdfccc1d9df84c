package discordtest

import (
	"heddle/graph"
)

func getChannel(c *call) (any, error) {
	ch, _, err := c.channel()
	if err != nil {
		return nil, err
	}
	return wireChannelOf(ch), nil
}

// editChannel changes a channel's name, or a thread's name and state.
func editChannel(c *call) (any, error) {
	var body struct {
		Name     *string `json:"name"`
		Archived *bool   `json:"archived"`
		Locked   *bool   `json:"locked"`
	}
	if err := c.body.decode(&body); err != nil {
		return nil, err
	}
	ch, p, err := c.channel()
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
	if t := ch.thread; t != nil {
		archived, locked := t.archived, t.locked
		if body.Archived != nil {
			archived = *body.Archived
		}
		if body.Locked != nil {
			locked = *body.Locked
		}
		ch.archive(archived, locked)
	} else {
		ch.notify("CHANNEL_UPDATE")
	}
	return wireChannelOf(ch), nil
}

// deleteChannel deletes a channel or a thread, which needs the permission to manage it.
// A DM is returned as it is.
func deleteChannel(c *call) (any, error) {
	ch, p, err := c.channel()
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
	if ch.guild != nil { // closing a DM only hides it
		ch.destroy()
	}
	return w, nil
}

// openDM returns the bot's DM with a user, if that user accepts DMs.
func openDM(c *call) (any, error) {
	var body struct {
		Recipient incoming[graph.UserID] `json:"recipient_id"`
	}
	if err := c.body.decode(&body); err != nil {
		return nil, err
	}
	u := c.world.users[body.Recipient.id]
	if u == nil {
		return nil, errUnknownUser()
	}
	if u.closedDMs || u.bot != nil {
		return nil, errForbidden(50007, "Cannot send messages to this user")
	}
	return wireChannelOf(c.world.openDM(u, c.bot.user)), nil
}
