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
