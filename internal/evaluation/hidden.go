package evaluation

import (
	"slices"
	"strings"

	"heddle/graph"
	"heddle/internal/chatlog"
	"heddle/internal/selection"
)

// hideReply returns the sight of the message at i without the signs that it replies to
// the one at parent: the reply itself, and the ping that Discord adds to it.
func hideReply(messages []graph.Message, i, parent int) selection.Sight {
	m, to := chatlog.WithoutAddress(chatlog.WithoutReply(messages[i]), messages[parent].Author), &messages[parent]
	if !strings.Contains(m.Text, "@"+to.Name) {
		m.References = slices.DeleteFunc(m.References, func(r graph.Reference) bool {
			return r.Kind == graph.ReferenceAddress && r.User == to.Author
		})
	}
	return selection.Sight{Before: messages[:i], Trigger: m}
}

// hideable returns the indices of the messages that reply to another, and those of the
// messages that they reply to.
func hideable(messages []graph.Message) (replies, parents []int) {
	for i := range messages {
		parent := chatlog.ReplyOf(&messages[i])
		if parent >= 0 && !messages[i].System && !messages[parent].System {
			replies, parents = append(replies, i), append(parents, parent)
		}
	}
	return replies, parents
}
