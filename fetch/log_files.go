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
	held := &c.messages
	at := held.find(message)
	if at < 0 {
		return message, ""
	}
	from, to := at, at+1
	if held.entries[at].own() {
		from, to = view{held}.answer(at)
	}
	for _, e := range held.entries[from:to] {
		if e.more == nil {
			continue
		}
		for _, a := range e.more.addresses {
			if a.id == id {
				return e.id, a.url
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
		at := c.messages.find(message)
		if at < 0 || c.messages.entries[at].more == nil {
			return
		}
		e := c.messages.entries[at]
		renewed := *e.more
		renewed.addresses = addresses
		e.more = &renewed
		c.messages.replace(at, e)
	})
}
