package fetch

import (
	"slices"

	"heddle/graph"
)

// trim shrinks the log below limit messages if it exceeds that. It first removes
// messages that belong to no span, then the spans that were not read for the longest
// time, then the oldest messages. It removes an eighth more than needed, so that a busy
// channel does not pay for it with every message.
func (k *contents) trim(limit int) {
	if len(k.messages.entries) <= limit {
		return
	}
	wanted := limit - limit/8
	k.messages.drop(func(e *entry) bool { return k.covered.find(e.anchor) == nil && k.covered.find(e.id) == nil })
	for len(k.messages.entries) > limit && len(k.covered.spans) > 1 {
		i := k.covered.idlest()
		if i == len(k.covered.spans)-1 && k.covered.live {
			break
		}
		idle := k.covered.spans[i]
		k.covered.spans = slices.Delete(k.covered.spans, i, i+1)
		k.messages.drop(func(e *entry) bool { return idle.holds(e.anchor) })
	}
	if len(k.messages.entries) > limit {
		k.cut(k.messages.entries[len(k.messages.entries)-wanted].anchor)
	}
	k.covered.live = k.covered.live && len(k.covered.spans) > 0
	k.messages.replies = k.messages.replies.trimmed(k.messages.entries)
}

// cut drops every message placed before first.
func (k *contents) cut(first graph.MessageID) {
	until, _ := k.messages.search(graph.Position{Anchor: first})
	k.messages.take(0, until)
	k.covered.cut(first)
}
