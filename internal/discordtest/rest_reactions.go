package discordtest

import (
	"slices"

	"heddle/graph"
)

func react(c *call) (any, error) {
	ch, m, p, err := c.message()
	if err != nil {
		return nil, err
	}
	emoji := c.request.PathValue("emoji")
	if p&ReadMessageHistory == 0 || (reactions{ch, m}).find(emoji) < 0 && p&AddReactions == 0 {
		return nil, errMissingPermissions()
	}
	if err := (reactions{ch, m}).add(c.bot.id, emoji); err != nil {
		return nil, err
	}
	return noContent{}, nil
}

// unreact removes a reaction of the bot's own or, with the permission to manage
// messages, of another user.
func unreact(c *call) (any, error) {
	ch, m, p, err := c.message()
	if err != nil {
		return nil, err
	}
	who := c.bot.id
	if c.request.PathValue("user") != "" {
		who = graph.UserID(c.id("user"))
	}
	if who != c.bot.id && p&ManageMessages == 0 {
		return nil, errMissingPermissions()
	}
	if !(reactions{ch, m}).remove(who, c.request.PathValue("emoji")) {
		return nil, errUnknownEmoji()
	}
	return noContent{}, nil
}

func errUnknownEmoji() *apiError { return errUnknown(10014, "Emoji") }

// listReactions returns the users who reacted with an emoji, by id.
func listReactions(c *call) (any, error) {
	limit, ok := atoi(c.record.Query.Get("limit"), 25)
	if !ok || limit < 1 || limit > 100 {
		return nil, errForm("limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 100.")
	}
	ch, m, p, err := c.message()
	if err != nil {
		return nil, err
	}
	at := reactions{ch, m}.find(c.request.PathValue("emoji"))
	switch {
	case p&ReadMessageHistory == 0:
		return nil, errMissingAccess()
	case at < 0:
		return nil, errUnknownEmoji()
	}
	after := graph.UserID(idOf(c.record.Query.Get("after")))
	users := []wireUser{}
	for _, id := range slices.Sorted(slices.Values(m.Reactions()[at].Users)) {
		if u := c.world.users[id]; u != nil && id > after && len(users) < limit {
			users = append(users, wireUserOf(u))
		}
	}
	return users, nil
}

// clearReactions removes everybody's reactions with one emoji, or with all of them if
// the path names none.
func clearReactions(c *call) (any, error) {
	ch, m, p, err := c.message()
	switch {
	case err != nil:
		return nil, err
	case p&ManageMessages == 0:
		return nil, errMissingPermissions()
	}
	if emoji := c.request.PathValue("emoji"); emoji != "" {
		reactions{ch, m}.clearEmoji(emoji)
	} else {
		reactions{ch, m}.clear()
	}
	return noContent{}, nil
}
