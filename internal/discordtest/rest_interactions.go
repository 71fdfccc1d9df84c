package discordtest

// needsNoToken reports whether a route needs no bot's token. The routes of
// interactions carry a secret of their own, and count towards no global limit.
func needsNoToken(route string) bool {
	switch route {
	case RouteGateway, RouteAnswer, RouteFollowUp, RouteEditFollowUp, RouteDeleteFollowUp:
		return true
	}
	return false
}

// interaction returns the interaction whose token a request's path names; nil if
// there is none.
func (c *call) interaction() *interaction { return c.world.interactions[c.request.PathValue("token")] }

// answerInteraction takes the first answer to an interaction.
func answerInteraction(c *call, given *answer) (any, error) {
	if err := given.read(c); err != nil {
		return nil, err
	}
	in := c.interaction()
	if in == nil || in.ID != InteractionID(c.id("interaction")) || in.Answered == 0 && c.world.clock().Sub(in.at) > c.world.answerWithin {
		return nil, errUnknownInteraction()
	}
	if in.Answered != 0 {
		return nil, errBadRequest(40060, "Interaction has already been acknowledged.")
	}
	ch := c.world.channels[in.Channel]
	if ch == nil {
		return nil, errUnknownChannel()
	}
	m, err := in.take(ch, given)
	if err != nil {
		return nil, err
	}
	in.Answered = given.Type
	c.world.mu.Wake()
	if with := c.record.Query.Get("with_response"); with != "true" && with != "1" {
		return noContent{}, nil
	}
	return in.wireAnswer(ch, m), nil
}

// editFollowUp edits a message that answers an interaction. The token of the
// interaction is all that it needs.
func editFollowUp(c *call, body *messageBody) (any, error) {
	in := c.interaction()
	ch, held, err := in.message(c)
	if err != nil {
		return nil, err
	}
	m, err := in.change(ch, held, body, c.uploads(body))
	if err != nil {
		return nil, err
	}
	return rendering{c.world, restViewer(in.bot)}.message(ch, m), nil
}

func deleteFollowUp(c *call) (any, error) {
	in := c.interaction()
	ch, m, err := in.message(c)
	if err != nil {
		return nil, err
	}
	if keeper := c.world.keeperOf(m.ID); keeper != nil {
		keeper.private = keeper.private.without(m.ID)
		c.world.mu.Wake()
		return noContent{}, nil
	}
	ch.delete(m.ID)
	return noContent{}, nil
}

// followUp makes one more message. If the first answer promised a message, this is
// it, and the same people see it.
func followUp(c *call, body *messageBody) (any, error) {
	in := c.interaction()
	ch, err := in.channel(c)
	if err != nil {
		return nil, err
	}
	files := c.uploads(body)
	var m *Message
	if held := in.loading(ch); held != nil {
		body.Flags = nil
		m, err = in.change(ch, held, body, files)
	} else {
		m, err = in.reply(ch, body, files, 0)
	}
	if err != nil {
		return nil, err
	}
	return rendering{c.world, restViewer(in.bot)}.message(ch, m), nil
}
