package discordtest

import (
	"encoding/json"

	"heddle/graph"
)

// Near returns a message with its neighbours in the channel, oldest first: at most
// older messages before it, the message itself if it exists, and at most newer messages
// after it. start and end report whether the result contains the first and the last
// message of the channel.
func (t *Chat) Near(id graph.ChannelID, message graph.MessageID, older, newer int) (near []Message, start, end bool) {
	t.world.mu.RLock()
	defer t.world.mu.RUnlock()
	messages := t.world.mustChannel(id).messages
	at, found := messages.search(message)
	after := at
	if found {
		after++
	}
	from, to := max(at-older, 0), min(after+newer, len(messages))
	near = make([]Message, 0, to-from)
	for _, m := range messages[from:to] {
		near = append(near, *m)
	}
	return near, from == 0, to == len(messages)
}

// Sent returns a message as Discord sends it to a bot that may read everything.
func (t *Chat) Sent(m Message) json.RawMessage {
	t.world.mu.RLock()
	defer t.world.mu.RUnlock()
	return rendering{t.world, viewer{content: true}}.message(t.world.mustChannel(m.Channel), &m)
}
