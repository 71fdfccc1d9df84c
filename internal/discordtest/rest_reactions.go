package discordtest

import (
	"slices"

	"heddle/graph"
)

func (s *Server) react(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m, p, err := s.messageLocked(c)
	if err != nil {
		return nil, err
	}
	emoji := c.request.PathValue("emoji")
	if p&ReadMessageHistory == 0 || findReaction(m, emoji) < 0 && p&AddReactions == 0 {
		return nil, errMissingPermissions()
	}
	if err := s.reactLocked(ch, m, c.bot.id, emoji); err != nil {
		return nil, err
	}
	return noContent{}, nil
}

func (s *Server) unreact(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m, p, err := s.messageLocked(c)
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
	if !s.unreactLocked(ch, m, who, c.request.PathValue("emoji")) {
		return nil, errUnknownEmoji()
	}
	return noContent{}, nil
}

func errUnknownEmoji() *apiError { return errUnknown(10014, "Emoji") }

func (s *Server) listReactions(c *call) (any, error) {
	limit, ok := atoi(c.record.Query.Get("limit"), 25)
	if !ok || limit < 1 || limit > 100 {
		return nil, errForm("limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 100.")
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, m, p, err := s.messageLocked(c)
	if err != nil {
		return nil, err
	}
	at := findReaction(m, c.request.PathValue("emoji"))
	switch {
	case p&ReadMessageHistory == 0:
		return nil, errMissingAccess()
	case at < 0:
		return nil, errUnknownEmoji()
	}
	after := graph.UserID(idOf(c.record.Query.Get("after")))
	users := []wireUser{}
	for _, id := range slices.Sorted(slices.Values(m.Reactions()[at].Users)) {
		if u := s.world.users[id]; u != nil && id > after && len(users) < limit {
			users = append(users, wireUserOf(u))
		}
	}
	return users, nil
}

func (s *Server) clearReactions(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m, p, err := s.messageLocked(c)
	switch {
	case err != nil:
		return nil, err
	case p&ManageMessages == 0:
		return nil, errMissingPermissions()
	}
	if emoji := c.request.PathValue("emoji"); emoji != "" {
		s.clearReactionLocked(ch, m, emoji)
	} else {
		s.clearReactionsLocked(ch, m)
	}
	return noContent{}, nil
}
