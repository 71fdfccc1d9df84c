package evaluation

import (
	"slices"
	"strings"

	"heddle/graph"
)

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
	m, to := messages[i], &messages[parent]
	named := strings.Contains(m.Text, "@"+to.Name)
	m.References = slices.DeleteFunc(slices.Clone(m.References), func(r graph.Reference) bool {
		return r.Kind == graph.ReferenceReply || !named && r.Kind == graph.ReferenceAddress && r.User == to.Author
	})
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
