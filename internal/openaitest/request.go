package openaitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Request is one request as it came. It never changes.
type Request struct {
	Header http.Header
	Body   []byte    // the exact bytes
	Chat   Chat      // the body, decoded
	Began  time.Time // when its header was read
}

// Chat is the body of a chat completion request.
type Chat struct {
	Model    string    `json:"model"`
	Messages []Message `json:"messages"`
	Stream   bool      `json:"stream"`
	Logprobs bool      `json:"logprobs"`
	Tools    []Tool    `json:"tools"`

	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`

	// Fields holds every field of the body as it was sent, which shows whether a field
	// was there at all.
	Fields map[string]json.RawMessage `json:"-"`
}

// Tool is a tool that the model may call.
type Tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// Message is one message of a request.
type Message struct {
	Role       string     `json:"role"`
	Name       string     `json:"name"`
	Parts      Parts      `json:"content"`
	ToolCalls  []ToolCall `json:"tool_calls"`
	ToolCallID string     `json:"tool_call_id"`
}

// Parts are the content of a message.
type Parts []Part

// Part is a part of a message: text, or the address of an image.
type Part struct {
	Text  string
	Image string
}

// Text returns the text of all parts.
func (m Message) Text() string {
	var b strings.Builder
	for _, part := range m.Parts {
		b.WriteString(part.Text)
	}
	return b.String()
}

// UnmarshalJSON reads a tool call of a message.
func (c *ToolCall) UnmarshalJSON(data []byte) error {
	var wire struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return fmt.Errorf("read a tool call: %w", err)
	}
	*c = ToolCall{ID: wire.ID, Name: wire.Function.Name, Arguments: wire.Function.Arguments}
	return nil
}

// UnmarshalJSON reads the content of a message: a string, a list of parts, or null.
func (all *Parts) UnmarshalJSON(content []byte) error {
	var text *string // nil for null
	if json.Unmarshal(content, &text) == nil {
		if text != nil {
			*all = Parts{{Text: *text}}
		}
		return nil
	}
	var wire []struct {
		Text  string `json:"text"`
		Image struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if err := json.Unmarshal(content, &wire); err != nil {
		return fmt.Errorf("read a message's parts: %w", err)
	}
	for _, part := range wire {
		*all = append(*all, Part{Text: part.Text, Image: part.Image.URL})
	}
	return nil
}

func readRequest(header http.Header, body []byte, began time.Time) (Request, error) {
	request := Request{Header: header, Body: body, Began: began}
	if err := json.Unmarshal(body, &request.Chat); err != nil {
		return request, fmt.Errorf("read a chat request: %w", err)
	}
	if err := json.Unmarshal(body, &request.Chat.Fields); err != nil {
		return request, fmt.Errorf("read a chat request's fields: %w", err)
	}
	return request, nil
}
