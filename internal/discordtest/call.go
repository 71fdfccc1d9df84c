package discordtest

import (
	"net/http"

	"heddle/graph"
)

// call is one REST request on its way through a handler.
type call struct {
	world   *world
	request *http.Request
	record  *Request
	bot     *bot // nil if the token is not known
	body    *requestBody
}

// id returns the id that the path names; zero if it names none.
func (c *call) id(name string) uint64 { return idOf(c.request.PathValue(name)) }

// guild returns the guild that the path names, if the bot is in it.
func (c *call) guild() (*guild, error) {
	g := c.world.guilds[graph.GuildID(c.id("guild"))]
	if g == nil {
		return nil, errUnknownGuild()
	}
	if g.member(c.bot.id) == nil {
		return nil, errMissingAccess()
	}
	return g, nil
}

// channel returns the channel that the path names, if the bot may see it, and the
// bot's permissions there.
func (c *call) channel() (*channel, Permission, error) {
	ch := c.world.channels[graph.ChannelID(c.id("channel"))]
	if ch == nil {
		return nil, 0, errUnknownChannel()
	}
	p := ch.permissions(c.bot.id)
	if p&ViewChannel == 0 {
		return nil, 0, errMissingAccess()
	}
	return ch, p, nil
}

// message returns the message that the path names, its channel, and the bot's
// permissions there.
func (c *call) message() (*channel, *Message, Permission, error) {
	ch, p, err := c.channel()
	if err != nil {
		return nil, nil, 0, err
	}
	m := ch.messages.find(graph.MessageID(c.id("message")))
	if m == nil {
		return nil, nil, 0, errUnknownMessage()
	}
	return ch, m, p, nil
}
