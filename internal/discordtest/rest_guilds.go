package discordtest

import (
	"heddle/graph"
)

func (s *Server) getGateway(*call) (any, error) {
	return map[string]any{"url": s.GatewayURL()}, nil
}

// identifiesADay is how often a bot may identify in 24 hours.
const identifiesADay = 1000

func (s *Server) getGatewayBot(*call) (any, error) {
	return map[string]any{
		"url": s.GatewayURL(), "shards": 1,
		"session_start_limit": map[string]any{
			"total": identifiesADay, "remaining": identifiesADay, "reset_after": 86_400_000,
			"max_concurrency": max(s.options.MaxConcurrency, 1),
		},
	}, nil
}

func (s *Server) getMe(c *call) (any, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return wireUserOf(c.bot.user), nil
}

func (s *Server) getUser(c *call) (any, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	u := s.world.users[graph.UserID(c.id("user"))]
	if u == nil {
		return nil, errUnknownUser()
	}
	return wireUserOf(u), nil
}

// Flags of an application: the Message Content switch, in its limited form.
const applicationContentLimited = 1 << 19

func applicationFlags(b *bot) int {
	if b.noContent {
		return 0
	}
	return applicationContentLimited
}

func (s *Server) getApplication(c *call) (any, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	owner := wireUser{ID: c.bot.application, Username: "owner", Discriminator: "0"}
	return map[string]any{
		"id": c.bot.application, "name": c.bot.name, "icon": nil, "description": "", "summary": "",
		"bot_public": true, "bot_require_code_grant": false, "verify_key": "", "team": nil,
		"owner": owner, "bot": wireUserOf(c.bot.user), "flags": applicationFlags(c.bot),
		"approximate_guild_count": len(s.guildsOfLocked(c.bot)),
	}, nil
}

func (s *Server) guildsOfLocked(b *bot) []*guild {
	var all []*guild
	for _, g := range s.world.guilds {
		if g.member(b.id) != nil {
			all = append(all, g)
		}
	}
	return all
}

func (s *Server) getMyGuilds(c *call) (any, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := []any{}
	for _, g := range s.guildsOfLocked(c.bot) {
		all = append(all, map[string]any{
			"id": g.id, "name": g.name, "icon": nil, "banner": nil, "owner": false,
			"permissions": g.roles[0].permissions, "features": []any{},
		})
	}
	return all, nil
}

// guildLocked is the guild that a request names, if the bot is in it.
func (s *Server) guildLocked(c *call) (*guild, error) {
	g := s.world.guilds[graph.GuildID(c.id("guild"))]
	if g == nil {
		return nil, errUnknownGuild()
	}
	if g.member(c.bot.id) == nil {
		return nil, errMissingAccess()
	}
	return g, nil
}

func (s *Server) getGuild(c *call) (any, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	g, err := s.guildLocked(c)
	if err != nil {
		return nil, err
	}
	return wireGuildHead(g), nil
}

func (s *Server) getGuildChannels(c *call) (any, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	g, err := s.guildLocked(c)
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

func (s *Server) getGuildRoles(c *call) (any, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	g, err := s.guildLocked(c)
	if err != nil {
		return nil, err
	}
	return wireRoles(g), nil
}

func (s *Server) getGuildMember(c *call) (any, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	g, err := s.guildLocked(c)
	if err != nil {
		return nil, err
	}
	m := g.member(graph.UserID(c.id("user")))
	if m == nil {
		return nil, errUnknownMember()
	}
	return s.wireMember(m, true), nil
}
