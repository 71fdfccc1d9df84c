package conversation

import (
	"slices"
	"strings"

	"heddle/bot/phrases"
	"heddle/graph"
)

// longestAgain is the length in bytes of the longest text that is examined.
const longestAgain = 40

// AsksAgain reports whether a message asks for another answer, and returns the message
// that it replies to. It does if it replies and consists of "again", in any language
// that heddle speaks, or of 🔁.
func AsksAgain(m *graph.Message) (answer graph.MessageID, ok bool) {
	reply := slices.IndexFunc(m.References, func(r graph.Reference) bool { return r.Kind == graph.ReferenceReply })
	if reply < 0 || !saysAgain(m.Text) {
		return 0, false
	}
	return m.References[reply].Message, true
}

// saysAgain reports whether a text, apart from mentions, only asks for another answer.
func saysAgain(text string) bool {
	words := slices.DeleteFunc(strings.Fields(strings.ToLower(text)), func(word string) bool { return strings.HasPrefix(word, "@") })
	said := strings.TrimRight(strings.Join(words, " "), ".!。！")
	if len(said) > longestAgain {
		return false
	}
	return said == "🔁" || said == "🔄" || slices.Contains(phrases.Words(phrases.AgainWords), said)
}
