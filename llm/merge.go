package llm

import "github.com/sashabaranov/go-openai"

// fitTemplate adapts the messages to strict chat templates: if necessary the system
// prompt becomes a user's message, and adjacent messages of one role are joined. Labels
// still distinguish the speakers.
func (c *composer) fitTemplate() {
	// Every request needs both, so both are always recorded.
	systemRole, repeatedRoles := c.wants(featureSystem), c.wants(featureRepeat)
	for i := range c.messages {
		if !systemRole && c.messages[i].Role == openai.ChatMessageRoleSystem {
			c.messages[i].Role = openai.ChatMessageRoleUser
		}
	}
	if repeatedRoles {
		return
	}
	var merged []openai.ChatCompletionMessage
	for _, message := range c.messages {
		if last := len(merged) - 1; last >= 0 && mergeable(merged[last], message) {
			merged[last] = merge(merged[last], message)
			continue
		}
		merged = append(merged, message)
	}
	c.messages = merged
}

// mergeable reports whether two messages may be joined. Calls of tools and their results
// are paired one to one and may not.
func mergeable(a, b openai.ChatCompletionMessage) bool {
	return a.Role == b.Role && a.Role != openai.ChatMessageRoleTool && a.ToolCalls == nil && b.ToolCalls == nil
}

// merge returns a and b as one message, with a blank line between them.
func merge(a, b openai.ChatCompletionMessage) openai.ChatCompletionMessage {
	const between = "\n\n"
	if a.MultiContent == nil && b.MultiContent == nil {
		a.Content += between + b.Content
		return a
	}
	below := pieces(b)
	below[0].Text = between + below[0].Text // a message begins with text: its label
	a.MultiContent, a.Content = append(pieces(a), below...), ""
	return a
}

// pieces returns the content of a message as a new list.
func pieces(message openai.ChatCompletionMessage) []openai.ChatMessagePart {
	if message.MultiContent != nil {
		return append([]openai.ChatMessagePart(nil), message.MultiContent...)
	}
	return []openai.ChatMessagePart{{Type: openai.ChatMessagePartTypeText, Text: message.Content}}
}
