package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/sashabaranov/go-openai"
)

// encode returns the body of a request: byte for byte what go-openai would write,
// followed by the fields that it cannot send. go-openai's MarshalJSON of a message makes
// encoding/json parse and copy the result; encode writes each text once.
func encode(chat openai.ChatCompletionRequest, fields map[string]any) ([]byte, error) {
	messages, err := encodeMessages(chat.Messages)
	if err != nil {
		return nil, err
	}
	tail, err := encodeFields(fields)
	if err != nil {
		return nil, err
	}
	chat.Messages = nil
	frame, err := json.Marshal(chat)
	if err != nil {
		return nil, fmt.Errorf("encode a request: %w", err)
	}
	const none = `"messages":null` // no text can hold it: its quotes would be escaped
	before, after, _ := bytes.Cut(frame, []byte(none))
	body := make([]byte, 0, len(frame)+len(messages)+len(tail))
	body = append(body, before...)
	body = append(body, none[:len(none)-len("null")]...)
	body = append(body, messages...)
	body = append(body, after...)
	if len(tail) > 0 {
		body = append(body[:len(body)-1], tail...) // in place of the closing brace
	}
	return body, nil
}

// textMessage is openai.ChatCompletionMessage without its MarshalJSON, for messages
// without pictures.
type textMessage struct {
	Role             string                   `json:"role"`
	Content          string                   `json:"content,omitempty"`
	Refusal          string                   `json:"refusal,omitempty"`
	MultiContent     []openai.ChatMessagePart `json:"-"`
	Name             string                   `json:"name,omitempty"`
	ReasoningContent string                   `json:"reasoning_content,omitempty"`
	FunctionCall     *openai.FunctionCall     `json:"function_call,omitempty"`
	ToolCalls        []openai.ToolCall        `json:"tool_calls,omitempty"`
	ToolCallID       string                   `json:"tool_call_id,omitempty"`
}

func encodeMessages(messages []openai.ChatCompletionMessage) ([]byte, error) {
	var plain []any
	for i := range messages {
		if messages[i].MultiContent == nil {
			plain = append(plain, (*textMessage)(&messages[i]))
		} else {
			plain = append(plain, &messages[i])
		}
	}
	encoded, err := json.Marshal(plain)
	if err != nil {
		return nil, fmt.Errorf("encode messages: %w", err)
	}
	return encoded, nil
}

// encodeFields returns fields, sorted by name, as the end of a JSON object.
func encodeFields(fields map[string]any) ([]byte, error) {
	var tail []byte
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value, err := json.Marshal(fields[name])
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", name, err)
		}
		tail = fmt.Appendf(tail, ",%q:", name)
		tail = append(tail, value...)
	}
	if tail != nil {
		tail = append(tail, '}')
	}
	return tail, nil
}
