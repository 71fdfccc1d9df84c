package discordtest

import (
	"heddle/graph"
)

// targetLocked is the message that a reference points at; nil if it is gone.
func (s *Server) targetLocked(r *Reference) *Message {
	if r == nil {
		return nil
	}
	c := s.world.channels[r.Channel]
	if c == nil {
		return nil
	}
	return c.messages.find(r.Message)
}

// storeLocked puts a new message in its channel and tells everybody.
func (s *Server) storeLocked(c *channel, m *Message) {
	c.put(m)
	if c.thread != nil {
		c.thread.join(m.Author)
		if c.thread.archived && !c.thread.locked {
			s.archiveLocked(c, false, false)
		}
	}
	s.messageEventLocked("MESSAGE_CREATE", c, m)
	s.happenedLocked(Happening{Kind: Created, Channel: c.id, Message: *m})
}

// replaceLocked puts another version of a message in its channel and tells everybody.
func (s *Server) replaceLocked(c *channel, m *Message) {
	c.put(m)
	s.messageEventLocked("MESSAGE_UPDATE", c, m)
	s.happenedLocked(Happening{Kind: Edited, Channel: c.id, Message: *m})
}

func (s *Server) messageEventLocked(name string, c *channel, m *Message) {
	s.dispatchLocked(event{name: name, channel: c, render: func(v viewer) any {
		v.fresh = name == "MESSAGE_CREATE"
		return s.wireMessageLocked(c, m, v)
	}})
}

// deleteLocked deletes messages and tells everybody; bulk with one event.
func (s *Server) deleteLocked(c *channel, ids ...graph.MessageID) int {
	var gone []graph.MessageID
	for _, id := range ids {
		if m := c.remove(id); m != nil {
			gone = append(gone, id)
			s.happenedLocked(Happening{Kind: Deleted, Channel: c.id, Message: *m})
		}
	}
	if len(gone) == 0 {
		return 0
	}
	body := map[string]any{"channel_id": c.id}
	if c.guild != nil {
		body["guild_id"] = c.guild.id
	}
	name := "MESSAGE_DELETE"
	if len(ids) > 1 {
		name = "MESSAGE_DELETE_BULK"
		body["ids"] = gone
	} else {
		body["id"] = gone[0]
	}
	s.dispatchLocked(event{name: name, channel: c, render: func(viewer) any { return body }})
	return len(gone)
}
