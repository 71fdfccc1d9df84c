package fetch

import "heddle/graph"

// address returns the address of an attachment, or "" if it is not held. It also
// returns the message that has the attachment, which may be another part of the same
// answer.
func (l *logs) address(channel graph.ChannelID, message graph.MessageID, id graph.AttachmentID) (graph.MessageID, string) {
	c := l.known(channel)
	if c == nil {
		return message, ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.held.messages.find(message)
	if at < 0 {
		return message, ""
	}
	from, to := at, at+1
	if c.held.messages.entries[at].own() {
		from, to = c.held.messages.answer(at)
	}
	for i := from; i < to; i++ {
		if c.held.messages.entries[i].more == nil {
			continue
		}
		for _, a := range c.held.messages.entries[i].more.addresses {
			if a.id == id {
				return c.held.messages.entries[i].id, a.url
			}
		}
	}
	return message, ""
}

// readdress stores the current addresses of a message's files.
func (l *logs) readdress(channel graph.ChannelID, message graph.MessageID, addresses []address) {
	l.change(channel, func(c *channelLog) {
		c.mu.Lock()
		defer c.mu.Unlock()
		at := c.held.messages.find(message)
		if at < 0 || c.held.messages.entries[at].more == nil {
			return
		}
		e := c.held.messages.entries[at]
		renewed := *e.more
		renewed.addresses = addresses
		e.more = &renewed
		c.held.messages.replace(at, e)
	})
}
