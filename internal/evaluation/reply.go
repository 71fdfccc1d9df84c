package evaluation

import (
	"slices"
	"strings"

	"heddle/graph"
)

// WithoutReply returns a message without its reply.
func WithoutReply(m graph.Message) graph.Message {
	kept := make([]graph.Reference, 0, len(m.References))
	for _, r := range m.References {
		if r.Kind != graph.ReferenceReply {
			kept = append(kept, r)
		}
	}
	m.References = kept
	return m
}

// ReplyOf returns the index of the message that a message is shown to reply to, or -1.
func ReplyOf(m *graph.Message) int {
	for _, r := range m.References {
		if r.Kind == graph.ReferenceReply && r.Message != 0 {
			return Index(r.Message)
		}
	}
	return -1
}

// HideReply returns the sight of the message at i without the signs that it replies to
// the one at parent: the reply itself, and the ping that Discord adds to it.
func HideReply(messages []graph.Message, i, parent int) Sight {
	m, to := WithoutReply(messages[i]), &messages[parent]
	if !strings.Contains(m.Text, "@"+to.Name) {
		m.References = slices.DeleteFunc(m.References, func(r graph.Reference) bool {
			return r.Kind == graph.ReferenceAddress && r.User == to.Author
		})
	}
	return Sight{Before: messages[:i], Trigger: m}
}

// hiddenReplies returns the replies of a log as questions, each of which needs the message
// that it replies to.
func hiddenReplies(log *Log) (hidden []Posed) {
	for i := range log.Messages {
		parent := ReplyOf(&log.Messages[i])
		if parent >= 0 && !log.Messages[i].System && !log.Messages[parent].System {
			hidden = append(hidden, Posed{
				Sight: HideReply(log.Messages, i, parent), Needed: []int{parent},
				place: "message " + log.IDs[i] + " of " + log.Name,
			})
		}
	}
	return hidden
}
