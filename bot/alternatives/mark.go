package alternatives

import (
	"iter"
	"strings"

	"heddle/bot/outbox"
	"heddle/graph"
	"heddle/internal/discord"
)

// whyName returns the name of the button that shows what the answer to a question was made
// from. The question in it is for QuestionOf. The checksum, which replaces
// outbox.NoChecksum when the answer is whole, is for IsComplete.
func whyName(question graph.MessageID) string {
	return buttonWhy + ":" + outbox.NoChecksum + ":" + question.String()
}

// IsComplete reports whether the messages of an answer, oldest first, belong to one attempt
// and none is missing, by the checksum in the name of the last one's button. An answer
// without a checksum, because it has no such button or got it later, counts as complete.
func IsComplete(parts []discord.Message) bool {
	if len(parts) == 0 {
		return true
	}
	texts := make([]string, len(parts))
	for i := range parts {
		texts[i] = parts[i].Content
	}
	for name := range buttonNames(&parts[len(parts)-1]) {
		named, is := strings.CutPrefix(name, buttonWhy+":")
		sum, _, has := strings.Cut(named, ":")
		if is && has && sum != outbox.NoChecksum {
			return sum == outbox.Checksum(texts)
		}
	}
	return true
}

// QuestionOf returns the question that a message of heddle's answers by the names of its
// buttons. People do not see the names, and Discord keeps them for as long as the
// message. They are needed where Discord refuses replies, because heddle may not read a
// channel's history. QuestionOf reports false if the message has no such button.
func QuestionOf(m *discord.Message) (question graph.MessageID, ok bool) {
	for name := range buttonNames(m) {
		if _, _, stops := parseStop(name); !stops && !AsksWhy(name) {
			continue
		}
		last := name[strings.LastIndexByte(name, ':')+1:]
		if question.UnmarshalText([]byte(last)) == nil && question != 0 {
			return question, true
		}
	}
	return 0, false
}

// buttonNames yields the names of a message's buttons.
func buttonNames(m *discord.Message) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, row := range m.Components {
			for _, button := range row.Children {
				if !yield(button.CustomID) {
					return
				}
			}
		}
	}
}
