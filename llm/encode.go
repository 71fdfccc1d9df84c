package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/sashabaranov/go-openai"

	"heddle/graph/path"
)

// encode returns the body of a request: byte for byte what go-openai would write,
// followed by the fields that it cannot send. go-openai's MarshalJSON of a message makes
// encoding/json parse and copy the result; encode writes each text once.
func (f *surrounds) encode(chat openai.ChatCompletionRequest, tools []path.Tool, fields map[string]any) ([]byte, error) {
	messages, err := encodeMessages(chat.Messages)
	if err != nil {
		return nil, err
	}
	tail, err := encodeFields(fields)
	if err != nil {
		return nil, err
	}
	around, err := f.of(chat, tools)
	if err != nil {
		return nil, err
	}
	body := make([]byte, 0, len(around.before)+len(messages)+len(around.after)+len(tail))
	body = append(body, around.before...)
	body = append(body, messages...)
	body = append(body, around.after...)
	if len(tail) > 0 {
		body = append(body[:len(body)-1], tail...) // in place of the closing brace
	}
	return body, nil
}

// surrounds encodes the parts of requests around their messages. It caches the last
// result, because nearly all requests have the same tools and options. It may be used
// by several goroutines at once.
type surrounds struct{ last atomic.Pointer[surround] }

// surround is the encoded parts of a request around its messages.
type surround struct {
	chat          openai.ChatCompletionRequest // without messages and tools
	tools         []path.Tool                  // the tools that chat was made from
	before, after []byte
}

// of returns the surround of a request. tools must not be modified afterwards.
func (f *surrounds) of(chat openai.ChatCompletionRequest, tools []path.Tool) (*surround, error) {
	if len(chat.Tools) == 0 {
		tools = nil
	}
	made := chat
	made.Messages, made.Tools = nil, nil
	if last := f.last.Load(); last != nil && sameList(last.tools, tools) && reflect.DeepEqual(last.chat, made) {
		return last, nil
	}
	chat.Messages = nil
	encoded, err := json.Marshal(chat)
	if err != nil {
		return nil, fmt.Errorf("encode a request: %w", err)
	}
	const none = `"messages":null` // it cannot occur inside a text, in which quotes are escaped
	before, after, _ := bytes.Cut(encoded, []byte(none))
	next := &surround{made, tools, slices.Concat(before, []byte(none[:len(none)-len("null")])), after}
	f.last.Store(next)
	return next, nil
}

// sameList reports whether two slices are the same memory.
func sameList(a, b []path.Tool) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
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
