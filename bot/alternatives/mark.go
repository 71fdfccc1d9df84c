package alternatives

import (
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
	for _, row := range parts[len(parts)-1].Components {
		for _, button := range row.Children {
			named, is := strings.CutPrefix(button.CustomID, buttonWhy+":")
			sum, _, has := strings.Cut(named, ":")
			if is && has && sum != outbox.NoChecksum {
				return sum == outbox.Checksum(texts)
			}
		}
	}
	return true
}

// QuestionOf returns the question that a message of heddle's answers by the names of its
// buttons. Nobody sees them, and Discord keeps them for as long as the message. They tell
// where a message replies to nothing, because Discord refuses replies to a bot that may not
// read a channel's history. It reports false if the message has no such button.
func QuestionOf(m *discord.Message) (question graph.MessageID, ok bool) {
	for _, row := range m.Components {
		for _, button := range row.Children {
			if _, _, stops := parseStop(button.CustomID); !stops && !AsksWhy(button.CustomID) {
				continue
			}
			last := button.CustomID[strings.LastIndexByte(button.CustomID, ':')+1:]
			if question.UnmarshalText([]byte(last)) == nil && question != 0 {
				return question, true
			}
		}
	}
	return 0, false
}
