package discordtest

import (
	"encoding/json"
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

// handler answers a call. It runs with the world's lock held: for reading if the
// route is a GET, for writing otherwise.
type handler func(*call) (any, error)

// reading returns a handler that reads the JSON of a request first.
func reading[B any](answer func(*call, *B) (any, error)) handler {
	return func(c *call) (any, error) {
		var body B
		if len(c.body.payload) > 0 && json.Unmarshal(c.body.payload, &body) != nil {
			return nil, errBadJSON()
		}
		return answer(c, &body)
	}
}

// inGuild returns a handler of requests whose path names a guild that the bot is in.
func inGuild(answer func(*call, *guild) (any, error)) handler {
	return func(c *call) (any, error) {
		g := c.world.guilds[graph.GuildID(c.id("guild"))]
		if g == nil {
			return nil, errUnknownGuild()
		}
		if g.member(c.bot.id) == nil {
			return nil, errMissingAccess()
		}
		return answer(c, g)
	}
}

// inChannel returns a handler of requests whose path names a channel that the bot may see.
// It gets the bot's permissions there.
func inChannel(answer func(*call, *channel, Permission) (any, error)) handler {
	return func(c *call) (any, error) {
		ch, p, err := c.channel()
		if err != nil {
			return nil, err
		}
		return answer(c, ch, p)
	}
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
