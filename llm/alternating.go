package llm

import (
	"slices"

	"github.com/sashabaranov/go-openai"
)

// alternating returns the messages of a request in the form that strict chat templates take
// (vllm#6862, autogen#1037, rig#788): no system role, the user's turn first, neighbouring
// turns of one role joined, and an assistant's turn after the results of tools. The frame
// says where the words of each speaker end, so that nobody's become another's.
func alternating(messages []openai.ChatCompletionMessage) []openai.ChatCompletionMessage {
	const user, assistant, tool = openai.ChatMessageRoleUser, openai.ChatMessageRoleAssistant, openai.ChatMessageRoleTool
	var joined []openai.ChatCompletionMessage
	for _, m := range messages {
		if m.Role == openai.ChatMessageRoleSystem {
			m.Role = user
		}
		before := ""
		if len(joined) > 0 {
			before = joined[len(joined)-1].Role
		}
		switch {
		case before == m.Role && m.Role != tool:
			join(&joined[len(joined)-1], m)
			continue
		case before == "" && m.Role != user:
			joined = append(joined, openai.ChatCompletionMessage{Role: user, Content: unsaid})
		case before == tool && m.Role == user:
			joined = append(joined, openai.ChatCompletionMessage{Role: assistant, Content: unsaid})
		}
		joined = append(joined, m)
	}
	return joined
}

// unsaid is the text of a turn that a chat template demands and nobody said.
const unsaid = "…"

// join adds a message of the same role to another.
func join(to *openai.ChatCompletionMessage, m openai.ChatCompletionMessage) {
	to.ToolCalls = append(to.ToolCalls, m.ToolCalls...)
	if to.MultiContent == nil && m.MultiContent == nil {
		to.Content = joinTexts(to.Content, m.Content)
		return
	}
	all := slices.Concat(pieces(*to), pieces(m))
	to.Content, to.MultiContent = "", all[:1:1]
	for _, piece := range all[1:] {
		last := &to.MultiContent[len(to.MultiContent)-1]
		if last.ImageURL == nil && piece.ImageURL == nil {
			last.Text = joinTexts(last.Text, piece.Text)
			continue
		}
		to.MultiContent = append(to.MultiContent, piece)
	}
}

// pieces returns the content of a message in pieces.
func pieces(m openai.ChatCompletionMessage) []openai.ChatMessagePart {
	if m.MultiContent != nil {
		return m.MultiContent
	}
	return []openai.ChatMessagePart{{Type: openai.ChatMessagePartTypeText, Text: m.Content}}
}

// joinTexts returns two texts with an empty line between them.
func joinTexts(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}
