package discordtest

import (
	"encoding/json"

	"heddle/graph"
)

func (g *Gateway) getURL(*call) (any, error) { return object{"url": g.url}, nil }

// identifiesADay is the number of identifies that a bot has in 24 hours.
const identifiesADay = 1000

func (g *Gateway) getURLForBots(*call) (any, error) {
	return object{
		"url": g.url, "shards": g.recommended,
		"session_start_limit": object{
			"total": identifiesADay, "remaining": identifiesADay, "reset_after": 86_400_000,
			"max_concurrency": g.concurrency,
		},
	}, nil
}

func getMe(c *call) (any, error) {
	return wireUserOf(c.bot.user), nil
}

// applicationContentLimited is the flag of an application whose Message Content
// switch is on.
const applicationContentLimited = 1 << 19

// applicationFlags returns the flags of a bot's application.
func applicationFlags(b *bot) int {
	if b.noContent {
		return 0
	}
	return applicationContentLimited
}

func getApplication(c *call) (any, error) {
	owner := wireUser{ID: c.bot.application, Username: "owner", Discriminator: "0"}
	return object{
		"id": c.bot.application, "name": c.bot.name, "icon": nil, "description": "", "summary": "",
		"bot_public": true, "bot_require_code_grant": false, "verify_key": "", "team": nil,
		"owner": owner, "bot": wireUserOf(c.bot.user), "flags": applicationFlags(c.bot),
		"approximate_guild_count": len(c.world.guildsOf(c.bot)),
	}, nil
}

func getMyGuilds(c *call) (any, error) {
	all := []any{}
	for _, g := range c.world.guildsOf(c.bot) {
		one := object{
			"id": g.id, "name": g.name, "icon": nil, "banner": nil, "owner": false,
			"permissions": g.roles[0].permissions, "features": []any{},
		}
		if counts := c.record.Query.Get("with_counts"); counts == "true" || counts == "1" {
			one["approximate_member_count"], one["approximate_presence_count"] = len(g.members), 1
		}
		all = append(all, one)
	}
	return all, nil
}

func getGuild(_ *call, g *guild) (any, error) {
	return wireGuildHead(g), nil
}

// getGuildChannels leaves out the channels that the bot may not view.
func getGuildChannels(c *call, g *guild) (any, error) {
	all := []object{}
	for _, ch := range g.channels {
		if ch.permissions(c.bot.id)&ViewChannel != 0 {
			all = append(all, wireChannelOf(ch))
		}
	}
	return all, nil
}

func getGuildMember(c *call, g *guild) (any, error) {
	m := g.member(graph.UserID(c.id("user")))
	if m == nil {
		return nil, errUnknownMember()
	}
	return wireMemberOf(m), nil
}

// editMyMember changes the bot's own nickname.
func editMyMember(c *call, g *guild) (any, error) {
	var body struct {
		Nick *string `json:"nick"`
	}
	if json.Unmarshal(c.body.payload, &body) != nil {
		return nil, errBadJSON()
	}
	m, nick := g.member(c.bot.id), ""
	if body.Nick != nil {
		nick = *body.Nick
	}
	c.world.updateMember(g, m, func(m *member) { m.nick = nick })
	return wireMemberOf(m), nil
}

func getChannel(_ *call, ch *channel, _ Permission) (any, error) { return wireChannelOf(ch), nil }

type recipientBody struct {
	Recipient incoming[graph.UserID] `json:"recipient_id"`
}

// openDM returns the bot's DM with a user, if that user accepts DMs.
func openDM(c *call, body *recipientBody) (any, error) {
	u := c.world.users[body.Recipient.id]
	if u == nil {
		return nil, errUnknownUser()
	}
	if u.closedDMs || u.bot != nil {
		return nil, errForbidden(50007, "Cannot send messages to this user")
	}
	return wireChannelOf(c.world.openDM(u, c.bot.user)), nil
}
