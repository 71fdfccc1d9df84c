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

// WithoutAddress returns a message without the address that a reply to a person adds.
func WithoutAddress(m graph.Message, person graph.UserID) graph.Message {
	if !strings.Contains(m.Text, "@") {
		m.References = slices.DeleteFunc(slices.Clone(m.References), func(r graph.Reference) bool {
			return r.Kind == graph.ReferenceAddress && r.User == person
		})
	}
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
	m, to := WithoutAddress(WithoutReply(messages[i]), messages[parent].Author), &messages[parent]
	if !strings.Contains(m.Text, "@"+to.Name) {
		m.References = slices.DeleteFunc(m.References, func(r graph.Reference) bool {
			return r.Kind == graph.ReferenceAddress && r.User == to.Author
		})
	}
	return Sight{Before: messages[:i], Trigger: m}
}

// hideable returns the indices of the messages that reply to another, and those of the
// messages that they reply to.
func hideable(messages []graph.Message) (replies, parents []int) {
	for i := range messages {
		parent := ReplyOf(&messages[i])
		if parent >= 0 && !messages[i].System && !messages[parent].System {
			replies, parents = append(replies, i), append(parents, parent)
		}
	}
	return replies, parents
}
