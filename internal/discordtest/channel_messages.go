package discordtest

import "heddle/graph"

// add stores a new message and announces it.
func (c *channel) add(m *Message) {
	c.messages = c.messages.with(m)
	if c.thread != nil {
		c.thread.join(m.Author)
		if c.thread.archived && !c.thread.locked {
			c.archive(false, false)
		}
	}
	c.notifyMessage("MESSAGE_CREATE", m)
	c.world.happened(Happening{Kind: Created, Channel: c.id, Message: *m})
}

// replace stores another version of a message and announces it.
func (c *channel) replace(m *Message) {
	c.messages = c.messages.with(m)
	c.notifyMessage("MESSAGE_UPDATE", m)
	c.world.happened(Happening{Kind: Edited, Channel: c.id, Message: *m})
	c.recopy(m, m)
}

// notifyMessage sends an event with a message. Each session gets what its bot may see of it.
func (c *channel) notifyMessage(name string, m *Message) {
	c.world.emit(event{name: name, channel: c, render: func(v viewer) any {
		v.fresh = name == "MESSAGE_CREATE"
		return rendering{c.world, v}.message(c, m)
	}})
}

// delete deletes messages, several of them with one event, and returns how many existed.
func (c *channel) delete(ids ...graph.MessageID) int {
	var gone []graph.MessageID
	for _, id := range ids {
		if m := c.messages.find(id); m != nil {
			c.messages = c.messages.without(id)
			gone = append(gone, id)
			c.world.happened(Happening{Kind: Deleted, Channel: c.id, Message: *m})
			c.recopy(m, nil)
		}
	}
	if len(gone) == 0 {
		return 0
	}
	body := c.place()
	name := "MESSAGE_DELETE"
	if len(ids) > 1 {
		name = "MESSAGE_DELETE_BULK"
		body["ids"] = gone
	} else {
		body["id"] = gone[0]
	}
	c.world.emit(event{name: name, channel: c, render: func(viewer) any { return body }})
	return len(gone)
}

// place returns the fields that say where an event happened.
func (c *channel) place() object {
	fields := object{"channel_id": c.id}
	if c.guild != nil {
		fields["guild_id"] = c.guild.id
	}
	return fields
}

// referenceTo returns a reference to a message of c.
func (c *channel) referenceTo(id graph.MessageID) *Reference {
	r := &Reference{Channel: c.id, Message: id}
	if c.guild != nil {
		r.Guild = c.guild.id
	}
	return r
}
