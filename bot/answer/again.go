package answer

import (
	"slices"
	"strings"

	"heddle/bot/phrases"
	"heddle/graph"
)

// longestAgain bounds the texts that are looked at, in bytes.
const longestAgain = 40

// AsksAgain reports whether a message asks for another answer: it replies to a message,
// which is returned, and says "again", in any language that heddle speaks,
// or 🔁 and nothing else.
func AsksAgain(m *graph.Message) (answer graph.MessageID, ok bool) {
	reply := slices.IndexFunc(m.References, func(r graph.Reference) bool { return r.Kind == graph.ReferenceReply })
	if reply < 0 || !saysAgain(m.Text) {
		return 0, false
	}
	return m.References[reply].Message, true
}

// saysAgain reports whether a text asks for another answer and for nothing else,
// mentions aside.
func saysAgain(text string) bool {
	words := slices.DeleteFunc(strings.Fields(strings.ToLower(text)), func(word string) bool { return strings.HasPrefix(word, "@") })
	said := strings.TrimRight(strings.Join(words, " "), ".!。！")
	if len(said) > longestAgain {
		return false
	}
	return said == "🔁" || said == "🔄" || slices.Contains(phrases.Words(phrases.AgainWords), said)
}
