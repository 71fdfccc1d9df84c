package discordtest

import (
	"heddle/graph"
)

// discovery answers where the gateway is and how to connect to it.
type discovery struct {
	url     string
	gateway *gateway
}

func (d discovery) getGateway(*call) (any, error) { return map[string]any{"url": d.url}, nil }

// identifiesADay is the number of identifies that a bot has in 24 hours.
const identifiesADay = 1000

func (d discovery) getGatewayBot(*call) (any, error) {
	return map[string]any{
		"url": d.url, "shards": d.gateway.sharding.recommended,
		"session_start_limit": map[string]any{
			"total": identifiesADay, "remaining": identifiesADay, "reset_after": 86_400_000,
			"max_concurrency": d.gateway.sharding.concurrency,
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
	return map[string]any{
		"id": c.bot.application, "name": c.bot.name, "icon": nil, "description": "", "summary": "",
		"bot_public": true, "bot_require_code_grant": false, "verify_key": "", "team": nil,
		"owner": owner, "bot": wireUserOf(c.bot.user), "flags": applicationFlags(c.bot),
		"approximate_guild_count": len(c.world.guildsOf(c.bot)),
	}, nil
}

func getMyGuilds(c *call) (any, error) {
	all := []any{}
	for _, g := range c.world.guildsOf(c.bot) {
		all = append(all, map[string]any{
			"id": g.id, "name": g.name, "icon": nil, "banner": nil, "owner": false,
			"permissions": g.roles[0].permissions, "features": []any{},
		})
	}
	return all, nil
}

func getGuild(c *call) (any, error) {
	g, err := c.guild()
	if err != nil {
		return nil, err
	}
	return wireGuildHead(g), nil
}

func getGuildChannels(c *call) (any, error) {
	g, err := c.guild()
	if err != nil {
		return nil, err
	}
	all := make([]wireChannel, len(g.channels))
	for i, ch := range g.channels {
		all[i] = wireChannelOf(ch)
		all[i].Position = i
	}
	return all, nil
}

func getGuildMember(c *call) (any, error) {
	g, err := c.guild()
	if err != nil {
		return nil, err
	}
	m := g.member(graph.UserID(c.id("user")))
	if m == nil {
		return nil, errUnknownMember()
	}
	return wireMemberOf(m), nil
}
