package llm

import "github.com/sashabaranov/go-openai"

// fitTemplate bends messages to the chat templates of strict models: a system
// prompt becomes a user's message, and neighbours of one role become one message.
// Their labels keep the speakers apart.
func (c *composer) fitTemplate() {
	// Every request has a use for both, so both are always noted as sent or missed.
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

// mergeable leaves alone what belongs to tools, whose calls and results are paired
// one by one.
func mergeable(a, b openai.ChatCompletionMessage) bool {
	return a.Role == b.Role && a.Role != openai.ChatMessageRoleTool && a.ToolCalls == nil && b.ToolCalls == nil
}

// merge puts b below a with a blank line between.
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

// pieces is a message's content as a list of its own.
func pieces(message openai.ChatCompletionMessage) []openai.ChatMessagePart {
	if message.MultiContent != nil {
		return append([]openai.ChatMessagePart(nil), message.MultiContent...)
	}
	return []openai.ChatMessagePart{{Type: openai.ChatMessagePartTypeText, Text: message.Content}}
}
