package alternatives

import (
	"strings"

	"heddle/graph"
	"heddle/internal/discord"
)

// whyName returns the name of the button that shows what the answer to a question was made
// from. The question in it is for QuestionOf.
func whyName(question graph.MessageID) string { return buttonWhy + ":" + question.String() }

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
